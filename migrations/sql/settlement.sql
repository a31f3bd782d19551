-- Reports of providers about what they settled, each imported once.
CREATE TABLE settlement_reports (
    tenant       TEXT NOT NULL,
    id           {uuid} NOT NULL,
    account      TEXT NOT NULL,
    format       TEXT NOT NULL,
    content_hash {bytes} NOT NULL,
    lines        INTEGER NOT NULL,
    imported_at  {big} NOT NULL,
    CONSTRAINT settlement_reports_key PRIMARY KEY (tenant, id),
    CONSTRAINT settlement_reports_content_once UNIQUE (tenant, account, content_hash),
    CONSTRAINT settlement_reports_content CHECK (length(content_hash) = 32 AND lines >= 0)
){strict};

CREATE TABLE settlement_lines (
    tenant              TEXT NOT NULL,
    report_id           {uuid} NOT NULL,
    line                INTEGER NOT NULL,
    kind                TEXT NOT NULL,
    provider_payment_id TEXT,
    provider_key        TEXT,
    reference           TEXT,
    amount              {big} NOT NULL,
    currency            TEXT NOT NULL,
    occurred_at         {big},
    result              TEXT NOT NULL,
    operation_id        {uuid},
    CONSTRAINT settlement_lines_key PRIMARY KEY (tenant, report_id, line),
    CONSTRAINT settlement_lines_report FOREIGN KEY (tenant, report_id) REFERENCES settlement_reports (tenant, id),
    CONSTRAINT settlement_lines_operation FOREIGN KEY (tenant, operation_id) REFERENCES operations (tenant, id),
    CONSTRAINT settlement_lines_line CHECK (line >= 1),
    CONSTRAINT settlement_lines_kind CHECK (kind IN ('CAPTURE', 'REFUND', 'CHARGEBACK', 'REFUND_REVERSAL')),
    CONSTRAINT settlement_lines_amount CHECK (amount >= 0 AND length(currency) = 3),
    CONSTRAINT settlement_lines_result CHECK (result IN ('UNMATCHED', 'AGREES', 'DISAGREES')),
    CONSTRAINT settlement_lines_match CHECK (result = 'UNMATCHED' OR operation_id IS NOT NULL)
){strict};

CREATE INDEX settlement_lines_open ON settlement_lines (tenant, report_id, line) WHERE result <> 'AGREES';
