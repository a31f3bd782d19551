//! P7: the same key, only where it has no second effect.

use crate::domain::decide::Hint;
use crate::domain::decide::testing::*;
use crate::domain::fact::Fact;
use crate::domain::profile::Policy;
use crate::domain::refusal::Refusal;
use crate::domain::schedule::{Step, plan};
use crate::domain::state::State;

/// UNKNOWN since the start, and nothing found `seconds` later.
fn looked_after(seconds: u64, policy: Policy) -> Scene {
    let mut scene = Scene::charge_at(policy).unknown();
    scene.after(seconds).not_found();
    scene
}

fn next(scene: &Scene) -> Step {
    plan(scene.operation(), &scene.policy, scene.recovery, scene.now)
}

fn may_not(scene: &mut Scene) {
    assert_eq!(next(scene), Step::LookUp);
    assert_eq!(scene.open(), Err(Refusal::NoPlace(State::Unknown)));
}

#[test]
fn a_resend_follows_a_look_up_that_would_have_seen_the_payment() {
    let mut scene = Scene::charge().unknown();
    scene.after(10);
    may_not(&mut scene);
    may_not(&mut looked_after(9, stripe_like()));
    let mut scene = looked_after(10, stripe_like());
    assert_eq!(next(&scene), Step::Resend);
    let decision = scene.open().expect("a resend");
    assert!(
        decision
            .own
            .iter()
            .any(|fact| matches!(fact, Fact::AttemptOpened { resend: true, .. }))
    );
    assert_eq!(scene.state(), State::Unknown);
}

#[test]
fn the_time_counts_from_the_bound_of_an_attempt_that_was_lost() {
    for (seconds, step) in [(14, Step::LookUp), (15, Step::Resend)] {
        let mut scene = Scene::charge().submitting();
        scene.lapsed();
        scene.after(seconds).not_found();
        assert_eq!(next(&scene), step, "not_after is 5 s, V 10 s");
    }
}

#[test]
fn each_resend_needs_a_look_up_of_its_own_and_three_are_all() {
    let mut scene = Scene::charge().unknown();
    for _ in 0..3 {
        scene.after(11).not_found();
        scene.open().expect("a resend");
        scene.ambiguous(Hint::default());
        scene.after(11);
        may_not(&mut scene);
    }
    scene.not_found();
    may_not(&mut scene);
    assert_eq!(scene.operation().progress.resends, 3);
}

#[test]
fn nothing_is_sent_after_the_key_window_less_its_margin() {
    let margin = 60 + 20;
    let last = 24 * 3600 - margin;
    assert_eq!(
        next(&looked_after(last - 1, stripe_like())),
        Step::LookUp,
        "a person is asked by then"
    );
    let mut patient = stripe_like();
    patient.timings.observation_window = secs(1_000_000);
    assert_eq!(next(&looked_after(last - 1, patient.clone())), Step::Resend);
    may_not(&mut looked_after(last, patient.clone()));
    may_not(&mut looked_after(25 * 3600, patient));
}

#[test]
fn without_idempotency_or_a_known_lag_nothing_is_sent_again() {
    may_not(&mut looked_after(3600, no_idempotency()));
    may_not(&mut looked_after(3600, lag_unknown()));
    let mut short = stripe_like();
    short.profile.key_life = Some(secs(80));
    may_not(&mut looked_after(11, short));
}

#[test]
fn an_assumed_bound_is_good_enough_to_send_the_same_key() {
    assert_eq!(next(&looked_after(11, bound_assumed())), Step::Resend);
}

#[test]
fn nothing_is_sent_again_while_a_person_is_asked() {
    let mut scene = looked_after(900, stripe_like());
    assert!(scene.case().is_some());
    may_not(&mut scene);
}

#[test]
fn nothing_is_sent_again_while_a_compensation_waits() {
    let mut scene = looked_after(11, stripe_like());
    scene.instruct(None).expect("an instruction");
    may_not(&mut scene);
}

#[test]
fn a_replayed_failure_ends_resends() {
    let mut scene = Scene::charge().submitting();
    scene.ambiguous(Hint {
        replayed_failure: true,
        ..Hint::default()
    });
    scene.after(11).not_found();
    may_not(&mut scene);
}

#[test]
fn the_provider_is_given_the_time_that_it_asked_for() {
    let mut scene = Scene::charge().submitting();
    scene.ambiguous(Hint {
        retry_after: Some(secs(120)),
        ..Hint::default()
    });
    assert_eq!(scene.operation().next_check_at, Some(START + secs(120)));
    scene.after(119).not_found();
    may_not(&mut scene);
    scene.after(1);
    assert_eq!(next(&scene), Step::Resend);
}
