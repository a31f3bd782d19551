-- What this database is. One row; `name` is recorded at the first start and
-- is part of every provider key.
CREATE TABLE deployment (
    id              INTEGER NOT NULL,
    name            TEXT,
    schema_version  INTEGER NOT NULL,
    schema_checksum TEXT NOT NULL,
    recovery_epoch  {big} NOT NULL,
    CONSTRAINT deployment_key PRIMARY KEY (id),
    CONSTRAINT deployment_single CHECK (id = 1),
    CONSTRAINT deployment_recovery_epoch CHECK (recovery_epoch >= 0)
){strict};
