//! Handing over, and opening attempts.

use super::draft::Draft;
use super::{Context, Opening};
use crate::domain::attempt::Step;
use crate::domain::fact::Fact;
use crate::domain::kind::Kind;
use crate::domain::operation::{Operation, Record};
use crate::domain::recovery::may_send;
use crate::domain::refusal::Refusal;
use crate::domain::schedule::may_resend;
use crate::domain::state::State;

/// A caller hands the operation over. Only the first time does anything; any
/// number of later calls join it.
pub(super) fn submit(draft: &mut Draft<'_>, opening: Option<Opening>) -> Result<(), Refusal> {
    match draft.state() {
        State::Created => {
            refuse_beside_unresolved(draft.operation(), &draft.subject().order)?;
            draft.put(Fact::Submitted);
            // A person is asked about it: nothing is sent meanwhile.
            let opening = at_once(opening, draft.context);
            if let (Some(opening), None) = (opening, &draft.operation().review) {
                open_attempt(draft, opening, false);
            }
            Ok(())
        }
        State::Queued
        | State::Submitting
        | State::Unknown
        | State::Pending
        | State::RequiresAction
        | State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => Ok(()),
    }
}

/// P1 and P9: one payment of an order at a time. Purposes may be independent
/// of each other; generations of one purpose never are.
pub(super) fn refuse_beside_unresolved(own: &Operation, order: &[Record]) -> Result<(), Refusal> {
    if !own.intent.kind.is_payment() {
        return Ok(());
    }
    let in_the_way = order.iter().find(|other| {
        let (ours, theirs) = (&own.intent, &other.operation.intent);
        let related = ours.purpose == theirs.purpose || (ours.exclusive && theirs.exclusive);
        let another = other.operation.id != own.id && theirs.kind.is_payment();
        another && related && other.blocks_its_order()
    });
    match in_the_way {
        Some(other) => Err(Refusal::Unresolved {
            operation_id: other.operation.id,
        }),
        None => Ok(()),
    }
}

/// A worker opens an attempt: the first, one more after every attempt was
/// NotSent, or a resend that the policy allows. What stood in the way of
/// `Submit` stands in the way of sending, too (P9).
pub(super) fn open(draft: &mut Draft<'_>, opening: Opening) -> Result<(), Refusal> {
    let state = draft.state();
    let idle = draft.operation().progress.open.is_none();
    refuse_beside_unresolved(draft.operation(), &draft.subject().order)?;
    match state {
        State::Queued if idle && draft.operation().review.is_none() && may_send_now(draft) => {
            open_attempt(draft, opening, false);
            Ok(())
        }
        State::Unknown if idle && may_resend_now(draft) => {
            open_attempt(draft, opening, true);
            Ok(())
        }
        State::Queued
        | State::Unknown
        | State::Created
        | State::Submitting
        | State::Pending
        | State::RequiresAction
        | State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => Err(Refusal::NoPlace(state)),
    }
}

/// The opening of a first attempt with the hand-over. Where rows may have been
/// lost, a look-up comes first: it waits for a worker.
pub(super) fn at_once(opening: Option<Opening>, context: Context<'_>) -> Option<Opening> {
    opening.filter(|_| context.recovery.is_none())
}

/// Whether a first attempt, or one more after NotSent, may be opened.
pub(super) fn may_send_now(draft: &Draft<'_>) -> bool {
    let context = draft.context;
    may_send(
        draft.operation(),
        context.policy,
        context.recovery,
        context.now,
    )
}

/// Whether a resend may be opened.
pub(super) fn may_resend_now(draft: &Draft<'_>) -> bool {
    let context = draft.context;
    may_resend(
        draft.operation(),
        context.policy,
        context.recovery,
        context.now,
    )
}

/// Writes the attempt down.
fn open_attempt(draft: &mut Draft<'_>, opening: Opening, resend: bool) {
    let operation = draft.operation();
    let number = operation.progress.attempts + 1;
    let facts = opened(
        operation.intent.kind,
        opening,
        number,
        resend,
        draft.context,
    );
    for fact in facts {
        draft.put(fact);
    }
}

/// The facts of a first attempt, for an operation that is recorded in the
/// same commit.
pub(super) fn first_attempt(kind: Kind, opening: Opening, context: Context<'_>) -> Vec<Fact> {
    opened(kind, opening, 1, false, context)
}

/// The row is due again when the lease will have lapsed, so that it is found
/// if its owner dies. A resend leaves the operation UNKNOWN.
fn opened(
    kind: Kind,
    opening: Opening,
    number: i32,
    resend: bool,
    context: Context<'_>,
) -> Vec<Fact> {
    let mut facts = vec![Fact::AttemptOpened {
        attempt: opening.attempt,
        number,
        step: step_of(kind),
        not_after: opening.not_after,
        resend,
    }];
    if !resend {
        facts.push(Fact::Moved {
            to: State::Submitting,
        });
    }
    let lapses = context.now + context.policy.timings.lease;
    facts.push(Fact::CheckScheduled { at: Some(lapses) });
    facts
}

/// What an operation of that kind asks the provider to do.
fn step_of(kind: Kind) -> Step {
    match kind {
        Kind::Charge | Kind::Authorize => Step::Create,
        Kind::Capture => Step::Capture,
        Kind::Refund => Step::Refund,
        Kind::Void => Step::Void,
    }
}
