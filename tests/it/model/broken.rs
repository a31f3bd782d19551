//! What is broken on purpose is found: guards of the store, and facts about a
//! provider that are not true.

use payonce::domain::profile::InFlightBound;

use crate::lab::model::check::check;
use crate::lab::model::promises::{CLOSED_IS_TRUE, DURABLE_FIRST, FENCED, ONE_EFFECT};
use crate::lab::model::setting::{Setting, ticks};
use crate::lab::model::settings;
use crate::lab::model::table::{Kind, Reaction};
use crate::lab::model::wrong::Wrong;

fn breaks(setting: &Setting, promise: &'static str) {
    let report = check(setting, &[promise], None);
    let broken = report.broken.as_ref().map(|broken| broken.promise);
    assert_eq!(broken, Some(promise), "{report:#?}");
}

fn without(wrong: Wrong, setting: Setting) -> Setting {
    Setting { wrong, ..setting }
}

#[test]
fn a_late_write_goes_through_without_the_fence() {
    breaks(&without(Wrong::WithoutFence, settings::charge()), FENCED);
}

#[test]
fn a_late_cancellation_closes_what_was_sent_without_versions() {
    let setting = without(Wrong::WithoutVersions, settings::cancel_or_give_back());
    breaks(&setting, CLOSED_IS_TRUE);
}

#[test]
fn a_request_that_leaves_before_its_attempt_is_durable_is_seen() {
    let setting = without(Wrong::SendsBeforeCommit, settings::charge());
    breaks(&setting, DURABLE_FIRST);
}

#[test]
fn a_bound_that_is_believed_too_short_cancels_what_comes_later() {
    let mut setting = Reaction::WaitThenCancel.setting(Kind::Quick);
    setting.policy.profile.in_flight = InFlightBound::Documented(ticks(0));
    setting.policy.profile.visibility_lag = Some(ticks(0));
    setting.policy.timings.pause = ticks(0);
    breaks(&setting, CLOSED_IS_TRUE);
}

#[test]
fn a_lag_that_is_believed_too_short_cancels_what_is_not_seen_yet() {
    let mut setting = Reaction::WaitThenCancel.setting(Kind::SlowLookUp);
    setting.policy.profile.visibility_lag = Some(ticks(0));
    breaks(&setting, CLOSED_IS_TRUE);
}

#[test]
fn a_key_that_is_believed_to_live_longer_pays_twice() {
    let mut setting = Reaction::SameKey.setting(Kind::Quick);
    setting.policy.profile.key_life = Some(ticks(20));
    setting.truth.key_life = Some(3);
    setting.truth.lag = 4;
    breaks(&setting, ONE_EFFECT);
}
