//! What is made of "not found", at every kind of provider.

use crate::lab::model::check::check;
use crate::lab::model::promises::{CLOSED_IS_TRUE, ONE_EFFECT};
use crate::lab::model::table::{KINDS, Reaction};

/// Money that moved twice, or although it was said that it never would.
const HARM: [&str; 2] = [ONE_EFFECT, CLOSED_IS_TRUE];

/// A reaction breaks its promise at the providers where it is said to, and
/// at the others every world that can be reached is harmless.
fn is_wrong_where_it_is_said_to_be(reaction: Reaction) {
    for kind in KINDS {
        let report = check(&reaction.setting(kind), &HARM, None);
        let broken = report.broken.as_ref().map(|broken| broken.promise);
        assert_eq!(broken, reaction.breaks(kind), "{report:#?}");
        assert_eq!(report.exhausted, broken.is_none(), "{report:#?}");
    }
}

#[test]
fn declining_is_wrong_everywhere() {
    is_wrong_where_it_is_said_to_be(Reaction::Decline);
}

#[test]
fn a_new_key_is_wrong_everywhere() {
    is_wrong_where_it_is_said_to_be(Reaction::NewKey);
}

#[test]
fn canceling_a_key_that_is_not_remembered_helps_nowhere() {
    is_wrong_where_it_is_said_to_be(Reaction::CancelThenNewKey);
}

#[test]
fn canceling_a_key_that_is_remembered_is_safe() {
    is_wrong_where_it_is_said_to_be(Reaction::TombstoneThenNewKey);
}

#[test]
fn the_same_key_for_ever_is_wrong_once_keys_end_before_requests() {
    is_wrong_where_it_is_said_to_be(Reaction::SameKeyForEver);
}

#[test]
fn a_key_window_without_the_pause_is_wrong_by_the_pause() {
    is_wrong_where_it_is_said_to_be(Reaction::SameKeyWithoutPause);
}

#[test]
fn the_same_key_within_its_window_is_safe_where_what_is_declared_is_true() {
    is_wrong_where_it_is_said_to_be(Reaction::SameKey);
}

#[test]
fn waiting_and_canceling_is_wrong_only_without_a_bound() {
    is_wrong_where_it_is_said_to_be(Reaction::WaitThenCancel);
}

#[test]
fn looking_alone_is_safe_everywhere() {
    is_wrong_where_it_is_said_to_be(Reaction::OnlyLookUps);
}
