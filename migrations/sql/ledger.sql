-- Every change of an operation, written in the transaction of the change
-- (P15). `hash` is SHA-256 over `previous` and `body`.
CREATE TABLE ledger (
    tenant          TEXT NOT NULL,
    operation_id    {uuid} NOT NULL,
    version         {big} NOT NULL,
    at              {big} NOT NULL,
    commit_id       {uuid} NOT NULL,
    event           TEXT NOT NULL,
    body            TEXT NOT NULL,
    foreign_strings TEXT NOT NULL,
    previous        {bytes} NOT NULL,
    hash            {bytes} NOT NULL,
    CONSTRAINT ledger_key PRIMARY KEY (tenant, operation_id, version),
    CONSTRAINT ledger_commit_once UNIQUE (tenant, commit_id, operation_id),
    CONSTRAINT ledger_operation FOREIGN KEY (tenant, operation_id) REFERENCES operations (tenant, id),
    CONSTRAINT ledger_version CHECK (version >= 1),
    CONSTRAINT ledger_hashes CHECK (length(previous) = 32 AND length(hash) = 32)
){strict};
