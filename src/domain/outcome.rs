//! What callers act on: outcome, safe next action and fulfilment, computed
//! from the record. Nothing of this is stored.

use super::effect::Effect;
use super::kind::Kind;
use super::operation::{Operation, Record};
use super::state::State;

/// What is known about the money.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// Recorded, nothing sent.
    NotSubmitted,
    /// Submission or provider result unresolved.
    Pending,
    /// The payment needs a customer step.
    RequiresCustomerAction,
    /// Funds held, not captured.
    Authorized,
    /// Provider confirmed, amounts match.
    Succeeded,
    /// Provider definitively rejected it.
    Declined,
    /// Proven that nothing happened.
    Canceled,
    /// A compensation of the primary effect is under way.
    RefundPending,
    /// Part given back.
    PartiallyRefunded,
    /// Compensation completed.
    Refunded,
}

/// What a caller may safely do next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SafeNextAction {
    /// Nothing.
    None,
    /// Hand it over.
    Submit,
    /// Ask again later.
    Poll,
    /// Send the payer on.
    CompleteCustomerAction,
    /// Capture or void.
    CaptureOrVoid,
    /// Deliver, once.
    FulfilOnce,
    /// Ask for another means of payment.
    OfferAnotherMethod,
    /// Do not deliver.
    DoNotFulfil,
    /// A person is looking.
    WaitForPerson,
}

/// Whether the order may be fulfilled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fulfilment {
    /// No.
    Forbidden,
    /// Not yet.
    Hold,
    /// Yes, once.
    Allowed,
}

/// What an operation means to its caller.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Answer {
    /// What is known about the money.
    pub outcome: Outcome,
    /// What a caller may safely do next.
    pub safe_next_action: SafeNextAction,
    /// Whether the order may be fulfilled.
    pub fulfilment: Fulfilment,
    /// No further change is under way.
    pub is_final: bool,
}

/// Reads a record.
pub fn answer(record: &Record) -> Answer {
    let operation = &record.operation;
    let outcome = outcome(record);
    let (action, fulfilment) = match operation.intent.kind {
        Kind::Charge | Kind::Authorize => for_payment(record, outcome),
        Kind::Capture | Kind::Refund | Kind::Void => for_step(operation, outcome),
    };
    let under_way = outcome == Outcome::RefundPending
        || operation.review.is_some()
        || record.money_stands_after_all();
    Answer {
        outcome,
        safe_next_action: action,
        fulfilment,
        is_final: operation.state.is_final() && !under_way,
    }
}

fn outcome(record: &Record) -> Outcome {
    if record.operation.instruction.is_some() {
        return Outcome::Pending;
    }
    match record.operation.state {
        State::Created => Outcome::NotSubmitted,
        State::Queued | State::Submitting | State::Unknown | State::Pending => Outcome::Pending,
        State::RequiresAction => Outcome::RequiresCustomerAction,
        State::Authorized => Outcome::Authorized,
        State::Succeeded => record.primary().map_or(Outcome::Succeeded, given_back),
        State::Declined => Outcome::Declined,
        State::Canceled => Outcome::Canceled,
        State::Voided => Outcome::Refunded,
    }
}

/// In the order of precedence: under way, part, whole.
fn given_back(effect: &Effect) -> Outcome {
    let back = [effect.refunded, effect.returned, effect.charged_back];
    let back = back.into_iter().fold(0, i64::saturating_add);
    if effect.refund_pending > 0 {
        Outcome::RefundPending
    } else if back > 0 && back >= effect.captured {
        Outcome::Refunded
    } else if back > 0 {
        Outcome::PartiallyRefunded
    } else {
        Outcome::Succeeded
    }
}

fn for_payment(record: &Record, outcome: Outcome) -> (SafeNextAction, Fulfilment) {
    let operation = &record.operation;
    let (action, fulfilment) = table(outcome);
    if operation.is_disputed() || record.money_stands_after_all() {
        return (SafeNextAction::WaitForPerson, Fulfilment::Forbidden);
    }
    let fulfilment = if operation.instruction.is_some() || operation.fulfilment_forbidden {
        Fulfilment::Forbidden
    } else {
        fulfilment
    };
    let action = if operation.superseded_by.is_some() {
        SafeNextAction::None
    } else if operation.review.is_some() {
        SafeNextAction::WaitForPerson
    } else if outcome == Outcome::Succeeded && operation.fulfilment_forbidden {
        // The refund was refused: a person decides what happens now.
        SafeNextAction::WaitForPerson
    } else {
        action
    };
    (action, fulfilment)
}

/// DESIGN "the wire contract": one row for each outcome.
fn table(outcome: Outcome) -> (SafeNextAction, Fulfilment) {
    use Fulfilment::{Allowed, Forbidden, Hold};
    match outcome {
        Outcome::NotSubmitted => (SafeNextAction::Submit, Forbidden),
        Outcome::Pending => (SafeNextAction::Poll, Hold),
        Outcome::RequiresCustomerAction => (SafeNextAction::CompleteCustomerAction, Hold),
        Outcome::Authorized => (SafeNextAction::CaptureOrVoid, Hold),
        Outcome::Succeeded => (SafeNextAction::FulfilOnce, Allowed),
        Outcome::Declined => (SafeNextAction::OfferAnotherMethod, Forbidden),
        Outcome::Canceled => (SafeNextAction::None, Forbidden),
        Outcome::RefundPending => (SafeNextAction::Poll, Forbidden),
        Outcome::PartiallyRefunded => (SafeNextAction::None, Hold),
        Outcome::Refunded => (SafeNextAction::DoNotFulfil, Forbidden),
    }
}

/// Captures, refunds and voids: nothing is ever fulfilled on their word. That
/// they succeeded needs nothing more; that a refund was refused or came back
/// needs a person.
fn for_step(operation: &Operation, outcome: Outcome) -> (SafeNextAction, Fulfilment) {
    let refused = operation.state == State::Declined || operation.reversed_at.is_some();
    let action = if refused || operation.review.is_some() {
        SafeNextAction::WaitForPerson
    } else {
        match outcome {
            Outcome::NotSubmitted => SafeNextAction::Submit,
            Outcome::Pending => SafeNextAction::Poll,
            Outcome::RequiresCustomerAction
            | Outcome::Authorized
            | Outcome::Succeeded
            | Outcome::Declined
            | Outcome::Canceled
            | Outcome::RefundPending
            | Outcome::PartiallyRefunded
            | Outcome::Refunded => SafeNextAction::None,
        }
    };
    (action, Fulfilment::Forbidden)
}
