//! Accounts of the kinds that there are.

use super::secs;
use crate::domain::kind::Kind;
use crate::domain::profile::{InFlightBound, LookUpFacts, Policy, Profile, Timings};

/// Idempotent for a day, D = 60 s documented, V = 10 s, a look-up by our
/// reference that can be trusted; P = 20 s.
pub(crate) fn stripe_like() -> Policy {
    Policy {
        profile: Profile {
            key_life: Some(secs(24 * 3600)),
            in_flight: InFlightBound::Documented(secs(60)),
            visibility_lag: Some(secs(10)),
            look_up: Some(LookUpFacts {
                by_reference: true,
                consistent: true,
                not_found_counts: true,
            }),
            processing_horizon: secs(7 * 24 * 3600),
            kinds: &[Kind::Charge, Kind::Authorize],
            currencies: None,
            max_minor_units: 1_000_000,
        },
        timings: Timings {
            provider_deadline: secs(5),
            lease: secs(15),
            pause: secs(20),
            observation_window: secs(900),
            look_ups: vec![secs(1), secs(2), secs(5), secs(10), secs(30)],
            look_up_interval: secs(60),
            jitter_percent: 20,
        },
    }
}

fn changed(change: impl FnOnce(&mut Profile)) -> Policy {
    let mut policy = stripe_like();
    change(&mut policy.profile);
    policy
}

/// A bank: no keys, a merchant reference.
pub(crate) fn no_idempotency() -> Policy {
    changed(|profile| profile.key_life = None)
}

/// It cannot be asked at all.
pub(crate) fn report_only() -> Policy {
    changed(|profile| {
        profile.look_up = None;
        profile.key_life = None;
    })
}

/// Nobody says when a look-up sees an effect.
pub(crate) fn lag_unknown() -> Policy {
    changed(|profile| profile.visibility_lag = None)
}

/// D is an operator's assumption.
pub(crate) fn bound_assumed() -> Policy {
    changed(|profile| profile.in_flight = InFlightBound::DEFAULT)
}

/// The look-up's facts, changed.
pub(crate) fn look_up_that(change: impl FnOnce(&mut LookUpFacts)) -> Policy {
    changed(|profile| change(profile.look_up.as_mut().expect("stripe_like can be asked")))
}
