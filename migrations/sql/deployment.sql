-- What this database is. One row; `name` is recorded at the first start and
-- is part of every provider key. `beat` rises with every look at the clock, so
-- that a database which went back is noticed; `timeline` is that of the
-- PostgreSQL server, which a promotion changes. Times are microseconds since
-- 1970 by the database's clock.
CREATE TABLE deployment (
    id                  INTEGER NOT NULL,
    name                TEXT,
    schema_version      INTEGER NOT NULL,
    schema_checksum     TEXT NOT NULL,
    beat                {big} NOT NULL,
    beat_at             {big},
    timeline            TEXT,
    recovery_epoch      {big} NOT NULL,
    recovery_state      TEXT NOT NULL,
    recovery_lost_since {big},
    recovery_since      {big},
    recovery_by         TEXT,
    CONSTRAINT deployment_key PRIMARY KEY (id),
    CONSTRAINT deployment_single CHECK (id = 1),
    CONSTRAINT deployment_beat CHECK (beat >= 0 AND (beat = 0 OR beat_at IS NOT NULL)),
    CONSTRAINT deployment_recovery_epoch CHECK (recovery_epoch >= 0),
    CONSTRAINT deployment_recovery_state CHECK (recovery_state IN ('NONE', 'AWAITING_CONFIRMATION', 'HELD')),
    CONSTRAINT deployment_recovery CHECK (
        (recovery_state = 'NONE') = (recovery_since IS NULL)
        AND (recovery_since IS NULL) = (recovery_lost_since IS NULL)
    )
){strict};
