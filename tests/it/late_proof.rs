//! Time alone settles nothing: a person is asked, and look-ups go on.

use payonce::proto::v1::{Fulfilment, OperationState, Outcome, ReviewReason, SafeNextAction};
use serde_json::json;

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge, give_back};

both_databases!(
    a_payment_found_after_a_person_was_asked_has_succeeded,
    |database| async move {
        let options = WorldOptions {
            observation_window_s: 1,
            visibility_lag_ms: 3_600_000,
            ..WorldOptions::default()
        };
        let world = World::start(database, options).await;
        let caller = world.caller();
        let half_an_hour = json!({"kind": "drop_response", "hide_ms": 1_800_000});
        world
            .judge()
            .fault("order-1", "payment", 1, half_an_hour)
            .await;

        let lost = caller.pay(charge("order-1", "pm_ok")).await;
        let asked = caller.until_review(&lost.operation_id).await;
        let review = asked.review.clone().unwrap();
        assert_eq!(review.reason(), ReviewReason::ObservationWindowOver);
        assert_eq!(asked.state(), OperationState::Unknown);
        assert_eq!(asked.outcome(), Outcome::Pending);
        assert_eq!(asked.safe_next_action(), SafeNextAction::WaitForPerson);
        assert_ne!(asked.fulfilment(), Fulfilment::Allowed);

        world.judge().shift_clock(1801).await;
        let paid = caller.until(&lost.operation_id, Outcome::Succeeded).await;
        assert!(paid.review.is_none(), "the evidence closed the case");
        assert_eq!(paid.safe_next_action(), SafeNextAction::FulfilOnce);
        let states = caller.states(&lost.operation_id).await;
        assert!(!states.contains(&OperationState::Declined), "{states:?}");
        assert_eq!(world.judge().charges("order-1").await.len(), 1);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

both_databases!(
    an_order_canceled_while_unknown_is_given_back_once,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let lost = caller.pay(charge("order-1", "pm_lagging")).await;
        assert_eq!(lost.state(), OperationState::Unknown);

        let mut instruction = give_back(&lost.operation_id, "canceled");
        instruction.when_resolved = true;
        let accepted = caller.compensate(instruction.clone()).await.unwrap();
        assert!(accepted.compensation.is_none());
        let parent = accepted.operation.unwrap();
        assert_eq!(parent.outcome(), Outcome::Pending);
        assert_eq!(parent.fulfilment(), Fulfilment::Forbidden);
        let again = caller.compensate(instruction).await.unwrap();
        assert!(again.replayed);

        let back = caller.until(&lost.operation_id, Outcome::Refunded).await;
        assert_eq!(back.fulfilment(), Fulfilment::Forbidden);
        assert_eq!(back.compensations.len(), 1);
        assert_eq!(back.compensations[0].label, "canceled");
        assert_eq!(world.judge().charges("order-1").await.len(), 1);
        let refunds = world.judge().refunds("order-1").await;
        assert_eq!(refunds.len(), 1);
        assert_eq!(refunds[0].amount, 4900);
    }
);
