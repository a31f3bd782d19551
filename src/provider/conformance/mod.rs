//! What every adapter must do, checked against its server.
//!
//! The server stands behind a [`Bench`], which can spoil the next call and can
//! tell what arrived and what really happened there. [`check`] then sends and
//! looks up through the adapter and lists what it did wrong:
//!
//! - one call puts one request on the wire, with the operation's key; a resend
//!   is equal byte for byte, and has no second effect where the profile says so;
//! - what cannot be trusted is ambiguous, with the signs that it carries;
//! - after a lost answer the payment is found by our own reference, on whatever
//!   page it stands;
//! - what was too late, has no key or could not be delivered never arrives.

mod sample;
mod suite;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use super::Adapter;
use crate::domain::operation::Operation;
use crate::domain::request::PaymentMethod;

pub use sample::{charge, refund_of};

/// What is done to one call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The connection is closed before anything happens.
    LoseRequest,
    /// It is done; the connection is closed without an answer.
    LoseAnswer,
    /// It is done; half of the answer comes.
    CutAnswer,
    /// It is done; a web page comes.
    WebPage,
    /// It is done; success comes with an empty body.
    EmptyAnswer,
    /// It is done; a status comes that the documents do not list.
    UnknownStatus,
    /// It is done; somebody else's object comes.
    OtherObject,
    /// It is done; an answer comes that is far too large.
    HugeAnswer,
    /// It is done; a failure of the server comes, and is stored under the key
    /// where keys are kept.
    FailAfter,
    /// Nothing is done; "a request with this key is in progress" comes.
    InProgress,
    /// Nothing is done; "slow down" comes, for [`Trouble::PAUSE`].
    SlowDown,
    /// Nothing is done; a redirect to the same address comes.
    Redirect,
}

impl Trouble {
    /// Every trouble.
    pub const ALL: [Self; 12] = [
        Self::LoseRequest,
        Self::LoseAnswer,
        Self::CutAnswer,
        Self::WebPage,
        Self::EmptyAnswer,
        Self::UnknownStatus,
        Self::OtherObject,
        Self::HugeAnswer,
        Self::FailAfter,
        Self::InProgress,
        Self::SlowDown,
        Self::Redirect,
    ];

    /// The pause that goes with [`Trouble::SlowDown`].
    pub const PAUSE: Duration = Duration::from_secs(7);

    /// Whether the request has its effect.
    pub fn has_effect(self) -> bool {
        match self {
            Self::LoseAnswer
            | Self::CutAnswer
            | Self::WebPage
            | Self::EmptyAnswer
            | Self::UnknownStatus
            | Self::OtherObject
            | Self::HugeAnswer
            | Self::FailAfter => true,
            Self::LoseRequest | Self::InProgress | Self::SlowDown | Self::Redirect => false,
        }
    }
}

/// A request that changes something, as it arrived at the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The idempotency key that came with it.
    pub key: String,
    /// The body.
    pub body: String,
}

/// A server that can be broken on purpose and tells the truth aside.
#[async_trait]
pub trait Bench: Send + Sync {
    /// A means of payment that is charged at once.
    fn paying_method(&self) -> PaymentMethod;

    /// Does that to the next call which changes something.
    async fn order(&self, trouble: Trouble);

    /// The requests for a change that came under the operation's key, oldest
    /// first.
    async fn arrivals(&self, operation: &Operation) -> Vec<Arrival>;

    /// How often the operation's money really moved.
    async fn effects(&self, operation: &Operation) -> usize;

    /// Makes that many payments under the operation's merchant reference.
    async fn crowd(&self, operation: &Operation, payments: usize);
}

/// Something that the adapter did wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// What was tried.
    pub trial: String,
    /// What had to hold, and what was seen.
    pub saw: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.trial, self.saw)
    }
}

/// Everything that the adapter does wrong; nothing: it conforms. `run` begins
/// the order ids, so that one server can be used more than once: at most 40
/// characters of a reference.
pub async fn check(adapter: &dyn Adapter, bench: &dyn Bench, run: &str) -> Vec<Breach> {
    suite::Suite {
        adapter,
        bench,
        run,
    }
    .all()
    .await
}
