//! The processor took the money and its answer was lost, or it said nothing
//! that can be believed: the operation is unknown until a look-up tells, and
//! whatever is sent again is the same request under the same key.

use payonce::proto::v1::{OperationState, Outcome};
use serde_json::json;

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge};

both_databases!(
    a_resend_has_the_same_key_and_the_same_bytes,
    |database| async move {
        let options = WorldOptions::default().with_a_quick_proof();
        let world = World::start(database, options).await;
        let caller = world.caller();
        let hidden = json!({"kind": "drop_response", "hide_ms": 600_000});
        world.judge().fault("order-1", "payment", 1, hidden).await;

        caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;

        let sent = world.judge().charges("order-1").await;
        assert!(sent.len() > 1, "the look-up could not see it");
        assert!(sent[0].idempotency_key.is_some());
        for again in &sent[1..] {
            assert_eq!(again.idempotency_key, sent[0].idempotency_key);
            assert_eq!(again.body_sha256, sent[0].body_sha256);
        }
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

both_databases!(
    a_kept_alive_connection_that_closes_is_not_tried_again,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        // Leaves a connection behind that the next request is written to.
        caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;

        let paid = caller
            .pay_until(charge("order-2", "pm_drop_response"), Outcome::Succeeded)
            .await;

        let states = caller.states(&paid.operation_id).await;
        assert!(states.contains(&OperationState::Unknown), "{states:?}");
        assert_eq!(world.judge().charges("order-2").await.len(), 1);
        assert_eq!(world.judge().captures("order-2").await.len(), 1);
    }
);

both_databases!(
    a_search_that_lags_does_not_lead_to_a_second_request,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();

        let paid = caller
            .pay_until(charge("order-1", "pm_lagging"), Outcome::Succeeded)
            .await;

        let requests = world.judge().requests("order-1").await;
        let looks = requests.iter().filter(|it| it.method == "GET").count();
        assert!(looks > 1, "looked before it could be seen: {requests:#?}");
        assert_eq!(world.judge().charges("order-1").await.len(), 1);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
        assert_eq!(paid.attempt_count, 1);
    }
);

both_databases!(
    our_own_reference_finds_a_lost_payment,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();

        let paid = caller
            .pay_until(charge("order-1", "pm_drop_response"), Outcome::Succeeded)
            .await;

        let found = &world.judge().payments("order-1").await[0];
        assert_eq!(paid.provider_payment_id, found.id);
        let requests = world.judge().requests("order-1").await;
        let look_up = requests.iter().find(|it| it.method == "GET").unwrap();
        assert!(look_up.path.contains("reference=order-1"), "{look_up:?}");
        assert_eq!(found.captures.len(), 1);
    }
);

both_databases!(
    what_cannot_be_read_is_unknown_and_never_a_decline,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        for (order, method) in [("html", "pm_garbage"), ("error", "pm_error_captured")] {
            let paid = caller
                .pay_until(charge(order, method), Outcome::Succeeded)
                .await;
            let states = caller.states(&paid.operation_id).await;
            assert!(states.contains(&OperationState::Unknown), "{states:?}");
            assert_eq!(world.judge().captures(order).await.len(), 1);
        }
        for kind in ["empty_body", "truncated_json", "unknown_status"] {
            let fault = json!({"kind": kind});
            world.judge().fault(kind, "payment", 1, fault).await;
            let paid = caller
                .pay_until(charge(kind, "pm_ok"), Outcome::Succeeded)
                .await;
            let states = caller.states(&paid.operation_id).await;
            assert!(states.contains(&OperationState::Unknown), "{states:?}");
            assert_eq!(world.judge().captures(kind).await.len(), 1);
        }
    }
);

both_databases!(
    an_answer_in_use_to_a_resend_is_waited_out,
    |database| async move {
        let options = WorldOptions {
            in_flight_bound_ms: 10_000,
            visibility_lag_ms: 300,
            ..WorldOptions::default()
        };
        let world = World::start(database, options).await;
        let caller = world.caller();
        // The first request arrives late, the second is told that it is under
        // way.
        let late = json!({"kind": "hold_request", "delay_ms": 5000});
        world.judge().fault("order-1", "payment", 1, late).await;
        let in_use = json!({"kind": "in_progress"});
        world.judge().fault("order-1", "payment", 3, in_use).await;

        let first = caller.pay(charge("order-1", "pm_ok")).await;
        assert_eq!(first.outcome(), Outcome::Pending);
        caller.until(&first.operation_id, Outcome::Succeeded).await;

        let sent = world.judge().charges("order-1").await;
        let answers: Vec<_> = sent.iter().map(|it| it.answer).collect();
        assert!(answers.contains(&Some(409)), "{answers:?}");
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

both_databases!(
    too_many_requests_are_spaced_as_asked,
    |database| async move {
        let options = WorldOptions::default().with_a_quick_proof();
        let world = World::start(database, options).await;
        let caller = world.caller();
        let busy = json!({"kind": "error_before", "status": 429, "retry_after_s": 2});
        world.judge().fault("order-1", "payment", 2, busy).await;

        let first = caller.pay(charge("order-1", "pm_ok")).await;
        assert_eq!(first.outcome(), Outcome::Pending, "at the agent deadline");
        caller.until(&first.operation_id, Outcome::Succeeded).await;

        let sent = world.judge().charges("order-1").await;
        let answers: Vec<_> = sent.iter().map(|it| it.answer).collect();
        assert_eq!(answers, [Some(429), Some(429), Some(200)]);
        for pair in sent.windows(2) {
            assert_eq!(pair[0].idempotency_key, pair[1].idempotency_key);
            assert_eq!(pair[0].body_sha256, pair[1].body_sha256);
            assert!(pair[1].at_ms - pair[0].at_ms >= 2000, "{sent:#?}");
        }
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

both_databases!(
    a_request_that_never_arrived_ends_in_a_proof,
    |database| async move {
        let options = WorldOptions::default().with_a_quick_proof();
        let world = World::start(database, options).await;
        let caller = world.caller();

        let lost = caller
            .pay_until(charge("order-1", "pm_drop_request"), Outcome::Canceled)
            .await;
        assert!(lost.r#final);
        assert!(world.judge().payments("order-1").await.is_empty());

        let mut next = charge("order-1", "pm_ok");
        next.supersedes_operation_id = lost.operation_id.clone();
        let paid = caller.pay_until(next, Outcome::Succeeded).await;
        assert_eq!(paid.generation, 2);
        assert_eq!(paid.supersedes, lost.operation_id);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);
