//! What evidence makes of a compensation, and what that makes of its parent.

use super::draft::Draft;
use super::evidence::{decline_for, mismatch, to_waiting, withdraw};
use crate::domain::evidence::{Evidence, Shown, Sighting};
use crate::domain::fact::Fact;
use crate::domain::ids::{EffectId, OperationId};
use crate::domain::operation::ReviewReason;
use crate::domain::state::State;

/// Takes in what the provider shows of our refund or void.
pub(super) fn weigh(draft: &mut Draft<'_>, evidence: &Evidence, ours: &[&Sighting]) {
    for sighting in ours {
        match &sighting.shown {
            Shown::Done => confirm(draft, evidence, sighting),
            Shown::Processing | Shown::ActionRequired(_) | Shown::Held => {
                to_waiting(draft, State::Pending);
            }
            Shown::Failed(_) if draft.state() == State::Succeeded => reverse(draft),
            Shown::Failed(why) => {
                let before = draft.state();
                decline_for(draft, why);
                if before != State::Declined && draft.state() == State::Declined {
                    draft.ask_person(ReviewReason::RefundDeclined);
                }
            }
            Shown::Withdrawn => withdraw(draft),
        }
    }
}

fn confirm(draft: &mut Draft<'_>, evidence: &Evidence, sighting: &Sighting) {
    if let Some(reason) = mismatch(draft, evidence, sighting) {
        draft.ask_person(reason);
        return;
    }
    match draft.state() {
        State::Created
        | State::Queued
        | State::Submitting
        | State::Unknown
        | State::Pending
        | State::RequiresAction => {
            draft.answer_waiting_review();
            draft.move_to(State::Succeeded);
            settle_parent(draft);
        }
        State::Succeeded => {}
        // The money went back although we had proof that it did not.
        State::Authorized | State::Declined | State::Canceled | State::Voided => {
            draft.ask_person(ReviewReason::Contradiction);
        }
    }
}

/// A refund that had succeeded came back: its amount is free again, once.
fn reverse(draft: &mut Draft<'_>) {
    if draft.operation().reversed_at.is_some() {
        return;
    }
    draft.put(Fact::Reversed);
    draft.ask_person(ReviewReason::RefundReversed);
    if let Some((effect, amount, by)) = reservation(draft) {
        draft.put_on_parent(Fact::RefundReversed { effect, amount, by });
    }
}

/// Tells the parent how its compensation ended: what was reserved is given
/// back for good, or free again.
pub(super) fn settle_parent(draft: &mut Draft<'_>) {
    let Some((effect, amount, by)) = reservation(draft) else {
        return;
    };
    match draft.state() {
        State::Succeeded => draft.put_on_parent(Fact::RefundConfirmed { effect, amount, by }),
        State::Declined | State::Canceled => {
            draft.put_on_parent(Fact::RefundReleased { effect, amount, by });
        }
        State::Created
        | State::Queued
        | State::Submitting
        | State::Unknown
        | State::Pending
        | State::RequiresAction
        | State::Authorized
        | State::Voided => {}
    }
}

/// The effect of the parent that a compensation is about, and its amount.
fn reservation(draft: &Draft<'_>) -> Option<(EffectId, i64, OperationId)> {
    let operation = draft.operation();
    if !operation.intent.kind.is_compensation() {
        return None;
    }
    let parent = draft.subject().parent.as_ref()?;
    let effect = parent.effect(operation.intent.target.as_ref())?;
    Some((effect.id, operation.intent.amount.minor_units, operation.id))
}
