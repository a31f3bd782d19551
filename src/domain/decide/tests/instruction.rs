//! `when_resolved`: a compensation that waits for the outcome.

use crate::domain::decide::Event;
use crate::domain::decide::testing::*;
use crate::domain::evidence::{Shown, Source};
use crate::domain::operation::ReviewReason;
use crate::domain::outcome::{Fulfilment, Outcome};
use crate::domain::refusal::Refusal;
use crate::domain::state::State;

fn instructed(amount: Option<i64>) -> Scene {
    let mut scene = Scene::charge().unknown();
    scene.instruct(amount).expect("an instruction");
    scene
}

#[test]
fn while_it_stands_the_outcome_is_pending_and_fulfilment_forbidden() {
    for mut scene in [
        Scene::charge().submitting(),
        Scene::charge().unknown(),
        Scene::charge().showing(Shown::Processing),
        Scene::charge().showing(action_until(None)),
    ] {
        scene.instruct(None).expect("an instruction");
        let answer = scene.answer();
        assert_eq!(answer.outcome, Outcome::Pending);
        assert_eq!(answer.fulfilment, Fulfilment::Forbidden);
    }
}

#[test]
fn a_confirmed_effect_makes_the_refund_in_the_same_decision() {
    for (amount, expected, forbidden) in [(None, 10_000, true), (Some(4_000), 4_000, false)] {
        let mut scene = instructed(amount);
        let decision = scene.see("pay_1", Shown::Done);
        let (refund, _) = decision.child.expect("a refund");
        assert_eq!(scene.state(), State::Succeeded);
        assert_eq!(scene.operation().instruction, None);
        assert_eq!(scene.record().effects[0].refund_pending, expected);
        assert_eq!(scene.operation().fulfilment_forbidden, forbidden);
        scene.focus = refund;
        assert_eq!(scene.state(), State::Queued);
        assert_eq!(scene.operation().intent.amount, usd(expected));
        assert_eq!(scene.operation().intent.label, Some(label("later")));
    }
}

#[test]
fn more_than_the_effect_opens_a_case_and_gives_nothing_back() {
    let mut scene = instructed(Some(10_001));
    let decision = scene.see("pay_1", Shown::Done);
    assert_eq!(decision.child, None);
    assert_eq!(scene.case(), Some(ReviewReason::InstructionExceedsEffect));
    assert_eq!(scene.operation().instruction, None);
    assert_eq!(scene.answer().fulfilment, Fulfilment::Forbidden);
}

#[test]
fn a_decline_a_withdrawal_or_an_absence_ends_it() {
    let mut declined = instructed(None);
    declined.see("pay_1", failed());
    let mut withdrawn = instructed(None);
    withdrawn.see("pay_1", Shown::Withdrawn);
    let mut absent = instructed(None);
    for seconds in [90, 10, 10] {
        absent.after(seconds).not_found();
    }
    for (scene, state) in [
        (declined, State::Declined),
        (withdrawn, State::Canceled),
        (absent, State::Canceled),
    ] {
        assert_eq!(scene.state(), state);
        assert_eq!(scene.operation().instruction, None);
        assert_eq!(scene.kept.len(), 1, "no refund");
    }
}

#[test]
fn a_listed_refusal_ends_it() {
    let mut scene = Scene::charge().submitting();
    scene.instruct(None).expect("an instruction");
    scene.answered(refusal());
    assert_eq!(scene.state(), State::Declined);
    assert_eq!(scene.operation().instruction, None);
}

#[test]
fn if_every_attempt_never_left_it_cancels_at_once() {
    let mut scene = Scene::charge().submitting();
    scene.instruct(None).expect("an instruction");
    scene.not_sent();
    assert_eq!(scene.state(), State::Canceled);
    assert_eq!(scene.operation().instruction, None);

    let mut queued = Scene::charge().submitting();
    queued.not_sent();
    queued.instruct(None).expect("nothing was dispatched");
    assert_eq!(queued.state(), State::Canceled);
}

#[test]
fn a_mismatch_carries_nothing_out() {
    let mut scene = instructed(None);
    let mut other = scene.ours("pay_1", Shown::Done);
    other.amount = Some(usd(20_000));
    scene.looked_up(found(vec![other]));
    assert_eq!(scene.state(), State::Unknown);
    assert!(scene.operation().instruction.is_some());
    assert_eq!(scene.kept.len(), 1, "no refund");
}

#[test]
fn the_same_again_joins_and_another_is_refused() {
    let mut scene = instructed(Some(5_000));
    let before = scene.operation().clone();
    scene.instruct(Some(5_000)).expect("the same");
    assert_eq!(scene.operation(), &before);
    let operation_id = scene.focus;
    let fields = vec!["amount".to_owned()];
    let reused = Refusal::KeyReused {
        operation_id,
        fields,
    };
    assert_eq!(scene.instruct(Some(6_000)), Err(reused));
    let mut other = scene.asked("other", None);
    other.request.when_resolved = true;
    let refused = Err(Refusal::Unresolved { operation_id });
    assert_eq!(scene.hand(&Event::Compensate(other)), refused);
}

#[test]
fn an_unresolved_payment_is_not_compensated_without_it() {
    for mut scene in [
        Scene::charge().submitting(),
        Scene::charge().unknown(),
        Scene::charge().showing(Shown::Processing),
        Scene::charge().showing(action_until(None)),
    ] {
        let operation_id = scene.focus;
        let refused = Err(Refusal::NotConfirmed { operation_id });
        assert_eq!(scene.compensate("now", None), refused);
    }
}

#[test]
fn it_is_about_the_primary_effect_and_names_none() {
    let mut scene = Scene::charge().unknown();
    let mut asked = scene.asked("later", None);
    asked.request.when_resolved = true;
    asked.request.provider_payment_id = Some(payment("pay_9"));
    let refused = scene.hand(&Event::Compensate(asked));
    assert!(matches!(
        refused,
        Err(Refusal::InvalidField {
            field: "provider_payment_id",
            ..
        })
    ));
}

#[test]
fn a_duplicate_beside_the_effect_still_gives_back_the_primary_one() {
    let mut scene = instructed(None);
    let both = ["pay_1", "pay_2"].map(|id| scene.ours(id, Shown::Done));
    let all = evidence(Source::LookUp, both.to_vec());
    let decision = scene.looked_up(crate::domain::evidence::LookUp::Found(all));
    assert!(decision.child.is_some());
    assert_eq!(scene.record().effects[0].refund_pending, 10_000);
    assert_eq!(scene.case(), Some(ReviewReason::DuplicateEffect));
}
