//! What asking the provider, or not being able to ask, brings.

use super::draft::Draft;
use super::submit::{may_resend_now, may_send_now};
use super::{evidence, refund};
use crate::domain::evidence::LookUp;
use crate::domain::fact::{Fact, Verdict};
use crate::domain::operation::ReviewReason;
use crate::domain::profile::ABSENCE_ANSWERS;
use crate::domain::state::State;
use crate::domain::time::Instant;

/// The provider was asked.
pub(super) fn looked_up(draft: &mut Draft<'_>, look_up: &LookUp) {
    enter_recovery(draft);
    match look_up {
        LookUp::Found(found) if evidence::names_us(draft, found) => {
            draft.put(Fact::LookedUp {
                verdict: Verdict::Found,
            });
            evidence::weigh(draft, found);
        }
        // Payments of other operations of the same order are not ours.
        LookUp::Found(_) | LookUp::NotFound => not_found(draft),
        LookUp::NoVerdict => draft.put(Fact::LookedUp {
            verdict: Verdict::None,
        }),
    }
    escalate(draft);
    look_again(draft);
}

/// The first look-up of a recovery: what earlier ones showed counts no more.
fn enter_recovery(draft: &mut Draft<'_>) {
    let entered = draft.operation().progress.recovery_epoch;
    let standing = draft.context.recovery.map(|recovery| recovery.epoch);
    if let Some(epoch) = standing.filter(|epoch| *epoch > entered) {
        draft.put(Fact::RecoveryEntered { epoch });
    }
}

/// A check was due and the provider cannot be asked.
pub(super) fn overdue(draft: &mut Draft<'_>) {
    escalate(draft);
    look_later(draft);
}

/// P8: "not found" weighs nothing before the last byte could have taken
/// effect and become visible, nor after any sign of the payment; then it
/// takes several answers, V apart.
fn not_found(draft: &mut Draft<'_>) {
    let counts = absence_counts(draft);
    let verdict = if counts {
        Verdict::Absent
    } else {
        Verdict::NotFound
    };
    draft.put(Fact::LookedUp { verdict });
    if !counts || draft.operation().progress.absences < ABSENCE_ANSWERS {
        return;
    }
    if draft.state() == State::Queued {
        // Proven never to have been sent: now it may be.
        draft.answer_waiting_review();
    } else if draft.context.recovery.is_none_or(|it| it.confirmed) {
        if draft.operation().instruction.is_some() {
            draft.put(Fact::InstructionEnded);
        }
        draft.answer_waiting_review();
        draft.move_to(State::Canceled);
        refund::settle_parent(draft);
    }
}

fn absence_counts(draft: &Draft<'_>) -> bool {
    let (operation, policy, now) = (draft.operation(), draft.context.policy, draft.now());
    let progress = &operation.progress;
    let untouched = progress.open.is_none() && !progress.sign_seen;
    let nothing_known = operation.provider_payment_id.is_none()
        && draft.record().effects.is_empty()
        && !operation.is_disputed();
    // A row that was lost may have been sent until its loss was noticed.
    let noticed = draft.context.recovery.map(|recovery| recovery.since);
    let last = progress.last_not_after.max(noticed);
    let from = last.and_then(|last| policy.absence_from(last));
    let apart = progress
        .last_absence_at
        .zip(policy.profile.visibility_lag)
        .is_none_or(|(last, lag)| now >= last + lag);
    let absentable = match operation.state {
        State::Unknown => true,
        State::Queued => noticed.is_some(),
        State::Created
        | State::Submitting
        | State::Pending
        | State::RequiresAction
        | State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => false,
    };
    absentable && untouched && nothing_known && from.is_some_and(|from| now >= from) && apart
}

/// Time alone turns an unresolved operation into nothing but a question for a
/// person.
fn escalate(draft: &mut Draft<'_>) {
    let (operation, policy) = (draft.operation(), draft.context.policy);
    let waiting_since = if operation.state == State::Queued {
        held_back_since(draft)
    } else {
        operation.unresolved_since
    };
    let waited = waiting_since.map(|since| draft.now().since(since));
    let (limit, reason) = match operation.state {
        State::Unknown | State::Queued => (
            policy.timings.observation_window,
            ReviewReason::ObservationWindowOver,
        ),
        State::Pending => (
            policy.profile.processing_horizon,
            ReviewReason::ObservationWindowOver,
        ),
        State::RequiresAction => {
            let action = operation.customer_action.as_ref();
            let horizon = policy.profile.processing_horizon;
            let limit = match action.and_then(|action| action.expires_at) {
                Some(expires) => Some(expires),
                None => operation.unresolved_since.map(|since| since + horizon),
            };
            if limit.is_some_and(|at| draft.now() >= at) {
                draft.ask_person(ReviewReason::CustomerActionExpired);
            }
            return;
        }
        State::Created
        | State::Submitting
        | State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => return,
    };
    if waited.is_some_and(|waited| waited >= limit) {
        draft.ask_person(reason);
    }
}

/// Since when a confirmed recovery keeps an operation from being sent.
fn held_back_since(draft: &Draft<'_>) -> Option<Instant> {
    let recovery = draft.context.recovery.filter(|it| it.confirmed)?;
    if may_send_now(draft) {
        return None;
    }
    draft.operation().submitted_at.max(Some(recovery.since))
}

/// A send follows the look-up that allows it at once.
fn look_again(draft: &mut Draft<'_>) {
    let waits_only_for_this =
        draft.operation().review.is_none() && draft.context.recovery.is_some();
    let goes_out = match draft.state() {
        State::Unknown => may_resend_now(draft),
        State::Queued => waits_only_for_this && may_send_now(draft),
        State::Created
        | State::Submitting
        | State::Pending
        | State::RequiresAction
        | State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => false,
    };
    if goes_out {
        draft.schedule_now();
    } else {
        look_later(draft);
    }
}

fn look_later(draft: &mut Draft<'_>) {
    match draft.state() {
        State::Unknown | State::Pending | State::RequiresAction => draft.schedule_look(),
        // Due, and yet only looked at: it must not be sent now.
        State::Queued if is_due(draft) => draft.schedule_look(),
        State::Created
        | State::Queued
        | State::Submitting
        | State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => {}
    }
}

fn is_due(draft: &Draft<'_>) -> bool {
    let due = draft.operation().next_check_at;
    due.is_none_or(|at| at <= draft.now())
}
