//! What evidence makes of a compensation, and what that makes of its parent.

use super::draft::Draft;
use super::evidence::{decline_for, to_waiting, withdraw};
use super::money::mismatch;
use crate::domain::evidence::{Decline, Evidence, Shown, Sighting};
use crate::domain::fact::Fact;
use crate::domain::ids::{EffectId, OperationId};
use crate::domain::operation::ReviewReason;
use crate::domain::state::State;

/// Takes in what the provider shows of our refund or void. Of several, one
/// that is done weighs most, then one that may still be done: only when none
/// of them can give anything back is the compensation refused.
pub(super) fn weigh(draft: &mut Draft<'_>, evidence: &Evidence, ours: &[&Sighting]) {
    if let Some((first, others)) = done(draft, ours).split_first() {
        confirm(draft, evidence, first);
        if !others.is_empty() {
            draft.ask_person(ReviewReason::DuplicateEffect);
        }
    } else if ours.iter().any(|sighting| can_still_give_back(sighting)) {
        to_waiting(draft, State::Pending);
    } else if let Some(why) = ours.iter().find_map(|sighting| failure(sighting)) {
        fail(draft, ours, why);
    } else {
        withdraw(draft);
    }
}

/// What has been given back, the one we know by its id first.
fn done<'s>(draft: &Draft<'_>, ours: &[&'s Sighting]) -> Vec<&'s Sighting> {
    let mut done: Vec<&Sighting> = ours.to_vec();
    done.retain(|sighting| sighting.shown == Shown::Done);
    done.sort_by_key(|sighting| !is_named(draft, sighting));
    done
}

fn is_named(draft: &Draft<'_>, sighting: &Sighting) -> bool {
    draft.operation().provider_payment_id.as_ref() == Some(&sighting.id)
}

fn can_still_give_back(sighting: &Sighting) -> bool {
    match sighting.shown {
        Shown::Processing | Shown::ActionRequired(_) | Shown::Held => true,
        Shown::Done | Shown::Failed(_) | Shown::Withdrawn => false,
    }
}

fn failure(sighting: &Sighting) -> Option<&Decline> {
    match &sighting.shown {
        Shown::Failed(why) => Some(why),
        Shown::Done
        | Shown::Held
        | Shown::Processing
        | Shown::ActionRequired(_)
        | Shown::Withdrawn => None,
    }
}

/// The refund failed. Of one that had succeeded that is a reversal, unless it
/// speaks of another refund than the one that we know.
fn fail(draft: &mut Draft<'_>, ours: &[&Sighting], why: &Decline) {
    if draft.state() != State::Succeeded {
        decline_for(draft, why);
    } else if ours.iter().any(|sighting| is_named(draft, sighting)) {
        reverse(draft);
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
        // A second refund for one compensation.
        State::Succeeded if !is_named(draft, sighting) => {
            draft.ask_person(ReviewReason::DuplicateEffect);
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
