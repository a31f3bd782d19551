-- The one submitter of an account without idempotency, and whether anything
-- is sent to an account at all.
CREATE TABLE provider_leases (
    tenant    TEXT NOT NULL,
    account   TEXT NOT NULL,
    epoch     {big} NOT NULL,
    owner     TEXT,
    until     {big},
    paused_at {big},
    paused_by TEXT,
    CONSTRAINT provider_leases_key PRIMARY KEY (tenant, account),
    CONSTRAINT provider_leases_lease CHECK (epoch >= 0 AND (owner IS NULL) = (until IS NULL)),
    CONSTRAINT provider_leases_pause CHECK ((paused_at IS NULL) = (paused_by IS NULL))
){strict};
