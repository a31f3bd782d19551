-- One payment at a provider that belongs to an operation. Amounts in minor
-- units of `currency`.
CREATE TABLE effects (
    tenant              TEXT NOT NULL,
    id                  {uuid} NOT NULL,
    operation_id        {uuid} NOT NULL,
    -- Its place among the effects of the operation, from 1.
    number              INTEGER NOT NULL,
    account             TEXT NOT NULL,
    provider_payment_id TEXT NOT NULL,
    role                TEXT NOT NULL,
    currency            TEXT NOT NULL,
    authorized          {big} NOT NULL,
    captured            {big} NOT NULL,
    refunded            {big} NOT NULL,
    refund_pending      {big} NOT NULL,
    charged_back        {big} NOT NULL,
    returned            {big} NOT NULL,
    confirmed_at        {big} NOT NULL,
    CONSTRAINT effects_key PRIMARY KEY (tenant, id),
    CONSTRAINT effects_payment UNIQUE (tenant, operation_id, account, provider_payment_id),
    CONSTRAINT effects_number_once UNIQUE (tenant, operation_id, number),
    CONSTRAINT effects_operation FOREIGN KEY (tenant, operation_id) REFERENCES operations (tenant, id),
    CONSTRAINT effects_number CHECK (number >= 1),
    CONSTRAINT effects_role CHECK (role IN ('PRIMARY', 'DUPLICATE', 'LATE')),
    CONSTRAINT effects_provider_payment_id CHECK (length(provider_payment_id) BETWEEN 1 AND 255),
    CONSTRAINT effects_currency CHECK (length(currency) = 3),
    CONSTRAINT effects_sums CHECK (
        authorized >= 0 AND captured >= 0 AND refunded >= 0
        AND refund_pending >= 0 AND charged_back >= 0 AND returned >= 0
    ),
    -- P10. What we give back ourselves never exceeds what was captured.
    -- Chargebacks and returns made outside are facts: a payer's bank can take
    -- back what we have refunded already, and what a provider shows is never
    -- refused. They bound what `decide` lets us give back, not what can be.
    CONSTRAINT effects_given_back CHECK (refunded <= captured - refund_pending)
){strict};

CREATE UNIQUE INDEX effects_primary ON effects (tenant, operation_id) WHERE role = 'PRIMARY';
