//! After rows may have been lost: look first, send later.

use crate::domain::decide::testing::*;
use crate::domain::evidence::{LookUp, Shown};
use crate::domain::ids::AttemptId;
use crate::domain::operation::ReviewReason;
use crate::domain::profile::Policy;
use crate::domain::recovery::Recovery;
use crate::domain::refusal::Refusal;
use crate::domain::schedule::{Step, plan};
use crate::domain::state::State;

/// P + D + V of `stripe_like`.
const COUNTS_FROM: u64 = 20 + 60 + 10;

/// Rows are missing from the start on; noticed `noticed` seconds later.
fn recovery(noticed: u64, confirmed: bool) -> Option<Recovery> {
    Some(Recovery {
        epoch: 1,
        confirmed,
        lost_since: START,
        since: START + secs(noticed),
    })
}

/// A charge that was recorded again and handed over.
fn again(policy: Policy, recovery: Option<Recovery>) -> Scene {
    let mut scene = Scene::charge_at(policy);
    scene.recovery = recovery;
    scene.now = recovery.map_or(START, |recovery| recovery.since);
    scene.queued()
}

fn next(scene: &Scene) -> Step {
    plan(scene.operation(), &scene.policy, scene.recovery, scene.now)
}

fn not_found_after(mut scene: Scene, seconds: &[u64]) -> Scene {
    let noticed = scene.recovery.expect("a recovery stands").since;
    for seconds in seconds {
        scene.now = noticed + secs(*seconds);
        scene.not_found();
    }
    scene
}

fn may_not_be_sent(scene: &mut Scene) {
    assert_eq!(next(scene), Step::LookUp);
    assert_eq!(scene.open(), Err(Refusal::NoPlace(State::Queued)));
}

#[test]
fn a_first_send_follows_a_look_up_of_this_epoch() {
    let mut scene = again(stripe_like(), recovery(60, true));
    may_not_be_sent(&mut scene);
    let mut scene = not_found_after(scene, &[1]);
    assert_eq!(next(&scene), Step::Send);
    scene.open().expect("looked up and protected by its key");
}

#[test]
fn a_look_up_of_an_older_epoch_does_not_count() {
    let mut scene = not_found_after(again(stripe_like(), recovery(60, true)), &[1]);
    scene.recovery.as_mut().expect("it stands").epoch = 2;
    may_not_be_sent(&mut scene);
    scene.not_found();
    assert_eq!(next(&scene), Step::Send);
}

#[test]
fn without_a_verdict_nothing_is_sent() {
    let mut scene = again(stripe_like(), recovery(60, true));
    scene.looked_up(LookUp::NoVerdict);
    may_not_be_sent(&mut scene);
}

#[test]
fn nothing_is_sent_before_a_person_confirmed() {
    let mut scene = not_found_after(again(stripe_like(), recovery(60, false)), &[1, 100, 200]);
    may_not_be_sent(&mut scene);
    scene.recovery = recovery(60, true);
    assert_eq!(next(&scene), Step::Send);
}

#[test]
fn what_was_sent_before_the_loss_is_found_and_settles() {
    for mut scene in [
        again(stripe_like(), recovery(60, true)),
        again(no_idempotency(), recovery(60, false)),
    ] {
        scene.see("pay_1", Shown::Done);
        assert_eq!(scene.state(), State::Succeeded);
    }
}

#[test]
fn a_key_that_may_be_forgotten_does_not_protect() {
    let noticed = 24 * 3600 - 80;
    let mut scene = not_found_after(again(stripe_like(), recovery(noticed, true)), &[0]);
    may_not_be_sent(&mut scene);
    let absent = [0, 10, 20].map(|s| COUNTS_FROM + s);
    let scene = not_found_after(scene, &absent);
    assert_eq!(next(&scene), Step::Send);
}

#[test]
fn without_keys_absence_is_proven_from_the_time_of_the_loss() {
    let early = [0, 30, 60, COUNTS_FROM - 1];
    let mut scene = not_found_after(again(no_idempotency(), recovery(60, true)), &early);
    may_not_be_sent(&mut scene);
    assert_eq!(scene.operation().progress.absences, 0);
    let mut scene = not_found_after(scene, &[COUNTS_FROM, COUNTS_FROM + 10]);
    may_not_be_sent(&mut scene);
    let mut scene = not_found_after(scene, &[COUNTS_FROM + 20]);
    assert_eq!(next(&scene), Step::Send);
    scene.open().expect("proven never to have been sent");
}

#[test]
fn what_can_never_be_proven_is_asked_of_a_person() {
    let policy = look_up_that(|look_up| look_up.not_found_counts = false);
    let mut policy = policy;
    policy.profile.key_life = None;
    let scene = not_found_after(again(policy, recovery(60, true)), &[1, 500, 899]);
    assert_eq!(scene.operation().review, None);
    let mut scene = not_found_after(scene, &[900]);
    let review = scene.operation().review.clone().expect("a question");
    assert_eq!(review.reason, ReviewReason::ObservationWindowOver);
    may_not_be_sent(&mut scene);
}

#[test]
fn an_unknown_one_is_proven_absent_no_sooner_than_the_loss_allows() {
    let mut scene = Scene::charge().unknown();
    let late = 3600;
    scene.recovery = recovery(late, true);
    let scene = not_found_after(scene, &[0, 10, 20, COUNTS_FROM - 1]);
    assert_eq!(scene.operation().progress.absences, 0);
    let scene = not_found_after(scene, &[0, 10, 20].map(|s| COUNTS_FROM + s));
    assert_eq!(scene.state(), State::Canceled);
}

#[test]
fn what_was_proven_before_the_loss_is_proven_anew() {
    let mut scene = Scene::charge_at(no_idempotency()).unknown();
    for seconds in [COUNTS_FROM, COUNTS_FROM + 10] {
        scene.now = START + secs(seconds);
        scene.not_found();
    }
    scene.recovery = recovery(120, true);
    let scene = not_found_after(scene, &[0]);
    assert_eq!(scene.state(), State::Unknown);
    assert_eq!(scene.operation().progress.absences, 0);
}

#[test]
fn nothing_is_canceled_before_a_person_confirmed() {
    let mut scene = Scene::charge().unknown();
    scene.recovery = recovery(60, false);
    let proof = [0, 10, 20, 30].map(|s| COUNTS_FROM + s);
    let mut scene = not_found_after(scene, &proof);
    assert_eq!(scene.state(), State::Unknown);
    scene.recovery = recovery(60, true);
    let scene = not_found_after(scene, &[COUNTS_FROM + 40]);
    assert_eq!(scene.state(), State::Canceled);
}

#[test]
fn a_resend_waits_for_confirmation_and_a_look_up_of_its_own() {
    let mut scene = Scene::charge().unknown();
    scene.now = START + secs(30);
    scene.not_found();
    assert_eq!(next(&scene), Step::Resend);
    for confirmed in [false, true] {
        scene.recovery = recovery(30, confirmed);
        assert_eq!(next(&scene), Step::LookUp);
        assert_eq!(scene.open(), Err(Refusal::NoPlace(State::Unknown)));
    }
    scene.not_found();
    assert_eq!(next(&scene), Step::Resend);
}

#[test]
fn nothing_is_canceled_by_a_caller_while_a_recovery_stands() {
    for confirmed in [false, true] {
        let mut scene = Scene::charge();
        scene.recovery = recovery(60, confirmed);
        let operation_id = scene.focus;
        let unresolved = Err(Refusal::Unresolved { operation_id });
        assert_eq!(scene.compensate("back", None), unresolved);
        let mut scene = scene.queued();
        assert_eq!(scene.compensate("back", None), unresolved);
    }
}

#[test]
fn nothing_is_opened_together_with_the_hand_over() {
    let mut scene = Scene::charge();
    scene.recovery = recovery(0, true);
    let attempt = AttemptId(scene.new_id());
    let event = crate::domain::decide::Event::Submit(Some(opening(attempt, START)));
    scene.hand(&event).expect("it queues");
    assert_eq!(scene.state(), State::Queued);
    assert_eq!(scene.operation().progress.attempts, 0);
}

#[test]
fn a_refund_is_looked_up_before_its_first_send() {
    let mut scene = Scene::charge().succeeded();
    scene.recovery = recovery(60, true);
    let mut scene = scene.refunding(None);
    scene.now = START + secs(60);
    assert_eq!(scene.state(), State::Queued);
    may_not_be_sent(&mut scene);
    scene.see("re_1", Shown::Done);
    assert_eq!(scene.state(), State::Succeeded);
}
