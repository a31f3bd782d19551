//! The settings under which the rules as they are shipped must hold. One
//! order, several stories: each is small enough to be looked at as a whole.

use super::setting::{Bounds, Setting, Story, Truth, believing};
use super::wrong::Wrong;

/// An idempotent provider with short times: a key outlives one resend.
pub(crate) const QUICK: Truth = Truth {
    in_flight: Some(2),
    lag: 2,
    key_life: Some(6),
    pause: 1,
};

/// The shortest times that leave room for one resend.
pub(crate) const SHORT: Truth = Truth {
    in_flight: Some(1),
    lag: 1,
    key_life: Some(4),
    pause: 1,
};

/// Deaths, repeats and late arrivals while it is not calm.
pub(crate) fn troubled() -> Bounds {
    Bounds {
        workers: 2,
        crashes: 2,
        copies: 2,
        not_sent: 1,
        webhooks: 1,
        lost_look_ups: 0,
        answers: true,
        declines: true,
        refusals: false,
        slow_callers: false,
        calm_from: 2,
        pauses_when_calm: false,
        asked_until: 2,
        end: 16,
    }
}

pub(crate) fn shipped(name: &str, story: Story, truth: Truth, bounds: Bounds) -> Setting {
    Setting {
        name: name.to_owned(),
        policy: believing(truth, u64::from(bounds.end - bounds.asked_until) - 6),
        truth,
        wrong: Wrong::Nothing,
        story,
        bounds,
    }
}

/// All of them.
pub(crate) fn all() -> Vec<Setting> {
    vec![
        shipped("charge", Story::Charge, SHORT, troubled()),
        shipped(
            "cancel or give back",
            Story::CancelOrGiveBack,
            SHORT,
            troubled(),
        ),
        shipped("refunds", Story::Refunds, SHORT, troubled()),
        shipped("supersede", Story::Supersede, SHORT, troubled()),
    ]
}
