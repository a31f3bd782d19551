-- Used mandates. A row lives as long as its credential could be shown again.
CREATE TABLE mandates (
    tenant       TEXT NOT NULL,
    jti          TEXT NOT NULL,
    operation_id {uuid} NOT NULL,
    used_at      {big} NOT NULL,
    expires_at   {big} NOT NULL,
    CONSTRAINT mandates_key PRIMARY KEY (tenant, jti),
    CONSTRAINT mandates_operation FOREIGN KEY (tenant, operation_id) REFERENCES operations (tenant, id)
){strict};

CREATE INDEX mandates_expired ON mandates (expires_at);
