//! The catalogue of sentences for people. Fixed texts only: what a provider or
//! a payer wrote never comes near them (P16).

use crate::domain::kind::Kind;
use crate::domain::outcome::{Outcome, SafeNextAction};
use crate::engine::View;

/// What is known, and what to do or not to do.
pub(super) fn message(view: &View) -> &'static str {
    let operation = &view.record.operation;
    if view.answer.safe_next_action == SafeNextAction::WaitForPerson {
        return "A person has to look at this. Do not pay in another way, and do not fulfil on it.";
    }
    if operation.superseded_by.is_some() {
        return "Another operation has taken the place of this one. Ask that one instead.";
    }
    if operation.instruction.is_some() {
        return "The result is not known yet, and whatever was taken will be given back. Do not fulfil.";
    }
    match operation.intent.kind {
        Kind::Charge | Kind::Authorize => of_payment(view.answer.outcome),
        Kind::Capture => of_capture(view.answer.outcome),
        Kind::Refund | Kind::Void => of_compensation(view.answer.outcome),
    }
}

fn of_payment(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::NotSubmitted => "The payment is recorded, and nothing was sent. Submit it.",
        Outcome::Pending => {
            "Whether money moved is not known yet. Ask again; do not pay in another way, and do not fulfil."
        }
        Outcome::RequiresCustomerAction => {
            "The customer has to complete a step at the provider. Ask again after that."
        }
        Outcome::Authorized => "The money is held and not taken. Capture it or give it back.",
        Outcome::Succeeded => "The money was taken. Fulfil the order, once.",
        Outcome::Declined => {
            "The provider rejected the payment, and nothing was taken. Offer another payment method."
        }
        Outcome::Canceled => "Nothing was taken, and nothing will be.",
        Outcome::RefundPending => "The money is being given back. Ask again; do not fulfil.",
        Outcome::PartiallyRefunded => "Part of the money was given back.",
        Outcome::Refunded => "The money was given back. Do not fulfil.",
    }
}

fn of_capture(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::NotSubmitted => "The capture is recorded, and nothing was sent. Submit it.",
        Outcome::Pending | Outcome::RequiresCustomerAction | Outcome::RefundPending => {
            "Whether the held money was taken is not known yet. Ask again."
        }
        Outcome::Succeeded | Outcome::Authorized => {
            "The held money was taken. Whether to fulfil stands on the authorization."
        }
        Outcome::Declined => "The provider rejected the capture, and nothing was taken by it.",
        Outcome::Canceled => "Nothing was taken by this capture, and nothing will be.",
        Outcome::PartiallyRefunded | Outcome::Refunded => {
            "The captured money was given back. Whether to fulfil stands on the authorization."
        }
    }
}

fn of_compensation(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::NotSubmitted => "Giving back is recorded, and nothing was sent. Submit it.",
        Outcome::Pending | Outcome::RequiresCustomerAction | Outcome::RefundPending => {
            "Whether the money went back is not known yet. Ask again; do not give it back in another way."
        }
        Outcome::Succeeded
        | Outcome::Authorized
        | Outcome::PartiallyRefunded
        | Outcome::Refunded => "The money went back.",
        Outcome::Declined => "The provider rejected giving the money back.",
        Outcome::Canceled => "Nothing went back by this, and nothing will.",
    }
}
