//! What a worker does next with an operation, and when it looks again.

use std::time::Duration;

use super::operation::Operation;
use super::profile::{MAX_RESENDS, Policy};
use super::recovery::{Recovery, looked_in, may_send};
use super::state::State;
use super::time::Instant;

/// What to do with a due operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Send it for the first time, or again after every attempt was NotSent.
    Send,
    /// Send the same bytes with the same key again.
    Resend,
    /// Its owner is gone: write that down first.
    Recover,
    /// Ask the provider.
    LookUp,
    /// The provider cannot be asked: see whether a person must.
    Overdue,
    /// Nothing.
    Rest,
}

/// The step for an operation whose lease the caller holds.
pub fn plan(
    operation: &Operation,
    policy: &Policy,
    recovery: Option<Recovery>,
    now: Instant,
) -> Step {
    let sendable = || operation.review.is_none() && may_send(operation, policy, recovery, now);
    if operation.progress.open.is_some() {
        return Step::Recover;
    }
    match operation.state {
        State::Queued if sendable() => Step::Send,
        State::Submitting => Step::Recover,
        State::Unknown if may_resend(operation, policy, recovery, now) => Step::Resend,
        State::Queued | State::Unknown | State::Pending | State::RequiresAction => {
            if policy.can_look_up() {
                Step::LookUp
            } else {
                Step::Overdue
            }
        }
        State::Created
        | State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => Step::Rest,
    }
}

/// P7: the same key may go out once more. Only after a look-up that would
/// have seen the payment found nothing, within the key window, a few times,
/// and not while a person or a compensation waits for the outcome.
/// After a loss of rows the look-up has to be one of the recovery.
pub fn may_resend(
    operation: &Operation,
    policy: &Policy,
    recovery: Option<Recovery>,
    now: Instant,
) -> bool {
    let progress = &operation.progress;
    let (Some(first), Some(last)) = (progress.first_sent_at, progress.last_not_after) else {
        return false;
    };
    let held = operation.review.is_some() || operation.instruction.is_some();
    let exhausted = progress.resends_ended || progress.resends >= MAX_RESENDS;
    // "Not found" weighs nothing once the provider gave a sign of the payment
    // (P8), and so leads to nothing.
    let looked_for_nothing = progress.sign_seen;
    let asked_to_wait = progress.retry_not_before.is_some_and(|at| now < at);
    let in_window = policy.resend_until(first).is_some_and(|until| now < until);
    let looked = progress
        .last_not_found_at
        .zip(policy.resend_from(last))
        .is_some_and(|(found_nothing_at, from)| found_nothing_at >= from);
    let recovered =
        recovery.is_none_or(|recovery| recovery.confirmed && looked_in(operation, recovery));
    operation.state == State::Unknown
        && recovered
        && !held
        && !exhausted
        && !looked_for_nothing
        && !asked_to_wait
        && in_window
        && looked
}

/// When to look next. `jitter` is a random number from 0 to 1000, which the
/// caller draws: 500 leaves the pause as it is.
pub fn next_look(operation: &Operation, policy: &Policy, now: Instant, jitter: u16) -> Instant {
    let timings = &policy.timings;
    let looked = usize::try_from(operation.progress.look_ups).unwrap_or(usize::MAX);
    let early = timings.look_ups.get(looked).copied();
    let pause = match operation.review {
        Some(_) => timings.look_up_interval,
        None => early.unwrap_or(timings.look_up_interval),
    };
    let at = now + spread(pause, timings.jitter_percent, jitter);
    operation
        .progress
        .retry_not_before
        .map_or(at, |wait| at.max(wait))
}

/// When to try again after nothing left: doubling pauses of the look-up
/// schedule's first, at most its interval.
pub fn next_send(operation: &Operation, policy: &Policy, now: Instant, jitter: u16) -> Instant {
    let timings = &policy.timings;
    let first = timings
        .look_ups
        .first()
        .copied()
        .unwrap_or(timings.look_up_interval);
    let doublings = u32::try_from(operation.progress.attempts.clamp(1, 16) - 1).unwrap_or(0);
    let pause = first
        .saturating_mul(1 << doublings)
        .min(timings.look_up_interval);
    now + spread(pause, timings.jitter_percent, jitter)
}

fn spread(pause: Duration, percent: u32, jitter: u16) -> Duration {
    let percent = f64::from(percent) / 100.0;
    let offset = (f64::from(jitter.min(1000)) - 500.0) / 500.0;
    pause.mul_f64((1.0 + percent * offset).max(0.0))
}
