-- One row for one business operation. The checks repeat what `decide` keeps;
-- what only depends on the order of two clock readings is not checked, because
-- a clock may stand behind after a failover and evidence is never refused.
CREATE TABLE operations (
    tenant               TEXT NOT NULL,
    id                   {uuid} NOT NULL,
    version              {big} NOT NULL,

    -- What never changes.
    kind                 TEXT NOT NULL,
    order_id             TEXT NOT NULL,
    purpose              TEXT NOT NULL,
    generation           INTEGER NOT NULL,
    parent               {uuid},
    label                TEXT,
    reason               TEXT,
    target               TEXT,
    supersedes           {uuid},
    amount               {big} NOT NULL,
    currency             TEXT NOT NULL,
    payment_method       TEXT,
    payee                TEXT,
    customer_ref         TEXT,
    agent                TEXT,
    description          TEXT,
    labels               TEXT NOT NULL,
    digest_version       INTEGER NOT NULL,
    digest               {bytes} NOT NULL,
    canonical            TEXT NOT NULL,
    provider             TEXT NOT NULL,
    provider_key         TEXT NOT NULL,
    exclusive            {bool} NOT NULL,

    -- Where it is. `progress`, `customer_action` and `instruction` are JSON;
    -- what the checks need of `progress` stands in columns as well.
    state                TEXT NOT NULL,
    progress             TEXT NOT NULL,
    attempts             INTEGER NOT NULL,
    attempts_left        INTEGER NOT NULL,
    open_attempt         {uuid},
    provider_payment_id  TEXT,
    decline_category     TEXT,
    decline_code         TEXT,
    customer_action      TEXT,
    review_case          {uuid},
    review_reason        TEXT,
    review_opened_at     {big},
    instruction          TEXT,
    fulfilment_forbidden {bool} NOT NULL,
    superseded_by        {uuid},
    ledger_head          {bytes} NOT NULL,

    -- Microseconds since 1970 by the database's clock.
    next_check_at        {big},
    created_at           {big} NOT NULL,
    submitted_at         {big},
    unresolved_since     {big},
    settled_at           {big},
    reversed_at          {big},
    as_of                {big} NOT NULL,

    -- Who works on it. Not part of the ledger.
    lease_epoch          {big} NOT NULL,
    lease_owner          TEXT,
    lease_until          {big},

    CONSTRAINT operations_key PRIMARY KEY (tenant, id),
    CONSTRAINT operations_parent FOREIGN KEY (tenant, parent) REFERENCES operations (tenant, id),
    CONSTRAINT operations_supersedes FOREIGN KEY (tenant, supersedes) REFERENCES operations (tenant, id),
    CONSTRAINT operations_superseded_by FOREIGN KEY (tenant, superseded_by) REFERENCES operations (tenant, id),

    CONSTRAINT operations_version CHECK (version >= 1),
    CONSTRAINT operations_kind CHECK (kind IN ('CHARGE', 'AUTHORIZE', 'CAPTURE', 'REFUND', 'VOID')),
    CONSTRAINT operations_state CHECK (state IN ('CREATED', 'QUEUED', 'SUBMITTING', 'UNKNOWN', 'PENDING', 'REQUIRES_ACTION', 'AUTHORIZED', 'SUCCEEDED', 'DECLINED', 'CANCELED', 'VOIDED')),
    CONSTRAINT operations_reason CHECK (reason IN ('REQUESTED_BY_CUSTOMER', 'DUPLICATE', 'FRAUDULENT', 'ORDER_CANCELED', 'SERVICE_NOT_DELIVERED', 'OTHER')),
    CONSTRAINT operations_decline_category CHECK (decline_category IN ('INSUFFICIENT_FUNDS', 'CARD_DECLINED', 'EXPIRED_METHOD', 'INVALID_METHOD', 'FRAUD_SUSPECTED', 'LIMIT_EXCEEDED', 'AUTHENTICATION_FAILED', 'NOT_SUPPORTED', 'OTHER')),
    CONSTRAINT operations_review_reason CHECK (review_reason IN ('OBSERVATION_WINDOW_OVER', 'AMOUNT_MISMATCH', 'CURRENCY_MISMATCH', 'ACCOUNT_MISMATCH', 'CONTRADICTION', 'DUPLICATE_EFFECT', 'REFUND_DECLINED', 'REFUND_REVERSED', 'REFERENCE_ONLY_MATCH', 'INSTRUCTION_EXCEEDS_EFFECT', 'CUSTOMER_ACTION_EXPIRED')),
    CONSTRAINT operations_generation CHECK (generation >= 1),
    CONSTRAINT operations_amount CHECK (amount BETWEEN 1 AND 999999999999999),
    CONSTRAINT operations_currency CHECK (length(currency) = 3),
    CONSTRAINT operations_digest CHECK (digest_version >= 1 AND length(digest) = 32),
    CONSTRAINT operations_provider_key CHECK (length(provider_key) = 34),
    CONSTRAINT operations_provider_payment_id CHECK (length(provider_payment_id) BETWEEN 1 AND 255),
    CONSTRAINT operations_ledger_head CHECK (length(ledger_head) = 32),
    CONSTRAINT operations_flags CHECK (exclusive IN (TRUE, FALSE) AND fulfilment_forbidden IN (TRUE, FALSE)),

    -- A payment stands alone; a capture, refund or void is about another one.
    CONSTRAINT operations_family CHECK (
        (kind IN ('CHARGE', 'AUTHORIZE') AND parent IS NULL AND label IS NULL AND reason IS NULL AND target IS NULL)
        OR (kind = 'CAPTURE' AND parent IS NOT NULL AND label IS NULL AND reason IS NULL)
        OR (kind IN ('REFUND', 'VOID') AND parent IS NOT NULL AND label IS NOT NULL AND reason IS NOT NULL AND supersedes IS NULL)
    ),
    CONSTRAINT operations_others CHECK (
        (parent IS NULL OR parent <> id)
        AND (supersedes IS NULL OR supersedes <> id)
        AND (superseded_by IS NULL OR superseded_by <> id)
    ),
    -- A later generation names the operation it replaces. A compensation
    -- carries its parent's generation.
    CONSTRAINT operations_succession CHECK (kind IN ('REFUND', 'VOID') OR (generation = 1) = (supersedes IS NULL)),
    CONSTRAINT operations_superseded_state CHECK (superseded_by IS NULL OR state IN ('DECLINED', 'CANCELED')),

    CONSTRAINT operations_kind_of_state CHECK (state NOT IN ('AUTHORIZED', 'VOIDED') OR kind = 'AUTHORIZE'),
    -- Evidence may settle a CREATED row after a restore, so that PENDING,
    -- REQUIRES_ACTION and the settled states can lack `submitted_at`.
    CONSTRAINT operations_submitted_at CHECK (
        (state <> 'CREATED' OR submitted_at IS NULL)
        AND (state NOT IN ('QUEUED', 'SUBMITTING', 'UNKNOWN') OR submitted_at IS NOT NULL)
    ),
    CONSTRAINT operations_settled_at CHECK (
        (state IN ('AUTHORIZED', 'SUCCEEDED', 'DECLINED', 'CANCELED', 'VOIDED')) = (settled_at IS NOT NULL)
    ),
    -- QUEUED after NotSent keeps the time since which it had been UNKNOWN.
    CONSTRAINT operations_unresolved_since CHECK (
        (state NOT IN ('UNKNOWN', 'PENDING', 'REQUIRES_ACTION') OR unresolved_since IS NOT NULL)
        AND (state NOT IN ('CREATED', 'AUTHORIZED', 'SUCCEEDED', 'DECLINED', 'CANCELED', 'VOIDED') OR unresolved_since IS NULL)
    ),
    -- Nothing unresolved is ever out of the workers' sight.
    CONSTRAINT operations_next_check_at CHECK (
        state NOT IN ('QUEUED', 'SUBMITTING', 'UNKNOWN', 'PENDING', 'REQUIRES_ACTION') OR next_check_at IS NOT NULL
    ),
    -- `attempts_left` counts attempts that may have left; the open one is
    -- not among them. QUEUED says that provably nothing left (P5).
    CONSTRAINT operations_attempts CHECK (
        attempts_left >= 0 AND attempts_left <= attempts
        AND (open_attempt IS NULL OR attempts > attempts_left)
        AND (state <> 'CREATED' OR attempts = 0)
        AND (state NOT IN ('CREATED', 'QUEUED') OR (attempts_left = 0 AND open_attempt IS NULL))
        AND (state <> 'SUBMITTING' OR open_attempt IS NOT NULL)
    ),
    CONSTRAINT operations_decline CHECK (
        (decline_code IS NULL OR decline_category IS NOT NULL)
        AND (decline_category IS NULL OR state = 'DECLINED')
    ),
    CONSTRAINT operations_customer_action CHECK ((customer_action IS NOT NULL) = (state = 'REQUIRES_ACTION')),
    CONSTRAINT operations_review CHECK (
        (review_case IS NULL) = (review_reason IS NULL) AND (review_case IS NULL) = (review_opened_at IS NULL)
    ),
    CONSTRAINT operations_instruction CHECK (instruction IS NULL OR kind IN ('CHARGE', 'AUTHORIZE')),
    CONSTRAINT operations_reversed_at CHECK (
        reversed_at IS NULL OR (kind IN ('REFUND', 'VOID') AND state = 'SUCCEEDED')
    ),
    CONSTRAINT operations_lease CHECK (
        lease_epoch >= 0
        AND (lease_owner IS NULL) = (lease_until IS NULL)
        AND (lease_owner IS NULL OR lease_epoch >= 1)
    )
){strict};

-- P1: one payment of a generation, and one generation that is not over.
CREATE UNIQUE INDEX operations_payment ON operations (tenant, order_id, purpose, generation)
    WHERE kind IN ('CHARGE', 'AUTHORIZE');
CREATE UNIQUE INDEX operations_live_generation ON operations (tenant, order_id, purpose)
    WHERE kind IN ('CHARGE', 'AUTHORIZE') AND state NOT IN ('DECLINED', 'CANCELED');
-- P1: one unresolved payment of an order. Rows that evidence took out of
-- CREATED were never handed over and do not count: the guarded commit looks
-- at them, and their evidence is not refused (P9).
CREATE UNIQUE INDEX operations_unresolved_payment ON operations (tenant, order_id)
    WHERE kind IN ('CHARGE', 'AUTHORIZE') AND exclusive AND submitted_at IS NOT NULL
    AND state IN ('QUEUED', 'SUBMITTING', 'UNKNOWN', 'PENDING', 'REQUIRES_ACTION');
-- P1, P6: one compensation of a label, void or refund; one unresolved.
CREATE UNIQUE INDEX operations_compensation ON operations (tenant, parent, label)
    WHERE kind IN ('REFUND', 'VOID');
CREATE UNIQUE INDEX operations_unresolved_compensation ON operations (tenant, parent)
    WHERE kind IN ('REFUND', 'VOID') AND state IN ('QUEUED', 'SUBMITTING', 'UNKNOWN');
-- P1: one capture of a generation; one thing at a time done to a hold.
CREATE UNIQUE INDEX operations_capture ON operations (tenant, parent, purpose, generation)
    WHERE kind = 'CAPTURE';
CREATE UNIQUE INDEX operations_unresolved_on_hold ON operations (tenant, parent)
    WHERE kind IN ('CAPTURE', 'VOID') AND submitted_at IS NOT NULL
    AND state IN ('QUEUED', 'SUBMITTING', 'UNKNOWN', 'PENDING', 'REQUIRES_ACTION');
CREATE UNIQUE INDEX operations_successor ON operations (tenant, supersedes)
    WHERE supersedes IS NOT NULL;
-- P2: one key, one operation.
CREATE UNIQUE INDEX operations_provider_key_once ON operations (tenant, provider, provider_key);
-- Due work. Finished rows are not in it, so that a claim costs the same
-- whatever their number.
CREATE INDEX operations_due ON operations (next_check_at, id) WHERE next_check_at IS NOT NULL;
CREATE INDEX operations_newest ON operations (tenant, created_at, id);
CREATE INDEX operations_order ON operations (tenant, order_id, created_at);
