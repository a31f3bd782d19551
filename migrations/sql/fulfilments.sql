-- The one claim to fulfil an operation (P12). A claim that lapses is not free.
CREATE TABLE fulfilments (
    tenant       TEXT NOT NULL,
    operation_id {uuid} NOT NULL,
    token        {uuid} NOT NULL,
    state        TEXT NOT NULL,
    claimed_by   TEXT NOT NULL,
    claimed_at   {big} NOT NULL,
    lapses_at    {big} NOT NULL,
    completed_at {big},
    released_at  {big},
    CONSTRAINT fulfilments_key PRIMARY KEY (tenant, operation_id),
    CONSTRAINT fulfilments_operation FOREIGN KEY (tenant, operation_id) REFERENCES operations (tenant, id),
    CONSTRAINT fulfilments_state CHECK (state IN ('CLAIMED', 'COMPLETED', 'RELEASED')),
    CONSTRAINT fulfilments_times CHECK (
        (state = 'COMPLETED') = (completed_at IS NOT NULL) AND (state = 'RELEASED') = (released_at IS NOT NULL)
    )
){strict};

CREATE INDEX fulfilments_lapsing ON fulfilments (lapses_at) WHERE state = 'CLAIMED';
