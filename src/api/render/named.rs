//! Closed lists.

use crate::domain::effect::Role;
use crate::domain::evidence::{CustomerActionKind, DeclineCategory};
use crate::domain::kind::Kind;
use crate::domain::operation::ReviewReason;
use crate::domain::outcome::{Fulfilment, Outcome, SafeNextAction};
use crate::domain::request::CompensationReason;
use crate::domain::state::State;
use crate::proto::v1;

/// One arm for each value, so that a new one cannot be forgotten.
macro_rules! same_names {
    ($(#[$doc:meta])* $function:ident, $ours:ident, $wire:ident, $($name:ident)*) => {
        $(#[$doc])*
        pub(super) fn $function(value: $ours) -> v1::$wire {
            match value {
                $($ours::$name => v1::$wire::$name,)*
            }
        }
    };
}

same_names!(
    /// What an operation does.
    kind, Kind, OperationKind, Charge Authorize Capture Refund Void
);
same_names!(
    /// Where it is.
    state, State, OperationState,
    Created Queued Submitting Unknown Pending RequiresAction Authorized Succeeded Declined Canceled
    Voided
);
same_names!(
    /// What is known.
    outcome, Outcome, Outcome,
    NotSubmitted Pending RequiresCustomerAction Authorized Succeeded Declined Canceled
    RefundPending PartiallyRefunded Refunded
);
same_names!(
    /// What may be done next.
    safe_next_action, SafeNextAction, SafeNextAction,
    None Submit Poll CompleteCustomerAction CaptureOrVoid FulfilOnce OfferAnotherMethod DoNotFulfil
    WaitForPerson
);
same_names!(
    /// Whether the goods may go out.
    fulfilment, Fulfilment, Fulfilment, Forbidden Hold Allowed
);
same_names!(
    /// What a payment at a provider is to its operation.
    role, Role, EffectRole, Primary Duplicate Late
);
same_names!(
    /// Why it was declined.
    decline_category, DeclineCategory, DeclineCategory,
    InsufficientFunds CardDeclined ExpiredMethod InvalidMethod FraudSuspected LimitExceeded
    AuthenticationFailed NotSupported Other
);
same_names!(
    /// What the payer must do.
    customer_action_kind, CustomerActionKind, CustomerActionKind, Redirect Other
);
same_names!(
    /// Why a person should look.
    review_reason, ReviewReason, ReviewReason,
    ObservationWindowOver AmountMismatch CurrencyMismatch AccountMismatch Contradiction
    DuplicateEffect RefundDeclined RefundReversed ReferenceOnlyMatch InstructionExceedsEffect
    CustomerActionExpired
);
same_names!(
    /// Why money is given back.
    compensation_reason, CompensationReason, CompensationReason,
    RequestedByCustomer Duplicate Fraudulent OrderCanceled ServiceNotDelivered Other
);
