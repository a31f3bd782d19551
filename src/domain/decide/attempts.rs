//! How attempts end.

use super::draft::Draft;
use super::{Hint, evidence};
use crate::domain::attempt::AttemptResult;
use crate::domain::evidence::Evidence;
use crate::domain::fact::Fact;
use crate::domain::ids::AttemptId;
use crate::domain::refusal::Refusal;
use crate::domain::schedule;
use crate::domain::state::State;

/// No request byte left. If that holds for every attempt, the operation
/// queues again (or, where a compensation waits, is canceled: it is proven
/// that nothing happened). It is never a decline.
pub(super) fn not_sent(draft: &mut Draft<'_>, attempt: AttemptId) -> Result<(), Refusal> {
    close(draft, attempt, AttemptResult::NotSent)?;
    match draft.state() {
        State::Submitting | State::Unknown if may_exist(draft) => {
            draft.move_to(State::Unknown);
            draft.schedule_look();
        }
        State::Submitting | State::Unknown if draft.operation().instruction.is_some() => {
            draft.put(Fact::InstructionEnded);
            draft.move_to(State::Canceled);
            super::refund::settle_parent(draft);
        }
        State::Submitting | State::Unknown => {
            draft.move_to(State::Queued);
            let context = draft.context;
            let operation = draft.operation();
            let at = schedule::next_send(operation, context.policy, context.now, context.jitter);
            draft.put(Fact::CheckScheduled { at: Some(at) });
        }
        State::Created
        | State::Queued
        | State::Pending
        | State::RequiresAction
        | State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => {}
    }
    Ok(())
}

/// Another attempt may have left, or a payment was seen by another road.
fn may_exist(draft: &Draft<'_>) -> bool {
    let progress = &draft.operation().progress;
    progress.may_have_left() || progress.sign_seen || !draft.record().effects.is_empty()
}

/// It may have been executed: UNKNOWN, whatever else was hoped for (P5).
pub(super) fn ambiguous(
    draft: &mut Draft<'_>,
    attempt: AttemptId,
    hint: Hint,
) -> Result<(), Refusal> {
    close(draft, attempt, AttemptResult::Ambiguous)?;
    note_hint(draft, hint);
    to_unknown(draft);
    Ok(())
}

/// The provider answered. An answer that shows nothing of ours and is no
/// refusal that counts leaves everything as unknown as before.
///
/// The refusal of an attempt says nothing while another one is open, nor
/// where no attempt is known that may have left.
pub(super) fn answered(draft: &mut Draft<'_>, attempt: AttemptId, evidence: &Evidence) {
    let open = draft.operation().progress.open;
    let mut evidence = evidence.clone();
    if open.is_some_and(|open| open.id != attempt) {
        evidence.refused = None;
    }
    let evidence = &evidence;
    let counts = evidence::shows_ours(draft, evidence) || evidence::refusal_counts(draft, evidence);
    if open.is_some_and(|open| open.id == attempt) {
        let result = if counts {
            AttemptResult::Answered
        } else {
            AttemptResult::Ambiguous
        };
        draft.put(Fact::AttemptClosed { attempt, result });
    }
    evidence::weigh(draft, evidence);
    let still_waits = match draft.state() {
        State::Submitting => true,
        State::Unknown => open.is_some(),
        State::Created
        | State::Queued
        | State::Pending
        | State::RequiresAction
        | State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => false,
    };
    if still_waits {
        to_unknown(draft);
    }
}

/// The owner of an open attempt is gone. Whether it died before or after the
/// send cannot be seen here: look at the provider.
pub(super) fn lease_lapsed(draft: &mut Draft<'_>) {
    let Some(open) = draft.operation().progress.open else {
        return;
    };
    draft.put(Fact::AttemptClosed {
        attempt: open.id,
        result: AttemptResult::Lost,
    });
    match draft.state() {
        State::Submitting | State::Unknown => {
            draft.move_to(State::Unknown);
            draft.schedule_now();
        }
        State::Created
        | State::Queued
        | State::Pending
        | State::RequiresAction
        | State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => {}
    }
}

fn note_hint(draft: &mut Draft<'_>, hint: Hint) {
    if hint.sign && !draft.operation().progress.sign_seen {
        draft.put(Fact::SignSeen);
    }
    if hint.replayed_failure && !draft.operation().progress.resends_ended {
        draft.put(Fact::ResendsEnded);
    }
    if let Some(wait) = hint.retry_after {
        let at = draft.now() + wait;
        draft.put(Fact::RetryNotBefore { at });
    }
}

fn to_unknown(draft: &mut Draft<'_>) {
    match draft.state() {
        State::Submitting | State::Unknown => {
            draft.move_to(State::Unknown);
            draft.schedule_look();
        }
        State::Created
        | State::Queued
        | State::Pending
        | State::RequiresAction
        | State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => {}
    }
}

/// Only the open attempt can end; an older one was closed when its owner lost
/// the lease.
fn close(draft: &mut Draft<'_>, attempt: AttemptId, result: AttemptResult) -> Result<(), Refusal> {
    match draft.operation().progress.open {
        Some(open) if open.id == attempt => {
            draft.put(Fact::AttemptClosed { attempt, result });
            Ok(())
        }
        Some(_) | None => Err(Refusal::NoPlace(draft.state())),
    }
}
