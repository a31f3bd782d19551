//! The processor forgets keys: after that nothing is sent again.

use payonce::proto::v1::{OperationState, Outcome};
use serde_json::json;

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge, give_back};

const A_DAY_AND_AN_HOUR: u32 = 25 * 3600;

/// A look-up within the processor's key window cannot have seen the payment,
/// so that nothing is sent again before it ends; one a day later could.
fn a_lag_beyond_the_key_window() -> WorldOptions {
    WorldOptions {
        visibility_lag_ms: 20 * 3_600_000,
        ..WorldOptions::default()
    }
}

both_databases!(
    nothing_is_resent_when_the_key_may_be_forgotten,
    |database| async move {
        let mut world = World::start(database, a_lag_beyond_the_key_window()).await;
        let lost = world
            .caller()
            .pay(charge("order-1", "pm_drop_request"))
            .await;
        assert_eq!(lost.state(), OperationState::Unknown);

        world.let_time_pass(A_DAY_AND_AN_HOUR).await;
        let caller = world.caller();
        let asked = caller.until_review(&lost.operation_id).await;
        assert_eq!(asked.state(), OperationState::Unknown);
        caller.submit(&lost.operation_id).await.unwrap();

        assert_eq!(world.judge().charges("order-1").await.len(), 1);
    }
);

both_databases!(
    a_payment_of_yesterday_is_found_by_a_look_up,
    |database| async move {
        let mut world = World::start(database, a_lag_beyond_the_key_window()).await;
        let hidden = json!({"kind": "drop_response", "hide_ms": 24 * 3_600_000});
        world.judge().fault("order-1", "payment", 1, hidden).await;
        let lost = world.caller().pay(charge("order-1", "pm_ok")).await;
        assert_eq!(lost.state(), OperationState::Unknown);

        world.let_time_pass(A_DAY_AND_AN_HOUR).await;
        let caller = world.caller();
        let paid = caller.until(&lost.operation_id, Outcome::Succeeded).await;
        assert_eq!(paid.attempt_count, 1);

        assert_eq!(world.judge().charges("order-1").await.len(), 1);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

both_databases!(
    a_refund_with_a_lost_answer_stays_one_a_day_later,
    |database| async move {
        let mut world = World::start(database, a_lag_beyond_the_key_window()).await;
        let caller = world.caller();
        let paid = caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;
        let hidden = json!({"kind": "drop_response", "hide_ms": 24 * 3_600_000});
        world.judge().fault("order-1", "refund", 1, hidden).await;

        for _ in 0..3 {
            let request = give_back(&paid.operation_id, "returned");
            let parent = caller.compensate(request).await.unwrap().operation.unwrap();
            assert_eq!(parent.outcome(), Outcome::RefundPending);
            assert_eq!(parent.refund_pending.unwrap().minor_units, 4900);
            assert_eq!(parent.refunded.unwrap().minor_units, 0);
        }
        let other = caller
            .compensate(give_back(&paid.operation_id, "goodwill"))
            .await;
        assert_eq!(other.unwrap_err().reason, "OPERATION_UNRESOLVED");

        world.let_time_pass(A_DAY_AND_AN_HOUR).await;
        let caller = world.caller();
        let request = give_back(&paid.operation_id, "returned");
        let again = caller.compensate(request).await.unwrap();
        assert!(again.replayed);
        let back = caller.until(&paid.operation_id, Outcome::Refunded).await;
        assert_eq!(back.refunded.unwrap().minor_units, 4900);
        assert_eq!(back.refund_pending.unwrap().minor_units, 0);

        assert_eq!(world.judge().refunds("order-1").await.len(), 1);
        assert_eq!(world.judge().posts("order-1").await.len(), 2);
    }
);
