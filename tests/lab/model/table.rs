//! What may be made of "not found", and where each is wrong: nine policies
//! for four kinds of provider, all answers lost, learned only by asking.

use payonce::domain::profile::{InFlightBound, Policy};

use super::promises::{CLOSED_IS_TRUE, ONE_EFFECT};
use super::setting::{Bounds, Setting, Story, Truth, believing, ticks};
use super::wrong::Wrong;

/// What is done after "not found".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reaction {
    /// It is declined at once.
    Decline,
    /// It is sent again under a new key.
    NewKey,
    /// The key is canceled, and it is sent under a new one.
    CancelThenNewKey,
    /// The same, at a provider that remembers canceled keys.
    TombstoneThenNewKey,
    /// The same key, as if it lasted for ever.
    SameKeyForEver,
    /// The same key, as if nobody paused before sending.
    SameKeyWithoutPause,
    /// The same key within its window, as shipped.
    SameKey,
    /// Nothing is sent; after D and V it is canceled, as shipped for
    /// providers without keys.
    WaitThenCancel,
    /// Nothing is sent, and a person is asked, as shipped where D is not
    /// documented.
    OnlyLookUps,
}

/// The providers of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// D=2, V=2, K=6.
    Quick,
    /// V=6, K=4: a look-up is slower than a key.
    SlowLookUp,
    /// Requests arrive whenever they like.
    NoBound,
    /// Keys mean nothing.
    NoKeys,
}

pub(crate) const REACTIONS: [Reaction; 9] = [
    Reaction::Decline,
    Reaction::NewKey,
    Reaction::CancelThenNewKey,
    Reaction::TombstoneThenNewKey,
    Reaction::SameKeyForEver,
    Reaction::SameKeyWithoutPause,
    Reaction::SameKey,
    Reaction::WaitThenCancel,
    Reaction::OnlyLookUps,
];

pub(crate) const KINDS: [Kind; 4] = [Kind::Quick, Kind::SlowLookUp, Kind::NoBound, Kind::NoKeys];

impl Kind {
    pub(crate) fn truth(self) -> Truth {
        let quick = super::settings::QUICK;
        match self {
            Kind::Quick => quick,
            Kind::SlowLookUp => Truth {
                lag: 6,
                key_life: Some(4),
                ..quick
            },
            Kind::NoBound => Truth {
                in_flight: None,
                ..quick
            },
            Kind::NoKeys => Truth {
                key_life: None,
                ..quick
            },
        }
    }
}

impl Reaction {
    /// The promise that it breaks there; `None`: it is safe.
    pub(crate) fn breaks(self, kind: Kind) -> Option<&'static str> {
        use Kind::*;
        use Reaction::*;
        match (self, kind) {
            (Decline, _) => Some(CLOSED_IS_TRUE),
            (NewKey | CancelThenNewKey, _) => Some(ONE_EFFECT),
            (SameKeyForEver, SlowLookUp | NoBound | NoKeys) => Some(ONE_EFFECT),
            (SameKeyWithoutPause, SlowLookUp | NoBound | NoKeys) => Some(ONE_EFFECT),
            (SameKey, NoBound | NoKeys) => Some(ONE_EFFECT),
            (WaitThenCancel, NoBound) => Some(CLOSED_IS_TRUE),
            (TombstoneThenNewKey | OnlyLookUps, _) => None,
            (SameKeyForEver | SameKeyWithoutPause, Quick) => None,
            (SameKey, Quick | SlowLookUp) => None,
            (WaitThenCancel, Quick | SlowLookUp | NoKeys) => None,
        }
    }

    fn wrong(self) -> Wrong {
        match self {
            Reaction::Decline => Wrong::DeclinesOnNotFound,
            Reaction::NewKey => Wrong::NewKeyOnResend,
            Reaction::CancelThenNewKey => Wrong::CancelsWithoutTombstone,
            Reaction::TombstoneThenNewKey => Wrong::CancelsWithTombstone,
            Reaction::SameKeyForEver
            | Reaction::SameKeyWithoutPause
            | Reaction::SameKey
            | Reaction::WaitThenCancel
            | Reaction::OnlyLookUps => Wrong::Nothing,
        }
    }

    /// What the service is told: the truth, but for what the reaction does
    /// not mind. Where it sends the same key again it is told that keys last
    /// at least as long as at the others, and does not wait for a look-up to
    /// see everything.
    fn believes(self, truth: Truth, window: u64) -> Policy {
        let mut policy = believing(truth, window);
        let profile = &mut policy.profile;
        let life = ticks(truth.key_life.unwrap_or(6).into());
        match self {
            Reaction::SameKeyForEver => {
                profile.key_life = Some(ticks(100));
                profile.visibility_lag = Some(ticks(0));
                profile.in_flight = InFlightBound::Assumed(profile.in_flight.span());
            }
            Reaction::SameKeyWithoutPause | Reaction::SameKey => {
                profile.key_life = Some(life);
                profile.visibility_lag = Some(ticks(0));
                profile.in_flight = InFlightBound::Assumed(profile.in_flight.span());
                if self == Reaction::SameKeyWithoutPause {
                    policy.timings.pause = ticks(0);
                }
            }
            Reaction::WaitThenCancel => {
                profile.key_life = None;
                profile.in_flight = InFlightBound::Documented(profile.in_flight.span());
            }
            Reaction::Decline
            | Reaction::NewKey
            | Reaction::CancelThenNewKey
            | Reaction::TombstoneThenNewKey
            | Reaction::OnlyLookUps => {
                profile.key_life = None;
                profile.in_flight = InFlightBound::Assumed(profile.in_flight.span());
            }
        }
        policy
    }

    /// The run of one cell.
    pub(crate) fn setting(self, kind: Kind) -> Setting {
        let truth = kind.truth();
        // Long enough for three "not found" that count, V apart.
        let window = 5 + 4 * truth.lag;
        let bounds = Bounds::only_look_ups(window + 4);
        Setting {
            name: format!("{self:?} at {kind:?}"),
            policy: self.believes(truth, window.into()),
            truth,
            wrong: self.wrong(),
            story: Story::Charge,
            bounds,
        }
    }
}
