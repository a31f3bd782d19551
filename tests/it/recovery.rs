//! A database that went back: an older copy was restored, or a standby that
//! lagged took over. What was lost is asked for again, and the processor's
//! ledger shows that nothing happened twice.

use payonce::proto::v1::{OperationState, Outcome};

use crate::lab::cluster::{Cluster, PRIMARY, Replication, STANDBY};
use crate::lab::database::{TestDatabase, both_databases};
use crate::lab::harness::{Caller, World, WorldOptions, charge, eventually, give_back};

const AN_HOUR: u32 = 3600;

/// What stays UNKNOWN until the database goes back; the rest is quick.
fn slow_to_look(options: WorldOptions) -> WorldOptions {
    WorldOptions {
        agent_deadline_ms: 500,
        look_up_schedule_ms: &[1500],
        look_up_interval_ms: 1500,
        clock_sample_ms: 100,
        witness: true,
        ..options.with_a_quick_proof()
    }
}

both_databases!(
    an_older_copy_waits_for_a_person_and_takes_nothing_twice,
    |database| async move {
        let options = slow_to_look(WorldOptions::default());
        restore_an_older_copy(database, options, 0).await;
    }
);

both_databases!(
    a_copy_older_than_the_processors_memory_of_keys,
    |database| async move {
        let options = slow_to_look(WorldOptions::default());
        restore_an_older_copy(database, options, 10 * AN_HOUR).await;
    }
);

both_databases!(
    an_older_copy_where_there_are_no_keys,
    |database| async move {
        let options = slow_to_look(WorldOptions::without_keys("no_idempotency"));
        restore_an_older_copy(database, options, 0).await;
    }
);

async fn restore_an_older_copy(database: TestDatabase, options: WorldOptions, later: u32) {
    let mut world = World::start(database, options).await;
    let kept = charge("order-kept", "pm_ok");
    let kept = world.caller().pay_until(kept, Outcome::Succeeded).await;
    world.stop(0).await;
    world.keep_copy();
    world.restart(0).await;
    lose_later(&world.caller(), &kept.operation_id).await;
    world.stop(0).await;
    world.restore_copy();
    world.restart_later(0, later).await;

    let standing = world.standing();
    assert_eq!(standing["state"], "AWAITING_CONFIRMATION", "{standing}");
    let caller = world.caller();
    let posted = posts(&world).await;
    let new = caller.pay(charge("order-new", "pm_ok")).await;
    assert_eq!(new.outcome(), Outcome::Pending);
    ask_again(&caller, &kept.operation_id).await;
    eventually("it was looked up several times", async || {
        let rows = caller.history(&new.operation_id).await.len();
        (rows > 4).then_some(()).ok_or_else(|| rows.to_string())
    })
    .await;
    let waiting = caller.status(&new.operation_id).await;
    assert_eq!(waiting.state(), OperationState::Queued);
    assert_eq!(posts(&world).await, posted, "sent before it was confirmed");

    let other = world.recovery(&["confirm", "--epoch", "1", "--by", "anna"]);
    assert_eq!(other.expect_err("another epoch")["exit_code"], 5);
    world.say("confirm");
    caller.until(&new.operation_id, Outcome::Succeeded).await;
    nothing_happened_twice(&world, &kept.operation_id).await;

    world.say("end");
    let after = charge("order-after", "pm_ok");
    caller.pay_until(after, Outcome::Succeeded).await;
    assert_eq!(world.standing()["state"], "NONE");
}

/// Nothing could notice a copy from which nothing is missing but what a person
/// knows of: the person begins the recovery.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_begins_a_recovery_while_the_service_runs() {
    let options = slow_to_look(WorldOptions::default());
    let world = World::start(TestDatabase::sqlite(), options).await;
    let begun = world.recovery(&[
        "begin",
        "--lost-since",
        "2026-01-31T08:00:00Z",
        "--by",
        "anna",
    ]);
    let begun = begun.expect("it can always be begun");
    assert_eq!(begun["state"], "AWAITING_CONFIRMATION");
    assert_eq!(begun["lost_since"], "2026-01-31T08:00:00Z");

    let caller = world.caller();
    let held = caller.pay(charge("order-1", "pm_ok")).await;
    assert_eq!(held.state(), OperationState::Queued);
    let mut recorded = charge("order-2", "pm_ok");
    recorded.submit = false;
    let recorded = caller.pay(recorded).await;
    let refused = caller
        .compensate(give_back(&recorded.operation_id, "back"))
        .await;
    assert_eq!(refused.unwrap_err().reason, "OPERATION_UNRESOLVED");
    world.say("confirm");
    caller.until(&held.operation_id, Outcome::Succeeded).await;
    world.say("end");
    let paid = charge("order-3", "pm_ok");
    caller.pay_until(paid, Outcome::Succeeded).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_that_lagged_takes_over_and_takes_nothing_twice() {
    let mut cluster = Cluster::with_standby(Replication::Async).await;
    let options = WorldOptions {
        witness: false,
        ..slow_to_look(WorldOptions::without_keys("no_idempotency"))
    };
    let database = TestDatabase::elsewhere(cluster.urls());
    let mut world = World::start(database, options).await;
    let kept = charge("order-kept", "pm_ok");
    let kept = world.caller().pay_until(kept, Outcome::Succeeded).await;
    cluster.let_the_standby_fall_behind().await;
    lose_later(&world.caller(), &kept.operation_id).await;
    world.kill9(0);
    cluster.kill9(PRIMARY);
    cluster.restart(STANDBY).await;
    cluster.promote();
    world.restart(0).await;

    let standing = world.standing();
    assert_eq!(standing["state"], "HELD", "{standing}");
    assert_eq!(standing["timeline"], "00000002");
    let caller = world.caller();
    ask_again(&caller, &kept.operation_id).await;
    let new = caller.pay(charge("order-new", "pm_ok")).await;
    caller.until(&new.operation_id, Outcome::Succeeded).await;
    nothing_happened_twice(&world, &kept.operation_id).await;
}

/// Rows that the copy does not have: one paid, one UNKNOWN, one refund.
async fn lose_later(caller: &Caller, kept: &str) {
    let paid = charge("order-paid", "pm_ok");
    caller.pay_until(paid, Outcome::Succeeded).await;
    caller
        .compensate(give_back(kept, "returned"))
        .await
        .unwrap();
    caller.until(kept, Outcome::Refunded).await;
    let unknown = caller
        .pay(charge("order-unknown", "pm_drop_response"))
        .await;
    let unknown = unknown.operation_id;
    caller
        .until_it(&unknown, "its answer is lost", |it| {
            it.state() == OperationState::Unknown
        })
        .await;
}

/// The callers never learned, or say it again to be sure.
async fn ask_again(caller: &Caller, kept: &str) {
    assert!(caller.operation("order-paid").await.is_err(), "it was lost");
    caller.pay(charge("order-paid", "pm_ok")).await;
    let unknown = charge("order-unknown", "pm_drop_response");
    caller.pay(unknown).await;
    let back = caller.compensate(give_back(kept, "returned")).await;
    assert!(!back.unwrap().replayed, "it was lost");
}

async fn nothing_happened_twice(world: &World, kept: &str) {
    let caller = world.caller();
    for order in ["order-paid", "order-unknown"] {
        let paid = caller.operation(order).await.unwrap();
        caller.until(&paid.operation_id, Outcome::Succeeded).await;
    }
    caller.until(kept, Outcome::Refunded).await;
    // Without keys the reference is not the order's id: all are counted.
    let payments = world.judge().all_payments().await;
    let captures = payments.iter().map(|it| it.captures.len());
    assert_eq!(captures.collect::<Vec<_>>(), [1; 4], "{payments:#?}");
    let refunds: usize = payments.iter().map(|it| it.refunds.len()).sum();
    assert_eq!(refunds, 1, "{payments:#?}");
}

async fn posts(world: &World) -> usize {
    let all = world.judge().all_requests().await;
    all.iter()
        .filter(|request| request.method == "POST")
        .count()
}
