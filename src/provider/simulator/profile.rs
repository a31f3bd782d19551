//! What the simulated processor declares. Every value cites
//! `docs/simulator.md`; a processor that runs on another time scale is
//! described by the overrides, which its operator vouches for.

use std::time::Duration;

use crate::domain::kind::Kind;
use crate::domain::money::{Currency, MAX_MINOR_UNITS};
use crate::domain::profile::{InFlightBound, LookUpFacts, Profile};

/// K, "What it guarantees": keys are kept for 24 h.
const KEY_LIFE: Duration = Duration::from_secs(24 * 3600);

/// D, "What it guarantees": a request takes effect within 10 s of the arrival
/// of its last byte, or never.
const IN_FLIGHT_BOUND: Duration = Duration::from_secs(10);

/// V, "What it guarantees": a look-up sees an effect at most 30 s after it.
const VISIBILITY_LAG: Duration = Duration::from_secs(30);

/// "Test payment methods": processing ends after 3 s, so that one which lasts
/// this long is no longer normal. Our own choice.
const PROCESSING_HORIZON: Duration = Duration::from_secs(15 * 60);

/// Which of the processor's profiles the account has (`docs/simulator.md`,
/// "Profiles").
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SimulatorProfile {
    /// Keys are kept; a repeat gets the stored answer.
    #[default]
    StripeLike,
    /// Keys are kept; a repeat gets the present status.
    LatestStatus,
    /// Keys are ignored: two requests make two payments.
    NoIdempotency,
    /// As no-idempotency, without look-ups.
    ReportOnly,
}

/// Where our key stands in the processor's objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeyField {
    /// `metadata.payonce_key`; `reference` is the order id.
    Metadata,
    /// `reference`: the one field that can be asked for.
    Reference,
}

impl SimulatorProfile {
    fn keeps_keys(self) -> bool {
        match self {
            Self::StripeLike | Self::LatestStatus => true,
            Self::NoIdempotency | Self::ReportOnly => false,
        }
    }

    fn offers_look_ups(self) -> bool {
        match self {
            Self::StripeLike | Self::LatestStatus | Self::NoIdempotency => true,
            Self::ReportOnly => false,
        }
    }

    pub(super) fn key_field(self) -> KeyField {
        if self.keeps_keys() {
            KeyField::Metadata
        } else {
            KeyField::Reference
        }
    }
}

/// What is configured about one account.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SimulatorFacts {
    /// Its profile.
    pub profile: SimulatorProfile,
    /// K instead of the documented 24 h; without effect where no keys are kept.
    pub key_life: Option<Duration>,
    /// D instead of the documented 10 s.
    pub in_flight_bound: Option<Duration>,
    /// V instead of the documented 30 s.
    pub visibility_lag: Option<Duration>,
    /// The currencies it takes; `None`: all.
    pub currencies: Option<Vec<Currency>>,
}

impl SimulatorFacts {
    /// The profile that the policy follows from.
    pub(super) fn declare(self) -> Profile {
        let keeps_keys = self.profile.keeps_keys();
        let look_up = LookUpFacts {
            by_reference: true,
            // "look-ups by id and by reference alike", and V bounds both.
            consistent: true,
            not_found_counts: true,
        };
        Profile {
            key_life: keeps_keys.then(|| self.key_life.unwrap_or(KEY_LIFE)),
            in_flight: InFlightBound::Documented(self.in_flight_bound.unwrap_or(IN_FLIGHT_BOUND)),
            visibility_lag: Some(self.visibility_lag.unwrap_or(VISIBILITY_LAG)),
            look_up: self.profile.offers_look_ups().then_some(look_up),
            processing_horizon: PROCESSING_HORIZON,
            kinds: &[Kind::Charge, Kind::Refund],
            currencies: self.currencies,
            max_minor_units: MAX_MINOR_UNITS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(profile: SimulatorProfile) -> SimulatorFacts {
        SimulatorFacts {
            profile,
            ..SimulatorFacts::default()
        }
    }

    #[test]
    fn each_profile_declares_what_the_page_says() {
        for (profile, key_life, looked_up) in [
            (SimulatorProfile::StripeLike, Some(KEY_LIFE), true),
            (SimulatorProfile::LatestStatus, Some(KEY_LIFE), true),
            (SimulatorProfile::NoIdempotency, None, true),
            (SimulatorProfile::ReportOnly, None, false),
        ] {
            let declared = facts(profile).declare();
            assert_eq!(declared.key_life, key_life, "{profile:?}");
            assert_eq!(declared.look_up.is_some(), looked_up, "{profile:?}");
            assert_eq!(
                declared.in_flight,
                InFlightBound::Documented(IN_FLIGHT_BOUND)
            );
            assert_eq!(declared.visibility_lag, Some(VISIBILITY_LAG));
        }
    }

    #[test]
    fn overrides_replace_spans_but_never_grant_idempotency() {
        let span = Duration::from_millis(700);
        for profile in [
            SimulatorProfile::StripeLike,
            SimulatorProfile::NoIdempotency,
        ] {
            let declared = SimulatorFacts {
                key_life: Some(span),
                in_flight_bound: Some(span),
                visibility_lag: Some(span),
                ..facts(profile)
            }
            .declare();
            assert_eq!(declared.key_life, profile.keeps_keys().then_some(span));
            assert_eq!(declared.in_flight, InFlightBound::Documented(span));
            assert_eq!(declared.visibility_lag, Some(span));
        }
    }
}
