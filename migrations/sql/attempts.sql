-- One durable intent to contact a provider, with the bytes that go out (P4).
CREATE TABLE attempts (
    tenant       TEXT NOT NULL,
    id           {uuid} NOT NULL,
    operation_id {uuid} NOT NULL,
    number       INTEGER NOT NULL,
    step         TEXT NOT NULL,
    account      TEXT NOT NULL,
    provider_key TEXT NOT NULL,
    endpoint     TEXT NOT NULL,
    method       TEXT NOT NULL,
    path         TEXT NOT NULL,
    body         {bytes} NOT NULL,
    epoch        {big} NOT NULL,
    opened_at    {big} NOT NULL,
    not_after    {big} NOT NULL,
    result       TEXT,
    ended_at     {big},
    CONSTRAINT attempts_key PRIMARY KEY (tenant, id),
    CONSTRAINT attempts_number_once UNIQUE (tenant, operation_id, number),
    CONSTRAINT attempts_operation FOREIGN KEY (tenant, operation_id) REFERENCES operations (tenant, id),
    CONSTRAINT attempts_number CHECK (number >= 1),
    CONSTRAINT attempts_step CHECK (step IN ('CREATE', 'CAPTURE', 'VOID', 'REFUND', 'CANCEL')),
    CONSTRAINT attempts_provider_key CHECK (length(provider_key) = 34),
    CONSTRAINT attempts_epoch CHECK (epoch >= 1),
    CONSTRAINT attempts_result CHECK (result IN ('NOT_SENT', 'AMBIGUOUS', 'ANSWERED', 'LOST')),
    CONSTRAINT attempts_end CHECK ((result IS NULL) = (ended_at IS NULL))
){strict};

CREATE UNIQUE INDEX attempts_open ON attempts (tenant, operation_id) WHERE result IS NULL;
