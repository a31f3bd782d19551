//! The rules as they are shipped: every world that an order can get into, in
//! each story, keeps every promise.

use crate::lab::model::check::check;
use crate::lab::model::setting::Setting;
use crate::lab::model::settings;

fn every_promise_is_kept(setting: &Setting) {
    let report = check(setting, &[], None);
    assert!(report.broken.is_none(), "{report:#?}");
    assert!(report.exhausted, "{report:#?}");
}

#[test]
fn a_charge_keeps_every_promise() {
    every_promise_is_kept(&settings::charge());
}

#[test]
fn a_charge_that_is_canceled_or_given_back_keeps_every_promise() {
    every_promise_is_kept(&settings::cancel_or_give_back());
}

#[test]
fn refunds_that_are_more_than_the_charge_keep_every_promise() {
    every_promise_is_kept(&settings::refunds());
}

#[test]
fn a_charge_in_place_of_another_keeps_every_promise() {
    every_promise_is_kept(&settings::supersede());
}
