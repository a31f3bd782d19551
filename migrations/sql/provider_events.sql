-- The inbox: what providers told us. Unmatched events are parked and tried
-- again, never lost.
CREATE TABLE provider_events (
    tenant       TEXT NOT NULL,
    account      TEXT NOT NULL,
    event_id     TEXT NOT NULL,
    kind         TEXT NOT NULL,
    signed       {bool} NOT NULL,
    body         {bytes} NOT NULL,
    state        TEXT NOT NULL,
    tries        INTEGER NOT NULL,
    operation_id {uuid},
    received_at  {big} NOT NULL,
    next_try_at  {big},
    applied_at   {big},
    CONSTRAINT provider_events_key PRIMARY KEY (tenant, account, event_id),
    CONSTRAINT provider_events_operation FOREIGN KEY (tenant, operation_id) REFERENCES operations (tenant, id),
    CONSTRAINT provider_events_signed CHECK (signed IN (TRUE, FALSE)),
    CONSTRAINT provider_events_state CHECK (state IN ('RECEIVED', 'PARKED', 'APPLIED')),
    CONSTRAINT provider_events_tries CHECK (tries >= 0),
    CONSTRAINT provider_events_times CHECK (
        (state = 'APPLIED') = (applied_at IS NOT NULL) AND (state = 'APPLIED') = (next_try_at IS NULL)
    )
){strict};

CREATE INDEX provider_events_due ON provider_events (next_try_at) WHERE next_try_at IS NOT NULL;
