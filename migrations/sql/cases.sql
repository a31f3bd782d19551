-- One question for a person. A case about a settlement line that nothing of
-- ours matches has no operation.
CREATE TABLE cases (
    tenant       TEXT NOT NULL,
    id           {uuid} NOT NULL,
    operation_id {uuid},
    reason       TEXT NOT NULL,
    opened_at    {big} NOT NULL,
    closed_at    {big},
    decision     TEXT,
    evidence     TEXT,
    note         TEXT,
    decided_by   TEXT,
    seconded_by  TEXT,
    CONSTRAINT cases_key PRIMARY KEY (tenant, id),
    CONSTRAINT cases_operation FOREIGN KEY (tenant, operation_id) REFERENCES operations (tenant, id),
    CONSTRAINT cases_reason CHECK (reason IN ('OBSERVATION_WINDOW_OVER', 'AMOUNT_MISMATCH', 'CURRENCY_MISMATCH', 'ACCOUNT_MISMATCH', 'CONTRADICTION', 'DUPLICATE_EFFECT', 'REFUND_DECLINED', 'REFUND_REVERSED', 'REFERENCE_ONLY_MATCH', 'INSTRUCTION_EXCEEDS_EFFECT', 'CUSTOMER_ACTION_EXPIRED')),
    -- Two persons are two persons.
    CONSTRAINT cases_decision CHECK (
        (decision IS NULL OR decided_by IS NOT NULL)
        AND (seconded_by IS NULL OR (decided_by IS NOT NULL AND seconded_by <> decided_by))
    )
){strict};

CREATE UNIQUE INDEX cases_open_once ON cases (tenant, operation_id, reason) WHERE closed_at IS NULL;
CREATE INDEX cases_open ON cases (tenant, opened_at, id) WHERE closed_at IS NULL;
