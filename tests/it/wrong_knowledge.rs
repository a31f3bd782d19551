//! What the processor tells is about something else, or older than what is
//! known: nothing moves backwards, and what does not fit is for a person.

use payonce::proto::v1::{Fulfilment, OperationState, Outcome, ReviewReason, SafeNextAction};
use serde_json::json;

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge, give_back};

both_databases!(
    another_amount_than_asked_for_is_no_success,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let part = json!({"kind": "amount_differs", "amount": 4800});
        world.judge().fault("order-1", "payment", 1, part).await;
        let odd = caller.pay(charge("order-1", "pm_ok")).await;
        let asked = caller.until_review(&odd.operation_id).await;
        assert_ne!(asked.outcome(), Outcome::Succeeded);
        assert_ne!(asked.fulfilment(), Fulfilment::Allowed);
        assert_eq!(asked.safe_next_action(), SafeNextAction::WaitForPerson);
        assert_eq!(
            asked.effects.len(),
            1,
            "the effect is not hidden: {asked:#?}"
        );
        assert_eq!(world.judge().charges("order-1").await.len(), 1);
    }
);

both_databases!(
    an_answer_about_another_payment_settles_nothing,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        caller
            .pay_until(charge("other", "pm_ok"), Outcome::Succeeded)
            .await;
        let swapped = json!({"kind": "other_payment"});
        world.judge().fault("order-1", "payment", 1, swapped).await;
        let paid = caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;
        let own = &world.judge().payments("order-1").await[0];
        assert_eq!(paid.provider_payment_id, own.id);
        let states = caller.states(&paid.operation_id).await;
        assert!(states.contains(&OperationState::Unknown), "{states:?}");
        assert_eq!(world.judge().charges("order-1").await.len(), 1);
        assert_eq!(world.judge().captures("other").await.len(), 1);
    }
);

both_databases!(
    an_older_state_after_a_newer_one_moves_nothing_back,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let waiting = caller
            .pay_until(
                charge("order-1", "pm_customer_action"),
                Outcome::RequiresCustomerAction,
            )
            .await;
        let payment = world.judge().payments("order-1").await.remove(0);
        let older = json!({"kind": "stale"});
        world.judge().fault("order-1", "look_up", 3, older).await;
        world.judge().move_payment(&payment.id, "succeeded").await;
        let paid = caller
            .until(&waiting.operation_id, Outcome::Succeeded)
            .await;
        let states = caller.states(&paid.operation_id).await;
        let settled = states
            .iter()
            .position(|it| *it == OperationState::Succeeded)
            .unwrap();
        let after = &states[settled..];
        assert!(
            after.iter().all(|it| *it == OperationState::Succeeded),
            "{states:?}"
        );
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

both_databases!(
    a_refused_refund_frees_its_amount_once,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let paid = caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;
        let refused = json!({"kind": "refund_fail"});
        world.judge().fault("order-1", "refund", 1, refused).await;
        let answer = caller
            .compensate(give_back(&paid.operation_id, "first"))
            .await
            .unwrap();
        let refund = answer.compensation.unwrap();
        caller.until(&refund.operation_id, Outcome::Declined).await;
        let parent = caller.status(&paid.operation_id).await;
        assert_eq!(parent.fulfilment(), Fulfilment::Forbidden);
        assert_eq!(parent.refund_pending.unwrap().minor_units, 0);
        assert_eq!(parent.refunded.unwrap().minor_units, 0);

        // All of it may be given back once more, and not twice.
        caller
            .compensate(give_back(&paid.operation_id, "second"))
            .await
            .unwrap();
        caller.until(&paid.operation_id, Outcome::Refunded).await;
        let third = caller
            .compensate(give_back(&paid.operation_id, "third"))
            .await;
        assert_eq!(third.unwrap_err().reason, "REFUND_EXCEEDS_CAPTURED");
        let given: i64 = world
            .judge()
            .refunds("order-1")
            .await
            .iter()
            .filter(|it| it.status == "succeeded")
            .map(|it| it.amount)
            .sum();
        assert_eq!(given, 4900);
    }
);

both_databases!(
    a_refund_whose_process_dies_keeps_its_reservation,
    |database| async move {
        let mut world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let paid = caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;
        let hidden = json!({"kind": "drop_response", "hide_ms": 4000});
        world.judge().fault("order-1", "refund", 1, hidden).await;
        caller
            .compensate(give_back(&paid.operation_id, "first"))
            .await
            .unwrap();
        world.kill9(0);
        world.restart(0).await;
        let caller = world.caller();
        let held = caller.status(&paid.operation_id).await;
        assert_eq!(held.refund_pending.unwrap().minor_units, 4900);
        let other = caller
            .compensate(give_back(&paid.operation_id, "second"))
            .await;
        assert_eq!(other.unwrap_err().reason, "OPERATION_UNRESOLVED");
        let back = caller.until(&paid.operation_id, Outcome::Refunded).await;
        assert_eq!(back.refund_pending.unwrap().minor_units, 0);
        assert_eq!(world.judge().refunds("order-1").await.len(), 1);
    }
);

both_databases!(
    a_payment_beside_ours_under_one_reference_is_for_a_person,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let lost = json!({"kind": "drop_response", "hide_ms": 1500});
        world.judge().fault("order-1", "payment", 1, lost).await;
        let unknown = caller.pay(charge("order-1", "pm_ok")).await;
        world.judge().pay_past_the_service("order-1").await;
        caller.until_review(&unknown.operation_id).await;
        // Ours is found, and the question about the other one stays.
        let found = caller
            .until_it(&unknown.operation_id, "ours is found", |it| {
                it.effects.len() == 1
            })
            .await;
        assert_ne!(found.fulfilment(), Fulfilment::Allowed);
        let review = found.review.expect("a case that stays open");
        assert_ne!(review.reason(), ReviewReason::ObservationWindowOver);
        let arrived = world.judge().charges("order-1").await.len();
        assert_eq!(arrived, 2, "one of them is not ours");
    }
);
