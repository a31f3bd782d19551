//! The provider profile: facts that an adapter declares, and the policy that
//! follows from them. An adapter cannot choose the policy; a missing fact
//! means the worst case.

use std::time::Duration;

use super::attempt::PreparedRequest;
use super::kind::Kind;
use super::money::Currency;
use super::operation::Operation;
use super::reference::ProviderAccount;
use super::time::Instant;

/// How long a sent request can still take effect (D).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InFlightBound {
    /// The provider documents it.
    Documented(Duration),
    /// An operator assumes it. Good enough to resend the same key, never to
    /// prove that nothing happened.
    Assumed(Duration),
}

impl InFlightBound {
    /// The time, whoever vouches for it.
    pub fn span(self) -> Duration {
        match self {
            Self::Documented(span) | Self::Assumed(span) => span,
        }
    }

    /// D for resends where nothing is documented.
    pub const DEFAULT: Self = Self::Assumed(Duration::from_secs(3600));
}

/// How the provider can be asked about a payment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LookUpFacts {
    /// It can be asked by our own reference (after a lost answer there is
    /// nothing else).
    pub by_reference: bool,
    /// Its answer reflects all that has become visible, not a stale copy.
    pub consistent: bool,
    /// Its "not found" can ever count.
    pub not_found_counts: bool,
}

/// What one provider account is like. Every value set by an adapter cites the
/// provider's document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// K: how long after the first send a repeat with the same key has no
    /// second effect. `None`: not idempotent, never resent.
    pub key_life: Option<Duration>,
    /// D: see [`InFlightBound`].
    pub in_flight: InFlightBound,
    /// V: the longest time until a look-up sees an effect. `None`: unknown.
    pub visibility_lag: Option<Duration>,
    /// How to ask; `None`: not at all (reports only).
    pub look_up: Option<LookUpFacts>,
    /// How long the provider may go on processing before a person looks.
    pub processing_horizon: Duration,
    /// What the account offers.
    pub kinds: &'static [Kind],
    /// Which currencies it takes; `None`: all.
    pub currencies: Option<Vec<Currency>>,
    /// Largest amount in minor units.
    pub max_minor_units: i64,
}

/// Builds the exact bytes of an operation's request from its digest fields.
/// The first argument is the account's base address.
pub type BuildRequest = fn(&str, &Operation) -> PreparedRequest;

/// One configured account, as the engine knows it: data and one pure
/// function.
#[derive(Clone, Debug)]
pub struct Rail {
    /// The account's configured name.
    pub account: ProviderAccount,
    /// Its base address.
    pub endpoint: String,
    /// Its facts.
    pub profile: Profile,
    /// How its requests are made.
    pub build: BuildRequest,
}

impl Rail {
    /// The request for an operation.
    pub fn prepare(&self, operation: &Operation) -> PreparedRequest {
        (self.build)(&self.endpoint, operation)
    }
}

/// Times that the operator chooses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timings {
    /// Longest duration of one provider call.
    pub provider_deadline: Duration,
    /// How long a claim is held.
    pub lease: Duration,
    /// P: the longest pause between deciding to send and sending.
    pub pause: Duration,
    /// How long UNKNOWN may last before a person looks.
    pub observation_window: Duration,
    /// Pauses before the first look-ups.
    pub look_ups: Vec<Duration>,
    /// Pause before every later one.
    pub look_up_interval: Duration,
    /// How far a pause may be lengthened or shortened, in percent.
    pub jitter_percent: u32,
}

/// A profile and the operator's times: all that the rules need.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    /// The provider's facts.
    pub profile: Profile,
    /// The operator's times.
    pub timings: Timings,
}

/// How often one operation is sent again after a look-up found nothing.
pub const MAX_RESENDS: i32 = 3;

/// How many answers, V apart, prove an absence.
pub const ABSENCE_ANSWERS: i32 = 3;

impl Policy {
    /// The end of the key window (P7): from here on nothing is sent again.
    /// `None` where a resend is never allowed.
    pub fn resend_until(&self, first_sent_at: Instant) -> Option<Instant> {
        let life = self.profile.key_life?;
        let margin = self
            .profile
            .in_flight
            .span()
            .saturating_add(self.timings.pause);
        Some(first_sent_at + life.checked_sub(margin)?)
    }

    /// From here on a "not found" may be followed by a resend of the same
    /// key. `None` where the lag is unknown.
    pub fn resend_from(&self, last_not_after: Instant) -> Option<Instant> {
        Some(last_not_after + self.profile.visibility_lag?)
    }

    /// From here on a "not found" counts towards proof of absence (P8).
    /// `None` where it never counts.
    pub fn absence_from(&self, last_not_after: Instant) -> Option<Instant> {
        let look_up = self.profile.look_up?;
        let trusted = look_up.by_reference && look_up.consistent && look_up.not_found_counts;
        match (trusted, self.profile.in_flight, self.profile.visibility_lag) {
            (true, InFlightBound::Documented(in_flight), Some(lag)) => {
                Some(last_not_after + self.timings.pause + in_flight + lag)
            }
            _ => None,
        }
    }

    /// Whether the provider can be asked at all.
    pub fn can_look_up(&self) -> bool {
        self.profile.look_up.is_some()
    }
}
