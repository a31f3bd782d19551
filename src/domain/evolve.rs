//! Writes facts into a record. The live row and the replayed one go through
//! the same function, so they cannot differ (P15).

use super::attempt::AttemptResult;
use super::effect::Effect;
use super::fact::{Fact, Verdict};
use super::ids::{EffectId, OperationId};
use super::operation::{Intent, Lease, OpenAttempt, Operation, Progress, Record, Review};
use super::state::State;
use super::time::Instant;

/// A ledger that cannot be replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreplayable {
    /// The first fact is not `Created`, or a later one is.
    #[error("an operation is recorded by its first fact and by no other")]
    OutOfOrder,
    /// A fact speaks of an effect that was never recorded.
    #[error("a fact names an effect that was never recorded")]
    NoSuchEffect,
    /// A sum left its bounds.
    #[error("a sum of an effect would leave its bounds")]
    SumOutOfBounds,
}

/// Applies the facts of one ledger row to the record before it (`None` for
/// the first row) and sets its version.
pub fn evolve(
    id: OperationId,
    before: Option<Record>,
    version: i64,
    at: Instant,
    facts: &[Fact],
) -> Result<Record, Unreplayable> {
    let (mut record, rest) = match (before, facts) {
        (None, [Fact::Created { intent }, rest @ ..]) => (recorded(id, intent, at), rest),
        (Some(record), facts) => (record, facts),
        (None, _) => return Err(Unreplayable::OutOfOrder),
    };
    for fact in rest {
        apply(&mut record, fact, at)?;
    }
    record.operation.version = version;
    Ok(record)
}

fn recorded(id: OperationId, intent: &Intent, at: Instant) -> Record {
    let operation = Operation {
        id,
        version: 1,
        intent: intent.clone(),
        state: State::Created,
        progress: Progress::default(),
        provider_payment_id: None,
        decline: None,
        customer_action: None,
        review: None,
        instruction: None,
        fulfilment_forbidden: false,
        superseded_by: None,
        next_check_at: None,
        created_at: at,
        submitted_at: None,
        unresolved_since: None,
        settled_at: None,
        reversed_at: None,
        as_of: at,
        ledger_head: [0; 32],
        lease: Lease::default(),
    };
    Record {
        operation,
        effects: Vec::new(),
    }
}

pub(super) fn apply(record: &mut Record, fact: &Fact, at: Instant) -> Result<(), Unreplayable> {
    let operation = &mut record.operation;
    let progress = &mut operation.progress;
    match fact {
        Fact::Created { .. } => return Err(Unreplayable::OutOfOrder),
        Fact::Submitted => {
            operation.submitted_at = Some(at);
            operation.state = State::Queued;
            operation.next_check_at = Some(at);
        }
        Fact::AttemptOpened {
            attempt,
            number,
            not_after,
            resend,
            ..
        } => {
            progress.attempts = *number;
            progress.resends += i32::from(*resend);
            progress.open = Some(OpenAttempt {
                id: *attempt,
                opened_at: at,
                not_after: *not_after,
            });
            forget_look_ups(progress);
        }
        Fact::AttemptClosed { result, .. } => attempt_closed(progress, *result, at),
        Fact::Moved { to } => moved(operation, *to, at),
        Fact::LookedUp { verdict } => looked_up(operation, *verdict, at),
        Fact::RecoveryEntered { epoch } => {
            progress.recovery_epoch = *epoch;
            forget_look_ups(progress);
        }
        Fact::EvidenceSeen { .. } => operation.as_of = at,
        Fact::SignSeen => progress.sign_seen = true,
        Fact::ResendsEnded => progress.resends_ended = true,
        Fact::RetryNotBefore { at } => progress.retry_not_before = Some(*at),
        Fact::ProviderPaymentNamed {
            provider_payment_id,
        } => operation.provider_payment_id = Some(provider_payment_id.clone()),
        Fact::EffectRecorded { effect } => record.effects.push((**effect).clone()),
        Fact::EffectReturned { effect, returned } => {
            effect_mut(record, *effect)?.returned = *returned
        }
        Fact::RefundReserved { effect, amount, .. } => {
            add(&mut effect_mut(record, *effect)?.refund_pending, *amount)?;
        }
        Fact::RefundReleased { effect, amount, .. } => {
            add(&mut effect_mut(record, *effect)?.refund_pending, -amount)?;
        }
        Fact::RefundConfirmed { effect, amount, .. } => {
            let effect = effect_mut(record, *effect)?;
            add(&mut effect.refund_pending, -amount)?;
            add(&mut effect.refunded, *amount)?;
        }
        Fact::RefundReversed { effect, amount, .. } => {
            add(&mut effect_mut(record, *effect)?.refunded, -amount)?;
        }
        Fact::Reversed => operation.reversed_at = Some(at),
        Fact::DeclineExplained { decline } => operation.decline = Some(decline.clone()),
        Fact::CustomerActionAsked { action } => operation.customer_action = Some(action.clone()),
        Fact::ReviewOpened { case_id, reason } => {
            operation.review = Some(Review {
                case_id: *case_id,
                reason: *reason,
                opened_at: at,
            });
        }
        Fact::ReviewClosed { .. } => operation.review = None,
        Fact::InstructionAccepted { instruction } => {
            operation.instruction = Some((**instruction).clone());
        }
        Fact::InstructionEnded => operation.instruction = None,
        Fact::FulfilmentForbidden => operation.fulfilment_forbidden = true,
        Fact::SupersededBy { by } => operation.superseded_by = Some(*by),
        Fact::CheckScheduled { at } => operation.next_check_at = *at,
    }
    Ok(())
}

fn forget_look_ups(progress: &mut Progress) {
    progress.look_ups = 0;
    (progress.absences, progress.last_absence_at) = (0, None);
    progress.last_not_found_at = None;
}

/// An attempt that never left leaves no trace in what the rules count from.
/// Its owner ended it, so nothing of it is written later than now; of a lost
/// one only its own bound is known.
fn attempt_closed(progress: &mut Progress, result: AttemptResult, at: Instant) {
    let Some(open) = progress.open.take() else {
        return;
    };
    let written_by = match result {
        AttemptResult::NotSent => return,
        AttemptResult::Ambiguous | AttemptResult::Answered => open.not_after.min(at),
        AttemptResult::Lost => open.not_after,
    };
    progress.left += 1;
    progress.first_sent_at.get_or_insert(open.opened_at);
    progress.last_not_after = progress.last_not_after.max(Some(written_by));
}

fn moved(operation: &mut Operation, to: State, at: Instant) {
    operation.state = to;
    match to {
        State::Unknown | State::Pending | State::RequiresAction => {
            operation.unresolved_since.get_or_insert(at);
            operation.settled_at = None;
        }
        State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => {
            operation.unresolved_since = None;
            operation.settled_at = Some(at);
            operation.next_check_at = None;
        }
        State::Created | State::Queued | State::Submitting => {}
    }
    if to != State::RequiresAction {
        operation.customer_action = None;
    }
}

fn looked_up(operation: &mut Operation, verdict: Verdict, at: Instant) {
    let progress = &mut operation.progress;
    progress.look_ups = progress.look_ups.saturating_add(1);
    match verdict {
        Verdict::Found | Verdict::None => {}
        Verdict::NotFound => progress.last_not_found_at = Some(at),
        Verdict::Absent => {
            progress.last_not_found_at = Some(at);
            progress.last_absence_at = Some(at);
            progress.absences += 1;
        }
    }
}

fn effect_mut(record: &mut Record, id: EffectId) -> Result<&mut Effect, Unreplayable> {
    let found = record.effects.iter_mut().find(|effect| effect.id == id);
    found.ok_or(Unreplayable::NoSuchEffect)
}

fn add(sum: &mut i64, amount: i64) -> Result<(), Unreplayable> {
    let total = sum.checked_add(amount).filter(|total| *total >= 0);
    *sum = total.ok_or(Unreplayable::SumOutOfBounds)?;
    Ok(())
}
