//! What callers read: one test for each row of the table, and the overrides.

use crate::domain::decide::testing::*;
use crate::domain::evidence::{Shown, Sighting};
use crate::domain::fact::Fact;
use crate::domain::ids::OperationId;
use crate::domain::kind::Kind;
use crate::domain::outcome::{Answer, Fulfilment, Outcome, SafeNextAction};
use crate::domain::state::State;

use Fulfilment::{Allowed, Forbidden, Hold};

fn read(scene: &Scene) -> (Outcome, SafeNextAction, Fulfilment, bool) {
    let Answer {
        outcome,
        safe_next_action,
        fulfilment,
        is_final,
    } = scene.answer();
    (outcome, safe_next_action, fulfilment, is_final)
}

/// The payment behind a refund.
fn payment_of(mut refund: Scene) -> Scene {
    refund.focus = refund.parent().operation.id;
    refund
}

#[test]
fn every_outcome_has_its_action_and_fulfilment() {
    let authorize = || Scene::payment(Kind::Authorize, "purchase", stripe_like());
    let part = || {
        Scene::charge()
            .succeeded()
            .refunding(Some(4_000))
            .succeeded()
    };
    for (scene, expected) in [
        (
            Scene::charge(),
            (
                Outcome::NotSubmitted,
                SafeNextAction::Submit,
                Forbidden,
                false,
            ),
        ),
        (
            Scene::charge().queued(),
            (Outcome::Pending, SafeNextAction::Poll, Hold, false),
        ),
        (
            Scene::charge().submitting(),
            (Outcome::Pending, SafeNextAction::Poll, Hold, false),
        ),
        (
            Scene::charge().unknown(),
            (Outcome::Pending, SafeNextAction::Poll, Hold, false),
        ),
        (
            Scene::charge().showing(Shown::Processing),
            (Outcome::Pending, SafeNextAction::Poll, Hold, false),
        ),
        (
            Scene::charge().showing(action_until(None)),
            (
                Outcome::RequiresCustomerAction,
                SafeNextAction::CompleteCustomerAction,
                Hold,
                false,
            ),
        ),
        (
            authorize().showing(Shown::Held),
            (
                Outcome::Authorized,
                SafeNextAction::CaptureOrVoid,
                Hold,
                false,
            ),
        ),
        (
            Scene::charge().succeeded(),
            (
                Outcome::Succeeded,
                SafeNextAction::FulfilOnce,
                Allowed,
                true,
            ),
        ),
        (
            Scene::charge().declined(),
            (
                Outcome::Declined,
                SafeNextAction::OfferAnotherMethod,
                Forbidden,
                true,
            ),
        ),
        (
            Scene::charge().canceled(),
            (Outcome::Canceled, SafeNextAction::None, Forbidden, true),
        ),
        (
            payment_of(Scene::refund().unknown()),
            (
                Outcome::RefundPending,
                SafeNextAction::Poll,
                Forbidden,
                false,
            ),
        ),
        (
            payment_of(part()),
            (Outcome::PartiallyRefunded, SafeNextAction::None, Hold, true),
        ),
        (
            payment_of(Scene::refund().succeeded()),
            (
                Outcome::Refunded,
                SafeNextAction::DoNotFulfil,
                Forbidden,
                true,
            ),
        ),
        (
            authorize().forced(State::Voided),
            (
                Outcome::Refunded,
                SafeNextAction::DoNotFulfil,
                Forbidden,
                true,
            ),
        ),
    ] {
        assert_eq!(read(&scene), expected, "{}", scene.state());
    }
}

#[test]
fn an_open_review_makes_the_caller_wait_for_a_person() {
    let mut scene = Scene::charge().unknown();
    scene.after(900).overdue();
    assert_eq!(
        read(&scene),
        (Outcome::Pending, SafeNextAction::WaitForPerson, Hold, false)
    );
}

#[test]
fn a_disagreement_forbids_fulfilment_of_what_succeeded() {
    let mut scene = Scene::charge().succeeded();
    scene.see("pay_1", failed());
    assert_eq!(
        read(&scene),
        (
            Outcome::Succeeded,
            SafeNextAction::WaitForPerson,
            Forbidden,
            false
        )
    );
}

#[test]
fn late_money_of_a_declined_payment_waits_for_a_person_until_it_is_given_back() {
    let mut scene = Scene::charge().declined();
    scene.see("pay_2", Shown::Done);
    let waits = (
        Outcome::Declined,
        SafeNextAction::WaitForPerson,
        Forbidden,
        false,
    );
    assert_eq!(read(&scene), waits);
    let case_id = scene.operation().review.as_ref().expect("a case").case_id;
    scene.write(scene.focus, "resolved", &[Fact::ReviewClosed { case_id }]);
    assert_eq!(read(&scene), waits, "also once the case is closed");
}

#[test]
fn fulfilment_stays_forbidden_when_the_full_refund_is_refused() {
    let scene = payment_of(Scene::refund().declined());
    assert_eq!(
        read(&scene),
        (
            Outcome::Succeeded,
            SafeNextAction::WaitForPerson,
            Forbidden,
            true
        )
    );
}

#[test]
fn a_refused_part_leaves_the_order_to_be_fulfilled() {
    let scene = Scene::charge().succeeded().refunding(Some(1)).declined();
    let scene = payment_of(scene);
    assert_eq!(
        read(&scene),
        (
            Outcome::Succeeded,
            SafeNextAction::FulfilOnce,
            Allowed,
            true
        )
    );
}

#[test]
fn a_superseded_operation_says_nothing_to_do() {
    let mut scene = Scene::charge().declined();
    let by = OperationId(scene.new_id());
    scene.write(scene.focus, "supersede", &[Fact::SupersededBy { by }]);
    assert_eq!(scene.answer().safe_next_action, SafeNextAction::None);
}

#[test]
fn a_refund_reads_as_a_step() {
    let reversed = {
        let mut scene = Scene::refund().succeeded();
        scene.see("re_1", failed());
        scene
    };
    for (scene, outcome, action) in [
        (Scene::refund(), Outcome::Pending, SafeNextAction::Poll),
        (
            Scene::refund().unknown(),
            Outcome::Pending,
            SafeNextAction::Poll,
        ),
        (
            Scene::refund().succeeded(),
            Outcome::Succeeded,
            SafeNextAction::None,
        ),
        (
            Scene::refund().declined(),
            Outcome::Declined,
            SafeNextAction::WaitForPerson,
        ),
        (
            Scene::refund().canceled(),
            Outcome::Canceled,
            SafeNextAction::None,
        ),
        (reversed, Outcome::Succeeded, SafeNextAction::WaitForPerson),
    ] {
        let answer = scene.answer();
        assert_eq!((answer.outcome, answer.safe_next_action), (outcome, action));
        assert_eq!(
            answer.fulfilment, Forbidden,
            "nothing is delivered on a refund's word"
        );
    }
}

#[test]
fn what_others_gave_back_counts() {
    for (given_back, outcome) in [
        (1, Outcome::PartiallyRefunded),
        (9_999, Outcome::PartiallyRefunded),
        (10_000, Outcome::Refunded),
    ] {
        let mut scene = Scene::charge().succeeded();
        let paid = Sighting {
            given_back,
            ..scene.ours("pay_1", Shown::Done)
        };
        scene.looked_up(found(vec![paid]));
        assert_eq!(scene.answer().outcome, outcome);
    }
}
