//! The stored states of the lifecycle (`docs/lifecycle.md` draws it).

use std::fmt;

use serde::{Deserialize, Serialize};

/// Every state that is stored. What callers act on is the outcome, which is
/// computed (`outcome.rs`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum State {
    /// Recorded; nobody asked for it to be done.
    Created,
    /// Handed over; every attempt, if any, provably never left.
    Queued,
    /// An attempt is open and its owner holds the lease.
    Submitting,
    /// Sent, or possibly sent; no trustworthy answer.
    Unknown,
    /// The provider has it and is processing.
    Pending,
    /// The payer must do something at the provider.
    RequiresAction,
    /// The money is held, not taken.
    Authorized,
    /// The provider confirmed what was asked.
    Succeeded,
    /// The provider definitively refused the payment.
    Declined,
    /// Proven that nothing was applied, and that nothing will be.
    Canceled,
    /// The hold was let go of.
    Voided,
}

impl State {
    /// Every state, in the order of the lifecycle.
    pub const ALL: [State; 11] = [
        State::Created,
        State::Queued,
        State::Submitting,
        State::Unknown,
        State::Pending,
        State::RequiresAction,
        State::Authorized,
        State::Succeeded,
        State::Declined,
        State::Canceled,
        State::Voided,
    ];

    /// Handed over and without a result: no other payment of the order may
    /// be submitted meanwhile (P1).
    pub fn is_unresolved(self) -> bool {
        match self {
            State::Queued
            | State::Submitting
            | State::Unknown
            | State::Pending
            | State::RequiresAction => true,
            State::Created
            | State::Authorized
            | State::Succeeded
            | State::Declined
            | State::Canceled
            | State::Voided => false,
        }
    }

    /// A result that no later evidence changes (P9).
    pub fn is_final(self) -> bool {
        match self {
            State::Succeeded | State::Declined | State::Canceled | State::Voided => true,
            State::Created
            | State::Queued
            | State::Submitting
            | State::Unknown
            | State::Pending
            | State::RequiresAction
            | State::Authorized => false,
        }
    }

    /// The name on the wire and in the tables.
    pub fn name(self) -> &'static str {
        match self {
            State::Created => "CREATED",
            State::Queued => "QUEUED",
            State::Submitting => "SUBMITTING",
            State::Unknown => "UNKNOWN",
            State::Pending => "PENDING",
            State::RequiresAction => "REQUIRES_ACTION",
            State::Authorized => "AUTHORIZED",
            State::Succeeded => "SUCCEEDED",
            State::Declined => "DECLINED",
            State::Canceled => "CANCELED",
            State::Voided => "VOIDED",
        }
    }

    /// The state of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
