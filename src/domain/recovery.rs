//! After rows may have been lost: what may be sent, and what may be canceled.
//!
//! A failover to a standby that lagged, or a restore of an older copy, takes
//! away rows whose requests were sent. What is recorded again gets the same
//! provider key, and is looked up before it is sent. While a recovery stands:
//! - nothing is sent before it is confirmed, and nothing is canceled;
//! - a first send follows a look-up of this epoch that found nothing, and
//!   then only where the key still protects a request that was sent when rows
//!   began to be lost, or where absence is proven;
//! - absence is counted from the time at which the loss was noticed, because
//!   until then a request of a lost row may have left.

use super::operation::Operation;
use super::profile::{ABSENCE_ANSWERS, Policy};
use super::time::Instant;

/// A recovery that stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Recovery {
    /// Its number: greater than that of every recovery before it.
    pub epoch: i64,
    /// Sending may go on. A failover confirms itself; a restore waits for a
    /// person.
    pub confirmed: bool,
    /// The earliest time from which rows may be missing.
    pub lost_since: Instant,
    /// When it was noticed: no request of a lost row left later.
    pub since: Instant,
}

/// What a replica knows of the database, as of its newest beat.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Standing {
    /// The recovery epoch; 0 where there never was a recovery.
    pub epoch: i64,
    /// The highest beat ever seen: a lower one in the database means that
    /// rows were lost.
    pub beat: i64,
    /// The recovery that stands, if one does.
    pub recovery: Option<Recovery>,
}

impl Standing {
    /// The database is not what it was, and the next beat tells why: nothing
    /// is sent before.
    pub fn suspected(self, now: Instant) -> Self {
        let recovery = self.recovery.unwrap_or(Recovery {
            epoch: self.epoch,
            confirmed: false,
            lost_since: now,
            since: now,
        });
        Self {
            recovery: Some(Recovery {
                confirmed: false,
                ..recovery
            }),
            ..self
        }
    }
}

/// Whether an operation that was never sent, as far as its row knows, may be
/// sent now.
pub fn may_send(
    operation: &Operation,
    policy: &Policy,
    recovery: Option<Recovery>,
    now: Instant,
) -> bool {
    let Some(recovery) = recovery else {
        return true;
    };
    let protects = policy.resend_until(recovery.lost_since);
    let protected = protects.is_some_and(|until| now < until);
    let looked = looked_in(operation, recovery) || !policy.can_look_up();
    recovery.confirmed && ((protected && looked) || is_proven_absent(operation, recovery))
}

/// Whether a look-up of this recovery's epoch found nothing.
pub fn looked_in(operation: &Operation, recovery: Recovery) -> bool {
    let progress = &operation.progress;
    progress.recovery_epoch == recovery.epoch && progress.last_not_found_at.is_some()
}

/// Whether look-ups of this recovery's epoch prove that nothing was sent.
fn is_proven_absent(operation: &Operation, recovery: Recovery) -> bool {
    looked_in(operation, recovery) && operation.progress.absences >= ABSENCE_ANSWERS
}

/// How far a recovery has come.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecoveryState {
    /// None stands.
    None,
    /// A person has to say that the rows which are left may be worked with.
    AwaitingConfirmation,
    /// What was lost may come back: look-ups come first.
    Held,
}

impl RecoveryState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::None, Self::AwaitingConfirmation, Self::Held];

    /// The name in the database and in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::AwaitingConfirmation => "AWAITING_CONFIRMATION",
            Self::Held => "HELD",
        }
    }

    /// The state of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}
