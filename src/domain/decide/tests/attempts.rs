//! P5: an answer that is lost, or that nobody can trust, is UNKNOWN.

use crate::domain::attempt::AttemptResult;
use crate::domain::decide::testing::*;
use crate::domain::decide::{Event, Hint};
use crate::domain::evidence::{LookUp, Source};
use crate::domain::fact::Fact;
use crate::domain::ids::AttemptId;
use crate::domain::operation::ReviewReason;
use crate::domain::refusal::Refusal;
use crate::domain::state::State;

#[test]
fn an_attempt_that_never_left_queues_again_and_is_no_decline() {
    let mut scene = Scene::charge().submitting();
    scene.not_sent();
    assert_eq!(scene.state(), State::Queued);
    assert!(scene.operation().next_check_at > Some(scene.now));
    assert!(!scene.operation().progress.may_have_left());
    scene
        .after(2)
        .open()
        .expect("the same operation goes out again");
    assert_eq!(scene.state(), State::Submitting);
    assert_eq!(scene.operation().progress.attempts, 2);
    assert_eq!(scene.operation().progress.resends, 0);
}

#[test]
fn a_resend_that_never_left_leaves_the_first_send_unknown() {
    let mut scene = Scene::charge().unknown();
    scene.after(11).not_found();
    scene.open().expect("a resend");
    scene.not_sent();
    assert_eq!(scene.state(), State::Unknown);
}

#[test]
fn a_payment_seen_by_another_road_is_neither_queued_nor_canceled_by_not_sent() {
    let mut scene = Scene::charge().submitting();
    scene.instruct(None).expect("an instruction");
    let mut other = scene.ours("pay_1", crate::domain::evidence::Shown::Done);
    other.amount = Some(usd(9_999));
    scene.noticed(vec![other]);
    scene.not_sent();
    assert_eq!(scene.state(), State::Unknown);
    assert_eq!(scene.case(), Some(ReviewReason::AmountMismatch));
}

#[test]
fn an_ambiguous_end_is_unknown_and_is_looked_up() {
    let scene = Scene::charge().unknown();
    assert_eq!(scene.state(), State::Unknown);
    assert!(scene.operation().next_check_at.is_some());
}

#[test]
fn an_answer_that_shows_nothing_of_ours_is_unknown() {
    let mut scene = Scene::charge().submitting();
    let decision = scene.answered(nothing_of_ours());
    assert_eq!(scene.state(), State::Unknown);
    assert!(decision.own.iter().any(|fact| matches!(
        fact,
        Fact::AttemptClosed {
            result: AttemptResult::Ambiguous,
            ..
        }
    )));
}

#[test]
fn an_answered_resend_that_shows_nothing_is_looked_up_by_the_schedule() {
    let mut scene = Scene::charge().unknown();
    scene.after(11).not_found();
    scene.open().expect("a resend");
    scene.answered(nothing_of_ours());
    assert_eq!(scene.operation().next_check_at, Some(scene.now + secs(1)));
}

#[test]
fn a_listed_refusal_of_the_only_attempt_declines() {
    let mut scene = Scene::charge().submitting();
    scene.answered(refusal());
    assert_eq!(scene.state(), State::Declined);
    assert_eq!(scene.operation().decline, Some(insufficient_funds()));
}

#[test]
fn a_refusal_after_a_lost_answer_is_no_decline() {
    let mut scene = Scene::charge().unknown();
    scene.after(11).not_found();
    scene.open().expect("a resend");
    scene.answered(refusal());
    assert_eq!(scene.state(), State::Unknown);
    assert_eq!(scene.operation().decline, None);
}

#[test]
fn a_refusal_after_attempts_that_never_left_declines() {
    let mut scene = Scene::charge().submitting();
    scene.not_sent();
    scene.after(2).open().expect("again");
    scene.answered(refusal());
    assert_eq!(scene.state(), State::Declined);
}

#[test]
fn the_late_refusal_of_the_only_attempt_counts_although_its_lease_lapsed() {
    let mut scene = Scene::charge().submitting();
    let attempt = scene.attempt();
    scene.after(20).lapsed();
    let evidence = refusal();
    let late = Event::Answered { attempt, evidence };
    scene.hand(&late).expect("a late answer is the truth");
    assert_eq!(scene.state(), State::Declined);
}

#[test]
fn the_late_refusal_of_a_lost_attempt_does_not_count_beside_a_resend() {
    let mut scene = Scene::charge().submitting();
    let attempt = scene.attempt();
    scene.after(20).lapsed();
    scene.after(16).not_found();
    scene.open().expect("a resend");
    let evidence = refusal();
    let late = Event::Answered { attempt, evidence };
    scene.hand(&late).expect("a late answer enters");
    assert_eq!(scene.state(), State::Unknown);
    assert!(scene.operation().progress.open.is_some());
}

#[test]
fn a_refusal_does_not_count_after_a_sign_of_the_payment() {
    let mut scene = Scene::charge().submitting();
    let attempt = scene.attempt();
    let hint = Hint {
        sign: true,
        ..Hint::default()
    };
    scene.ambiguous(hint);
    let evidence = refusal();
    let late = Event::Answered { attempt, evidence };
    scene.hand(&late).expect("an answer enters");
    assert_eq!(scene.state(), State::Unknown);
}

#[test]
fn a_refusal_that_is_no_answer_to_a_request_counts_nowhere() {
    let noticed = crate::domain::evidence::Evidence {
        source: Source::Webhook,
        ..refusal()
    };
    for mut scene in [
        Scene::charge(),
        Scene::charge().queued(),
        Scene::charge().unknown(),
    ] {
        let before = scene.state();
        scene
            .hand(&Event::Noticed(noticed.clone()))
            .expect("never refused");
        assert_eq!(scene.state(), before);
    }
}

#[test]
fn time_alone_opens_a_review_and_nothing_else() {
    for policy in [
        stripe_like(),
        no_idempotency(),
        report_only(),
        lag_unknown(),
    ] {
        let mut scene = Scene::charge_at(policy).unknown();
        scene.after(899).overdue();
        assert_eq!(scene.case(), None);
        scene.after(1).overdue();
        assert_eq!(scene.case(), Some(ReviewReason::ObservationWindowOver));
        for _ in 0..5 {
            scene.after(10_000_000).overdue();
            scene.looked_up(LookUp::NoVerdict);
            assert_eq!(scene.state(), State::Unknown);
        }
    }
}

#[test]
fn processing_is_bounded_by_the_providers_own_horizon() {
    let mut scene = Scene::charge().showing(crate::domain::evidence::Shown::Processing);
    scene.after(7 * 24 * 3600 - 1).looked_up(LookUp::NoVerdict);
    assert_eq!(scene.case(), None);
    scene.after(1).looked_up(LookUp::NoVerdict);
    assert_eq!(scene.case(), Some(ReviewReason::ObservationWindowOver));
    assert_eq!(scene.state(), State::Pending);
}

#[test]
fn an_expired_customer_step_stays_and_asks_a_person() {
    let until = START + secs(600);
    for (action, limit) in [
        (action_until(Some(until)), 600),
        (action_until(None), 604_800),
    ] {
        let mut scene = Scene::charge().showing(action.clone());
        scene.after(limit - 1).see("pay_1", action.clone());
        assert_eq!(scene.case(), None);
        scene.after(1).see("pay_1", action);
        assert_eq!(scene.state(), State::RequiresAction);
        assert_eq!(scene.case(), Some(ReviewReason::CustomerActionExpired));
    }
}

#[test]
fn a_lapsed_lease_is_unknown_and_looked_up_at_once() {
    let mut scene = Scene::charge().submitting();
    scene.after(15).lapsed();
    assert_eq!(scene.state(), State::Unknown);
    assert_eq!(scene.operation().next_check_at, Some(scene.now));
    assert_eq!(scene.open(), Err(Refusal::NoPlace(State::Unknown)));
}

#[test]
fn only_the_open_attempt_can_end_without_an_answer() {
    let mut scene = Scene::charge().submitting();
    let attempt = AttemptId(scene.new_id());
    let refused = Err(Refusal::NoPlace(State::Submitting));
    assert_eq!(scene.hand(&Event::NotSent { attempt }), refused);
    let hint = Hint::default();
    assert_eq!(scene.hand(&Event::Ambiguous { attempt, hint }), refused);
}

#[test]
fn at_most_one_attempt_is_open() {
    let mut scene = Scene::charge().submitting();
    assert_eq!(scene.open(), Err(Refusal::NoPlace(State::Submitting)));
    let mut scene = Scene::charge().unknown();
    scene.after(11).not_found();
    scene.open().expect("a resend");
    assert_eq!(scene.open(), Err(Refusal::NoPlace(State::Unknown)));
}

#[test]
fn the_refusal_of_an_attempt_that_nobody_knows_counts_nowhere() {
    for mut scene in [
        Scene::charge(),
        Scene::charge().queued(),
        Scene::charge().submitting(),
    ] {
        let before = scene.state();
        let attempt = AttemptId(scene.new_id());
        let evidence = refusal();
        let event = Event::Answered { attempt, evidence };
        scene.hand(&event).expect("never refused");
        assert_ne!(scene.state(), State::Declined, "{before}");
    }
}
