//! A replica is stopped, another takes over what it held, and then the first
//! goes on as if it held it still.

use payonce::proto::v1::{OperationState, Outcome};
use serde_json::json;

use crate::lab::database::TestDatabase;
use crate::lab::harness::{World, WorldOptions, charge, eventually};
use crate::lab::soak::{Faults, Goal, On, Soak};

/// Two replicas; the first one has handed a payment to the processor and was
/// stopped before it heard the answer. Returns the payment's id.
async fn stopped_in_the_middle(world: &mut World, fault: serde_json::Value) -> String {
    world.another_replica().await;
    world.judge().fault("order-1", "payment", 1, fault).await;
    let mut request = charge("order-1", "pm_ok");
    request.wait = Some(prost_types::Duration::default());
    let sent = world.caller().pay(request).await;
    eventually("the request has arrived", async || {
        let arrived = world.judge().charges("order-1").await;
        (arrived.len() == 1)
            .then_some(())
            .ok_or_else(|| format!("{arrived:?}"))
    })
    .await;
    world.freeze(0);
    sent.operation_id
}

/// The stopped replica goes on and serves others again; what it held is as the
/// other one left it.
async fn comes_back_and_changes_nothing(world: &World, id: &str) {
    let before = world.caller_of(1).history(id).await.len();
    world.thaw(0);
    world
        .caller()
        .pay_until(charge("order-2", "pm_ok"), Outcome::Succeeded)
        .await;
    let states = world.caller_of(1).states(id).await;
    let ends = states.iter().skip(before);
    for state in ends {
        assert_eq!(*state, OperationState::Succeeded, "{states:?}");
    }
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_taken_over_while_the_answer_is_on_its_way_ends_once() {
    let database = TestDatabase::postgres();
    let mut world = World::start(database, WorldOptions::default()).await;
    let late = json!({"kind": "delay_answer", "delay_ms": 700});
    let id = stopped_in_the_middle(&mut world, late).await;

    let other = world.caller_of(1);
    let paid = other.until(&id, Outcome::Succeeded).await;
    assert_eq!(paid.attempt_count, 1, "it was looked up and not sent again");
    comes_back_and_changes_nothing(&world, &id).await;
    assert_eq!(world.judge().charges("order-1").await.len(), 1);
}

/// The first request is written and still under way when its sender is
/// stopped, as one that was paused after the last look at the clock.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_lands_after_the_others_resend_has_the_same_key() {
    let database = TestDatabase::postgres();
    let options = WorldOptions {
        in_flight_bound_ms: 12_000,
        visibility_lag_ms: 300,
        ..WorldOptions::default()
    };
    let mut world = World::start(database, options).await;
    let under_way = json!({"kind": "hold_request", "delay_ms": 10_000});
    let id = stopped_in_the_middle(&mut world, under_way).await;

    let other = world.caller_of(1);
    other.until(&id, Outcome::Succeeded).await;
    let sent = eventually("both requests are through", async || {
        let sent = world.judge().charges("order-1").await;
        let through = sent.iter().filter(|it| it.outcome != "received").count();
        (through == 2).then_some(()).ok_or(format!("{sent:#?}"))?;
        Ok(sent)
    })
    .await;
    let outcomes: Vec<_> = sent.iter().map(|it| it.outcome.as_str()).collect();
    assert_eq!(
        outcomes,
        ["replayed", "executed"],
        "the second one landed first"
    );
    assert_eq!(sent[0].idempotency_key, sent[1].idempotency_key);
    assert_eq!(sent[0].body_sha256, sent[1].body_sha256);
    comes_back_and_changes_nothing(&world, &id).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_too_late_is_neither_sent_nor_written() {
    let soak = Soak {
        on: On::Postgres,
        seed: 1,
        buyers: 8,
        faults: Faults::ZOMBIES,
        goal: Goal::Zombies(5),
    };
    let report = soak.run(|_| {}).await;
    assert!(report.is_clean(), "{report:#?}");
    assert!(report.stale_dispatches_refused > 0, "{report:#?}");
    assert!(report.fenced_writes > 0, "{report:#?}");
}
