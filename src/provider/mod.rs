//! The providers: how requests reach them and what their answers mean.
//!
//! Guarantees:
//! - an adapter sends stored bytes with the stored key, once a call; it never
//!   repeats, follows, rewrites or invents a request, and one without a key is
//!   refused here;
//! - it concludes nothing: an answer becomes evidence or it is ambiguous, and
//!   `domain::decide` draws the conclusion;
//! - what it does not positively recognise is [`Sent::Ambiguous`], or no verdict
//!   of a look-up; never a failure, never a "not found" (P5, P8);
//! - no text of a provider leaves an adapter: declines carry a code from a
//!   closed list, causes are our own words (P16).
//!
//! # How an answer is classified
//!
//! | what came                                                  | [`Sent`]                                    |
//! |------------------------------------------------------------|---------------------------------------------|
//! | refused connection, no address, no TLS; nothing was written | `NotSent`                                   |
//! | too late to write, no key, a request that is not offered   | `NotSent`                                   |
//! | timeout, reset, cut short, too large, no HTTP              | `Ambiguous`                                 |
//! | the documented success, whole, under our key               | `Answered` with the sighting                |
//! | the documented decline with our payment, failed            | `Answered` with the sighting                |
//! | a refusal that the adapter lists as one of the payment     | `Answered` with `refused`                   |
//! | a success or decline under another key, or under none      | `Ambiguous`                                 |
//! | a success that is not recognised                           | `Ambiguous`; with our key and an id: a sign |
//! | 409; the key was used with other bytes                     | `Ambiguous` with a sign                     |
//! | 429, 503                                                   | `Ambiguous`, `Retry-After` kept             |
//! | 5xx marked as a replay                                     | `Ambiguous`, replayed failure               |
//! | any other 5xx; 400, 401, 403, 404; redirects; the rest     | `Ambiguous`                                 |
//!
//! A new adapter is a folder like [`simulator`], with one file for each
//! capability, and has to pass [`conformance`].

pub mod conformance;
mod registry;
pub mod simulator;

pub use registry::{AccountTwice, Registry};

use std::time::Duration;

use async_trait::async_trait;

use crate::domain::attempt::{PreparedRequest, Step};
use crate::domain::decide::Hint;
use crate::domain::evidence::{Evidence, LookUp};
use crate::domain::operation::Operation;
use crate::domain::profile::Rail;
use crate::domain::provider_key::ProviderKey;
use crate::http;

/// How one send ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sent {
    /// No byte of the request has left.
    NotSent(NotSentCause),
    /// It may have had its effect, or may have it later. The cause is for logs.
    Ambiguous(Hint, AmbiguousCause),
    /// The provider gave a trustworthy answer.
    Answered(Evidence),
}

/// Why nothing was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotSentCause {
    /// The HTTP client sent nothing.
    #[error(transparent)]
    Transport(#[from] http::NotSentCause),
    /// The latest instant for the first byte had passed.
    #[error("too late to write the first byte")]
    TooLate,
    /// A mutating request without an idempotency key.
    #[error("no idempotency key")]
    NoKey,
    /// The adapter does not offer this step, or the request names no place at
    /// the provider.
    #[error("not offered by the adapter")]
    NotOffered,
}

/// Why it is unknown what a request did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AmbiguousCause {
    /// The HTTP client got no whole answer.
    #[error(transparent)]
    Transport(#[from] http::AmbiguousCause),
    /// An answer of no documented form.
    #[error("an answer that is not recognised, status {status}")]
    Unrecognised {
        /// The HTTP status.
        status: u16,
    },
    /// A well-formed answer about something that is not ours.
    #[error("an answer without our key, status {status}")]
    NotOurs {
        /// The HTTP status.
        status: u16,
    },
    /// The key is in use by an earlier request.
    #[error("an earlier request with the key is in progress")]
    InProgress,
    /// The key was used with other bytes.
    #[error("the key was used for another request")]
    KeyMismatch,
    /// The provider asks to slow down.
    #[error("slowed down by the provider")]
    RateLimited,
    /// The provider failed.
    #[error("the provider failed, status {status}")]
    ProviderFailed {
        /// The HTTP status, 500 to 599.
        status: u16,
    },
    /// A failure that the provider stored under the key, and repeats.
    #[error("a stored failure was replayed, status {status}")]
    FailureReplayed {
        /// The HTTP status, 500 to 599.
        status: u16,
    },
    /// An error that says nothing about the payment.
    #[error("an error that is no refusal of the payment, status {status}")]
    NoRefusal {
        /// The HTTP status.
        status: u16,
    },
}

/// One account at one provider, over its network interface.
#[async_trait]
pub trait Adapter: Send + Sync {
    /// The account as the engine knows it: name, base address, facts, and how
    /// its requests are built.
    fn rail(&self) -> &Rail;

    /// Sends stored bytes with the stored key, once. `may_write` is asked last,
    /// right before the request is handed to the HTTP client; if it says no,
    /// nothing is sent. `deadline` runs from connecting to the last byte of the
    /// answer. Dropping the future does not take the request back.
    async fn send(
        &self,
        step: Step,
        request: &PreparedRequest,
        key: &ProviderKey,
        may_write: &(dyn Fn() -> bool + Sync),
        deadline: Duration,
    ) -> Sent;

    /// Asks the provider what it has of the operation: by our own reference,
    /// which is all there is after a lost answer, and by the provider's id
    /// where it is known and the reference did not bring it. Never causes an
    /// effect. `deadline` covers all pages. An error, an incomplete list or
    /// anything that is not recognised is [`LookUp::NoVerdict`].
    async fn look_up(&self, operation: &Operation, deadline: Duration) -> LookUp;
}
