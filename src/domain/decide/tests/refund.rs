//! P10: what is given back never exceeds what was captured.

use crate::domain::decide::testing::*;
use crate::domain::decide::{Event, Hint};
use crate::domain::evidence::{Shown, Sighting};
use crate::domain::operation::ReviewReason;
use crate::domain::refusal::Refusal;
use crate::domain::state::State;

/// captured, refunded, pending, returned of the parent's primary effect.
fn sums(scene: &Scene) -> [i64; 4] {
    let record = match scene.operation().intent.parent {
        Some(_) => scene.parent(),
        None => scene.record(),
    };
    let effect = record.primary().expect("a primary effect");
    [
        effect.captured,
        effect.refunded,
        effect.refund_pending,
        effect.returned,
    ]
}

fn exceeds(scene: &Scene) -> Refusal {
    let operation_id = scene.focus;
    Refusal::ExceedsCaptured { operation_id }
}

#[test]
fn of_two_refunds_that_together_exceed_the_capture_one_is_refused() {
    let mut scene = Scene::charge().succeeded();
    scene
        .compensate("one", Some(6_000))
        .expect("the first fits");
    let refund = scene
        .kept
        .values()
        .find(|k| k.record.operation.intent.label.is_some());
    let refund = refund.expect("recorded").record.operation.id;
    assert_eq!(
        scene.compensate("two", Some(6_000)),
        Err(Refusal::Unresolved {
            operation_id: refund
        }),
        "while the first is not known"
    );
    let parent = std::mem::replace(&mut scene.focus, refund);
    let mut scene = scene.succeeded();
    scene.focus = parent;
    assert_eq!(scene.compensate("two", Some(4_001)), Err(exceeds(&scene)));
    scene.compensate("three", Some(4_000)).expect("the rest");
    assert_eq!(sums(&scene), [10_000, 6_000, 4_000, 0]);
}

#[test]
fn an_absent_amount_is_all_that_is_left() {
    let mut scene = Scene::charge().succeeded();
    let paid = Sighting {
        given_back: 2_500,
        ..scene.ours("pay_1", Shown::Done)
    };
    scene.looked_up(found(vec![paid]));
    assert_eq!(
        sums(&scene),
        [10_000, 0, 0, 2_500],
        "returned by somebody else"
    );
    let scene = scene.refunding(None);
    assert_eq!(scene.operation().intent.amount, usd(7_500));
    assert_eq!(scene.parent().effects[0].left(), 0);
}

#[test]
fn an_unresolved_refund_keeps_its_reservation() {
    let mut scene = Scene::refund().unknown();
    for _ in 0..5 {
        scene.after(20_000).overdue();
        assert_eq!(sums(&scene), [10_000, 0, 10_000, 0]);
    }
    assert_eq!(scene.state(), State::Unknown);
}

#[test]
fn a_confirmed_refund_is_counted_once() {
    let mut scene = Scene::refund().unknown();
    for _ in 0..3 {
        scene.see("re_1", Shown::Done);
        assert_eq!(sums(&scene), [10_000, 10_000, 0, 0]);
    }
    assert_eq!((scene.state(), scene.case()), (State::Succeeded, None));
}

#[test]
fn a_refused_refund_frees_its_amount_once_and_asks_a_person() {
    let mut scene = Scene::refund().declined();
    assert_eq!(sums(&scene), [10_000, 0, 0, 0]);
    assert_eq!(scene.case(), Some(ReviewReason::RefundDeclined));
    scene.see("re_1", failed());
    assert_eq!(sums(&scene), [10_000, 0, 0, 0]);
    scene.focus = scene.parent().operation.id;
    scene.compensate("again", Some(10_000)).expect("free again");
}

#[test]
fn a_listed_refusal_of_the_refund_frees_its_amount_and_asks_a_person() {
    let mut scene = Scene::refund().submitting();
    scene.answered(refusal());
    assert_eq!(scene.state(), State::Declined);
    assert_eq!(scene.case(), Some(ReviewReason::RefundDeclined));
    assert_eq!(sums(&scene), [10_000, 0, 0, 0]);
}

#[test]
fn a_proven_absence_frees_the_amount() {
    let mut scene = Scene::refund().unknown();
    for seconds in [90, 10, 10] {
        scene.after(seconds).not_found();
    }
    assert_eq!(scene.state(), State::Canceled);
    assert_eq!(sums(&scene), [10_000, 0, 0, 0]);
}

#[test]
fn a_refund_that_comes_back_is_free_again_once_and_opens_a_case() {
    let mut scene = Scene::refund().succeeded();
    for _ in 0..3 {
        scene.after(3 * 86_400).see("re_1", failed());
        assert_eq!(sums(&scene), [10_000, 0, 0, 0]);
    }
    assert_eq!(scene.state(), State::Succeeded);
    assert!(scene.operation().reversed_at.is_some());
    assert_eq!(scene.case(), Some(ReviewReason::RefundReversed));
    assert!(scene.parent().operation.fulfilment_forbidden);
    scene.focus = scene.parent().operation.id;
    scene.compensate("again", None).expect("free again");
}

#[test]
fn a_refund_shown_failed_and_done_gave_the_money_back() {
    let mut scene = Scene::refund().unknown();
    let dead = scene.ours("re_1", failed());
    let done = scene.ours("re_2", Shown::Done);
    scene.looked_up(found(vec![dead, done]));
    assert_eq!(scene.state(), State::Succeeded);
    assert_eq!(sums(&scene), [10_000, 10_000, 0, 0]);
}

#[test]
fn two_refunds_for_one_compensation_open_a_case() {
    let mut scene = Scene::refund().unknown();
    let both = ["re_1", "re_2"].map(|id| scene.ours(id, Shown::Done));
    scene.looked_up(found(both.to_vec()));
    assert_eq!(scene.state(), State::Succeeded);
    assert_eq!(scene.case(), Some(ReviewReason::DuplicateEffect));

    let mut scene = Scene::refund().succeeded();
    scene.see("re_2", Shown::Done);
    assert_eq!(scene.case(), Some(ReviewReason::DuplicateEffect));
}

#[test]
fn the_failure_of_another_refund_is_no_reversal() {
    let mut scene = Scene::refund().succeeded();
    scene.see("re_0", failed());
    assert_eq!(scene.operation().reversed_at, None);
    assert_eq!(sums(&scene), [10_000, 10_000, 0, 0]);
}

#[test]
fn money_that_went_back_after_a_refusal_blocks_further_refunds() {
    let mut scene = Scene::refund().declined();
    scene.see("re_1", Shown::Done);
    assert_eq!(scene.case(), Some(ReviewReason::Contradiction));
    let operation_id = scene.focus;
    scene.focus = scene.parent().operation.id;
    assert_eq!(
        scene.compensate("again", Some(1)),
        Err(Refusal::Unresolved { operation_id })
    );
}

#[test]
fn a_refund_of_another_amount_blocks_further_refunds() {
    let mut scene = Scene::refund().declined();
    let other = Sighting {
        amount: Some(usd(5_000)),
        ..scene.ours("re_1", Shown::Done)
    };
    scene.looked_up(found(vec![other]));
    assert_eq!(scene.case(), Some(ReviewReason::AmountMismatch));
    let operation_id = scene.focus;
    scene.focus = scene.parent().operation.id;
    assert_eq!(
        scene.compensate("again", Some(1)),
        Err(Refusal::Unresolved { operation_id })
    );
}

#[test]
fn our_own_refund_is_not_taken_for_an_outside_one() {
    let mut scene = Scene::refund().unknown();
    scene.focus = scene.parent().operation.id;
    let paid = Sighting {
        given_back: 10_000,
        ..scene.ours("pay_1", Shown::Done)
    };
    scene.looked_up(found(vec![paid]));
    assert_eq!(sums(&scene), [10_000, 0, 10_000, 0]);
}

#[test]
fn a_chargeback_leaves_nothing_to_give_back() {
    let mut scene = Scene::charge().succeeded();
    let own = &mut scene.kept.get_mut(&scene.focus).expect("own").record;
    own.effects[0].charged_back = 10_000;
    assert_eq!(scene.compensate("one", Some(1)), Err(exceeds(&scene)));
}

#[test]
fn a_named_duplicate_is_given_back_and_the_paid_order_stays_paid() {
    let mut scene = Scene::charge().succeeded();
    scene.see("pay_2", Shown::Done);
    let mut asked = scene.asked("duplicate", None);
    asked.request.provider_payment_id = Some(payment("pay_2"));
    let refund = asked.child;
    scene
        .hand(&Event::Compensate(asked))
        .expect("a confirmed effect");
    assert!(!scene.operation().fulfilment_forbidden);
    assert_eq!(
        sums(&scene),
        [10_000, 0, 0, 0],
        "the primary one is untouched"
    );
    scene.focus = refund;
    let scene = scene.succeeded();
    assert_eq!(scene.operation().intent.target, Some(payment("pay_2")));
    assert_eq!(scene.parent().effects[1].refunded, 10_000);
}

#[test]
fn late_money_is_given_back_by_its_name_whatever_the_state() {
    let mut scene = Scene::charge().declined();
    scene.see("pay_2", Shown::Done);
    let mut asked = scene.asked("late", None);
    asked.request.provider_payment_id = Some(payment("pay_2"));
    let refund = asked.child;
    scene
        .hand(&Event::Compensate(asked))
        .expect("goes by the effect");
    scene.focus = refund;
    let scene = scene.succeeded();
    assert!(!scene.parent().money_stands_after_all());
}

#[test]
fn a_refund_has_a_key_of_its_own() {
    let scene = Scene::refund();
    let keys = [scene.operation(), &scene.parent().operation].map(|o| &o.intent.provider_key);
    assert_ne!(keys[0], keys[1]);
}

#[test]
fn a_refund_follows_the_rules_of_an_attempt() {
    let mut scene = Scene::refund().submitting();
    scene.not_sent();
    assert_eq!(scene.state(), State::Queued);
    scene.after(2).open().expect("again");
    scene.ambiguous(Hint::default());
    assert_eq!(scene.state(), State::Unknown);
    scene.after(11).not_found();
    scene.open().expect("a resend");
    assert_eq!(sums(&scene), [10_000, 0, 10_000, 0]);
}
