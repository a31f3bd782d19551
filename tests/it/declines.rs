//! A definite no, and what may come after it.

use payonce::proto::v1::{Fulfilment, Outcome, SafeNextAction};
use serde_json::json;
use tonic::Code;

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge};

both_databases!(
    a_corrected_request_is_the_next_generation_with_a_key_of_its_own,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let declined = caller
            .pay_until(charge("order-1", "pm_declined"), Outcome::Declined)
            .await;
        assert!(declined.r#final);
        assert!(declined.decline.is_some());
        assert_eq!(declined.fulfilment(), Fulfilment::Forbidden);
        let action = declined.safe_next_action();
        assert_eq!(action, SafeNextAction::OfferAnotherMethod);

        let unlinked = caller.create(charge("order-1", "pm_ok")).await.unwrap_err();
        assert_eq!(unlinked.code, Code::AlreadyExists);
        assert_eq!(unlinked.operation_id, declined.operation_id);
        assert_eq!(unlinked.fields, ["payment_method"]);

        let mut linked = charge("order-1", "pm_ok");
        linked.supersedes_operation_id = declined.operation_id.clone();
        let paid = caller.pay_until(linked.clone(), Outcome::Succeeded).await;
        assert_eq!(paid.generation, 2);
        assert_eq!(paid.supersedes, declined.operation_id);
        let declined = caller.status(&declined.operation_id).await;
        assert_eq!(declined.superseded_by, paid.operation_id);
        assert_eq!(declined.safe_next_action(), SafeNextAction::None);

        let again = caller.create(linked).await.unwrap();
        assert!(again.replayed);
        let sent = world.judge().charges("order-1").await;
        assert_eq!(sent.len(), 2);
        assert_ne!(sent[0].idempotency_key, sent[1].idempotency_key);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

both_databases!(
    each_operation_is_superseded_once_and_only_the_newest_can_be,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let declined = caller
            .pay_until(
                charge("order-1", "pm_insufficient_funds"),
                Outcome::Declined,
            )
            .await;
        let mut next = charge("order-1", "pm_ok");
        next.supersedes_operation_id = declined.operation_id.clone();
        let paid = caller.pay_until(next.clone(), Outcome::Succeeded).await;

        next.payment_method = "pm_declined".to_owned();
        let second = caller.create(next.clone()).await.unwrap_err();
        assert_eq!(second.reason, "KEY_REUSED_FOR_DIFFERENT_REQUEST");
        next.supersedes_operation_id = paid.operation_id.clone();
        let beside = caller.create(next).await.unwrap_err();
        assert_eq!(beside.reason, "NOT_SUPERSEDABLE");
        assert_eq!(beside.code, Code::FailedPrecondition);
        assert_eq!(caller.list().await.len(), 2);
    }
);

both_databases!(
    what_is_unknown_cannot_be_superseded,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let hidden = json!({"kind": "drop_response", "hide_ms": 2500});
        world.judge().fault("order-1", "payment", 1, hidden).await;
        let lost = caller.pay(charge("order-1", "pm_ok")).await;
        assert_eq!(lost.outcome(), Outcome::Pending);

        let mut next = charge("order-1", "pm_ok");
        next.supersedes_operation_id = lost.operation_id.clone();
        let refused = caller.create(next).await.unwrap_err();
        assert_eq!(refused.reason, "OPERATION_UNRESOLVED");
        assert_eq!(refused.code, Code::FailedPrecondition);
        assert_eq!(refused.operation_id, lost.operation_id);

        caller.until(&lost.operation_id, Outcome::Succeeded).await;
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

both_databases!(
    another_payment_of_an_unresolved_order_waits,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let hidden = json!({"kind": "drop_response", "hide_ms": 2500});
        world.judge().fault("order-1", "payment", 1, hidden).await;
        let lost = caller.pay(charge("order-1", "pm_ok")).await;
        assert_eq!(lost.outcome(), Outcome::Pending);

        let mut deposit = charge("order-1", "pm_ok");
        deposit.purpose = "deposit".to_owned();
        let refused = caller.create(deposit.clone()).await.unwrap_err();
        assert_eq!(refused.reason, "OPERATION_UNRESOLVED");
        assert_eq!(caller.list().await.len(), 1, "nothing was recorded");

        caller.until(&lost.operation_id, Outcome::Succeeded).await;
        caller.pay_until(deposit, Outcome::Succeeded).await;
        assert_eq!(world.judge().captures("order-1").await.len(), 2);
    }
);
