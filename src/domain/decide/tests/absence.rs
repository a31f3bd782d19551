//! P8: what "not found" weighs.

use crate::domain::decide::Hint;
use crate::domain::decide::testing::*;
use crate::domain::evidence::{LookUp, Shown};
use crate::domain::operation::ReviewReason;
use crate::domain::profile::Policy;
use crate::domain::state::State;

/// P + D + V of `stripe_like`: from here on "not found" counts.
const COUNTS_FROM: u64 = 20 + 60 + 10;

/// Not found at each of these seconds after the start.
fn not_found_at(mut scene: Scene, times: &[u64]) -> Scene {
    for seconds in times {
        scene.now = START + secs(*seconds);
        scene.not_found();
    }
    scene
}

fn late() -> [u64; 6] {
    [90, 100, 110, 120, 130, 140].map(|seconds| seconds + 10_000)
}

#[test]
fn three_absences_apart_by_the_lag_prove_that_nothing_happened() {
    let [first, second, third] = [0, 10, 20].map(|s| COUNTS_FROM + s);
    let scene = not_found_at(Scene::charge().unknown(), &[first, second]);
    assert_eq!(scene.state(), State::Unknown);
    let scene = not_found_at(scene, &[third]);
    assert_eq!(scene.state(), State::Canceled);
    assert_eq!(scene.operation().next_check_at, None);
}

#[test]
fn an_early_not_found_weighs_nothing() {
    let times = [
        1,
        30,
        60,
        COUNTS_FROM - 1,
        COUNTS_FROM + 9,
        COUNTS_FROM + 19,
    ];
    let scene = not_found_at(Scene::charge().unknown(), &times);
    assert_eq!(scene.state(), State::Unknown);
    assert_eq!(scene.operation().progress.absences, 2);
}

#[test]
fn answers_closer_than_the_lag_count_once() {
    let times = [0, 1, 9, 10, 11, 19].map(|s| COUNTS_FROM + s);
    let scene = not_found_at(Scene::charge().unknown(), &times);
    assert_eq!(scene.state(), State::Unknown);
    assert_eq!(scene.operation().progress.absences, 2);
}

#[test]
fn an_assumed_bound_proves_no_absence_ever() {
    let scene = not_found_at(Scene::charge_at(bound_assumed()).unknown(), &late());
    assert_eq!(scene.state(), State::Unknown);
    assert_eq!(scene.operation().progress.absences, 0);
}

#[test]
fn a_look_up_that_cannot_be_trusted_proves_no_absence_ever() {
    let policies: [Policy; 4] = [
        lag_unknown(),
        look_up_that(|facts| facts.by_reference = false),
        look_up_that(|facts| facts.consistent = false),
        look_up_that(|facts| facts.not_found_counts = false),
    ];
    for policy in policies {
        let scene = not_found_at(Scene::charge_at(policy).unknown(), &late());
        assert_eq!(scene.state(), State::Unknown);
        assert_eq!(scene.case(), Some(ReviewReason::ObservationWindowOver));
    }
}

#[test]
fn after_a_sign_of_the_payment_no_absence_counts() {
    let mut scene = Scene::charge().submitting();
    scene.ambiguous(Hint {
        sign: true,
        ..Hint::default()
    });
    assert_eq!(not_found_at(scene, &late()).state(), State::Unknown);
}

#[test]
fn an_id_of_the_payment_is_a_sign() {
    let mut scene = Scene::charge().unknown();
    let mut mismatch = scene.ours("pay_1", Shown::Done);
    mismatch.amount = Some(usd(1));
    scene.noticed(vec![mismatch]);
    assert_eq!(not_found_at(scene, &late()).state(), State::Unknown);
}

#[test]
fn a_payment_that_may_be_ours_lets_no_absence_count() {
    let mut scene = Scene::charge().unknown();
    let mut keyless = scene.ours("pay_x", Shown::Done);
    keyless.key = None;
    scene.noticed(vec![keyless]);
    let scene = not_found_at(scene, &late());
    assert_eq!(scene.state(), State::Unknown);
    assert_eq!(scene.case(), Some(ReviewReason::ReferenceOnlyMatch));
}

#[test]
fn no_absence_counts_while_an_attempt_is_open() {
    let mut scene = Scene::charge().unknown();
    scene.after(11).not_found();
    scene.open().expect("a resend");
    let scene = not_found_at(scene, &late());
    assert_eq!(scene.operation().progress.absences, 0);
    assert_eq!(scene.state(), State::Unknown);
}

#[test]
fn a_resend_starts_the_count_again() {
    let mut scene = not_found_at(Scene::charge().unknown(), &[90, 100]);
    assert_eq!(scene.operation().progress.absences, 2);
    scene.open().expect("a resend");
    scene.ambiguous(Hint::default());
    let scene = not_found_at(scene, &[110, 120, 189]);
    assert_eq!(scene.operation().progress.absences, 0);
    let scene = not_found_at(scene, &[190, 200, 210]);
    assert_eq!(scene.state(), State::Canceled);
}

#[test]
fn the_time_of_a_lost_attempt_counts_from_its_own_bound() {
    let mut scene = Scene::charge().submitting();
    scene.lapsed();
    let bound = 5;
    let times = [-1, 9, 19].map(|s: i64| COUNTS_FROM + bound - 1 + (s + 1) as u64);
    let mut scene = not_found_at(scene, &times);
    assert_eq!(scene.operation().progress.absences, 2);
    scene.after(1).not_found();
    assert_eq!(
        scene.state(),
        State::Unknown,
        "V apart from the last that counted"
    );
    scene.after(9).not_found();
    assert_eq!(scene.state(), State::Canceled);
}

#[test]
fn payments_of_other_operations_are_not_found() {
    let mut scene = Scene::charge().unknown();
    for seconds in [90, 100, 110] {
        scene.now = START + secs(seconds);
        scene.looked_up(LookUp::Found(nothing_of_ours()));
    }
    assert_eq!(scene.state(), State::Canceled);
}

#[test]
fn no_verdict_is_no_absence() {
    let mut scene = Scene::charge().unknown();
    for _ in 0..20 {
        scene.after(100).looked_up(LookUp::NoVerdict);
    }
    assert_eq!(scene.state(), State::Unknown);
    assert_eq!(scene.operation().progress.absences, 0);
}

#[test]
fn a_proven_absence_answers_the_case_that_waited_for_it() {
    let scene = not_found_at(Scene::charge().unknown(), &[900]);
    assert!(scene.case().is_some());
    let scene = not_found_at(scene, &[960, 1020]);
    assert_eq!((scene.state(), scene.case()), (State::Canceled, None));
}
