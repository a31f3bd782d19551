//! P1, P6 and P9: one payment of an order at a time.

use crate::domain::decide::Context;
use crate::domain::decide::testing::*;
use crate::domain::decide::{CreatePlace, Event, Opening, create};
use crate::domain::evidence::Shown;
use crate::domain::fact::Fact;
use crate::domain::ids::{AttemptId, CaseId, OperationId};
use crate::domain::kind::Kind;
use crate::domain::operation::Record;
use crate::domain::refusal::Refusal;
use crate::domain::state::State;

/// A charge of the same order under another purpose, beside `sibling`.
fn beside(sibling: &Scene) -> Scene {
    let mut scene = Scene::payment(Kind::Charge, "deposit", stripe_like());
    scene.order = vec![sibling.record().clone()];
    scene
}

fn unresolved(sibling: &Scene) -> Refusal {
    let operation_id = sibling.focus;
    Refusal::Unresolved { operation_id }
}

/// Declined; then its payment turns up, and a person has closed the case.
fn declined_with_late_money() -> Scene {
    let mut scene = Scene::charge().declined();
    scene.see("pay_2", Shown::Done);
    let case_id = scene.operation().review.as_ref().expect("a case").case_id;
    scene.write(scene.focus, "resolved", &[Fact::ReviewClosed { case_id }]);
    scene
}

fn in_the_way() -> Vec<Scene> {
    let mut disputed = Scene::charge().succeeded();
    disputed.see("pay_1", failed());
    vec![
        Scene::charge().queued(),
        Scene::charge().submitting(),
        Scene::charge().unknown(),
        Scene::charge().showing(Shown::Processing),
        Scene::charge().showing(action_until(None)),
        disputed,
        declined_with_late_money(),
    ]
}

#[test]
fn submit_is_refused_beside_an_unresolved_or_disputed_payment() {
    for sibling in in_the_way() {
        let refused = Err(unresolved(&sibling));
        assert_eq!(beside(&sibling).submit(), refused, "{}", sibling.state());
    }
}

#[test]
fn creating_with_submit_is_refused_in_the_same_way() {
    for sibling in in_the_way() {
        let order = [sibling.record().clone()];
        let id = OperationId(uuid::Uuid::from_u128(9));
        let place = CreatePlace {
            id,
            tenant: &tenant(),
            purpose: &purpose("deposit"),
            account: &account(),
            generation: 1,
            exclusive: true,
            order: &order,
            submit: Some(Some(opening(AttemptId(uuid::Uuid::from_u128(8)), START))),
        };
        let context = Context {
            policy: &stripe_like(),
            deployment: "default",
            now: START,
            recovery: None,
            jitter: 500,
            case_id: CaseId(uuid::Uuid::from_u128(7)),
            child: id,
        };
        let made = create(&request(Kind::Charge), place, context);
        assert_eq!(made, Err(unresolved(&sibling)), "{}", sibling.state());
    }
}

#[test]
fn submit_goes_ahead_beside_what_is_settled_or_was_never_submitted() {
    for sibling in [
        Scene::charge(),
        Scene::charge().succeeded(),
        Scene::charge().declined(),
        Scene::charge().canceled(),
    ] {
        let mut scene = beside(&sibling);
        scene.submit().expect("nothing in the way");
        assert_eq!(scene.state(), State::Queued);
    }
}

fn independent(record: &mut Record) {
    record.operation.intent.exclusive = false;
}

#[test]
fn independent_purposes_may_be_paid_at_the_same_time() {
    let mut scene = beside(&Scene::charge().unknown());
    scene.order.iter_mut().for_each(independent);
    scene.submit().expect("the other purpose is independent");

    let mut scene = beside(&Scene::charge().unknown());
    independent(&mut scene.kept.get_mut(&scene.focus).expect("own").record);
    scene.submit().expect("its own purpose is independent");
}

#[test]
fn generations_of_one_purpose_are_never_independent() {
    let sibling = declined_with_late_money();
    let mut scene = beside(&sibling);
    scene.order.iter_mut().for_each(independent);
    scene.order[0].operation.intent.purpose = purpose("deposit");
    independent(&mut scene.kept.get_mut(&scene.focus).expect("own").record);
    assert_eq!(scene.submit(), Err(unresolved(&sibling)));
}

#[test]
fn what_refuses_submit_refuses_the_dispatch_too() {
    let sibling = declined_with_late_money();
    let mut scene = Scene::payment(Kind::Charge, "deposit", stripe_like()).queued();
    scene.order = vec![sibling.record().clone()];
    assert_eq!(scene.open(), Err(unresolved(&sibling)));

    let mut scene = Scene::payment(Kind::Charge, "deposit", stripe_like()).unknown();
    scene.order = vec![sibling.record().clone()];
    scene.after(11).not_found();
    assert_eq!(scene.open(), Err(unresolved(&sibling)), "a resend");
}

#[test]
fn a_queued_row_that_may_not_be_sent_comes_due_later() {
    let mut scene = Scene::charge().queued();
    scene.after(1).overdue();
    assert_eq!(scene.state(), State::Queued);
    assert!(scene.operation().next_check_at > Some(scene.now));
}

#[test]
fn a_refund_is_dispatched_whatever_else_the_order_waits_for() {
    let mut scene = Scene::refund();
    scene.order = vec![Scene::charge().unknown().record().clone()];
    scene.open().expect("a refund is no payment of the order");
}

#[test]
fn any_number_of_submits_is_one_submit() {
    for mut scene in in_the_way() {
        let before = scene.operation().clone();
        let attempt = AttemptId(scene.new_id());
        let opening = Opening {
            attempt,
            not_after: scene.now,
        };
        scene.hand(&Event::Submit(Some(opening))).expect("it joins");
        assert_eq!(scene.operation(), &before);
    }
}

#[test]
fn nothing_is_sent_while_a_person_is_asked() {
    let mut scene = Scene::charge();
    let mut keyless = scene.ours("pay_x", Shown::Done);
    keyless.key = None;
    scene.noticed(vec![keyless]);
    let attempt = AttemptId(scene.new_id());
    let now = scene.now;
    scene
        .hand(&Event::Submit(Some(opening(attempt, now))))
        .expect("handed over");
    assert_eq!(scene.state(), State::Queued);
    assert_eq!(scene.operation().progress.attempts, 0);
    assert_eq!(scene.open(), Err(Refusal::NoPlace(State::Queued)));
}
