-- What is to be told. `position` is given after commit, by one sequencer, so
-- that a reader's cursor skips nothing.
CREATE TABLE outbox (
    tenant       TEXT NOT NULL,
    id           {uuid} NOT NULL,
    operation_id {uuid} NOT NULL,
    version      {big} NOT NULL,
    kind         TEXT NOT NULL,
    created_at   {big} NOT NULL,
    position     {big},
    CONSTRAINT outbox_key PRIMARY KEY (tenant, id),
    CONSTRAINT outbox_position_once UNIQUE (tenant, position),
    CONSTRAINT outbox_operation FOREIGN KEY (tenant, operation_id) REFERENCES operations (tenant, id),
    CONSTRAINT outbox_version CHECK (version >= 1),
    CONSTRAINT outbox_position CHECK (position >= 1)
){strict};

CREATE INDEX outbox_unplaced ON outbox (created_at, id) WHERE position IS NULL;
