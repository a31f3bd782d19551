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

/// A charge, with everything that may go wrong.
pub(crate) fn charge() -> Setting {
    let bounds = Bounds {
        refusals: true,
        calm_from: 3,
        asked_until: 3,
        end: 17,
        ..troubled()
    };
    shipped("charge", Story::Charge, SHORT, bounds)
}

/// A charge that is canceled, or given back as soon as its outcome is known,
/// by a caller who is slow between reading and writing.
pub(crate) fn cancel_or_give_back() -> Setting {
    let bounds = Bounds {
        crashes: 1,
        not_sent: 0,
        slow_callers: true,
        ..troubled()
    };
    let story = Story::CancelOrGiveBack;
    shipped("cancel or give back", story, SHORT, bounds)
}

/// Two refunds, by callers who are slow between reading and writing. The
/// charge is done; only the refunds are sent.
pub(crate) fn refunds() -> Setting {
    let bounds = Bounds {
        crashes: 1,
        not_sent: 0,
        webhooks: 0,
        slow_callers: true,
        ..troubled()
    };
    shipped("refunds", Story::Refunds, SHORT, bounds)
}

/// A second charge after the first was declined or canceled. There is trouble
/// around the first; the second comes after it.
pub(crate) fn supersede() -> Setting {
    let bounds = Bounds {
        crashes: 1,
        not_sent: 0,
        asked_until: 9,
        end: 23,
        ..troubled()
    };
    shipped("supersede", Story::Supersede, SHORT, bounds)
}

/// All of them.
pub(crate) fn all() -> Vec<Setting> {
    vec![charge(), cancel_or_give_back(), refunds(), supersede()]
}
