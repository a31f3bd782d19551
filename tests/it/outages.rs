//! The processor, its look-ups or the way to it are gone for a while: nothing
//! is taken for an answer, nothing storms, and afterwards everything is known.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::future::join_all;
use payonce::proto::v1::{LedgerEntry, OperationState, Outcome, ReviewReason, SafeNextAction};
use serde_json::json;

use crate::lab::database::{TestDatabase, both_databases};
use crate::lab::fault_proxy::{FaultProxy, Mode};
use crate::lab::harness::{GoBetween, World, WorldOptions, charge, eventually};

/// A world whose link to the processor can be cut.
async fn with_a_link(database: TestDatabase) -> (GoBetween, FaultProxy, World) {
    let between = GoBetween::start().await;
    let link = FaultProxy::start(between.addr()).await.unwrap();
    let options = WorldOptions {
        bank: Some(link.addr()),
        ..WorldOptions::default().with_a_quick_proof()
    };
    let world = World::start(database, options).await;
    between.lead_to(world.judge().address());
    (between, link, world)
}

both_databases!(
    a_link_that_is_cut_at_any_byte_charges_nobody_twice,
    |database| async move {
        let (_between, link, world) = with_a_link(database).await;
        let caller = world.caller();
        // Within the head, within the body, and after both.
        for (number, bytes) in [0, 1, 40, 150, 250, 330, 420].into_iter().enumerate() {
            let order = format!("order-{number}");
            link.set_mode(Mode::CutAfterRequestBytes(bytes));
            let first = caller.pay(charge(&order, "pm_ok")).await;
            link.set_mode(Mode::Pass);
            caller
                .until_it(&first.operation_id, "it is known", |it| it.r#final)
                .await;
            let captured = world.judge().captures(&order).await.len();
            let known = caller.status(&first.operation_id).await;
            let paid = known.outcome() == Outcome::Succeeded;
            assert_eq!(captured, usize::from(paid), "{bytes}: {known:#?}");
            let keys: HashSet<_> = world
                .judge()
                .charges(&order)
                .await
                .into_iter()
                .map(|it| (it.idempotency_key, it.body_sha256))
                .collect();
            assert!(keys.len() <= 1, "{keys:?}");
        }
        assert!(link.cuts() > 0, "nothing was cut");
    }
);

both_databases!(
    a_link_that_swallows_loses_or_delays_leaves_nothing_unknown,
    |database| async move {
        let (_between, link, world) = with_a_link(database).await;
        let caller = world.caller();
        let modes = [
            Mode::Blackhole,
            Mode::CutBeforeResponse,
            Mode::Delay(Duration::from_millis(300)),
        ];
        let mut paid = Vec::new();
        for (number, mode) in modes.into_iter().enumerate() {
            link.set_mode(mode);
            let orders = (0..4).map(|it| format!("order-{number}-{it}"));
            let pay = async |order: String| {
                let answer = caller.pay(charge(&order, "pm_ok")).await;
                (order, answer.operation_id)
            };
            paid.extend(join_all(orders.map(pay)).await);
        }
        link.set_mode(Mode::Pass);
        for (order, id) in paid {
            let known = caller.until_it(&id, "it is known", |it| it.r#final).await;
            let captured = world.judge().captures(&order).await.len();
            let succeeded = known.outcome() == Outcome::Succeeded;
            assert_eq!(captured, usize::from(succeeded), "{known:#?}");
        }
    }
);

/// Milliseconds from each try that did not leave to the next one.
fn pauses(history: &[LedgerEntry]) -> Vec<i64> {
    let at = |entry: &LedgerEntry| {
        let at = entry.recorded_at.unwrap();
        at.seconds * 1000 + i64::from(at.nanos) / 1_000_000
    };
    history
        .windows(2)
        .filter(|pair| pair[0].event == "not_sent")
        .map(|pair| at(&pair[1]) - at(&pair[0]))
        .collect()
}

/// Nothing can be sent: every operation waits longer and longer, and all are
/// sent once when the processor is back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_is_no_storm_and_the_backlog_drains() {
    const ORDERS: usize = 5;
    // A port that refuses until the processor is "back".
    let door = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = door.local_addr().unwrap();
    drop(door);
    let options = WorldOptions {
        bank: Some(address),
        ..WorldOptions::default().with_a_long_lease()
    };
    let world = World::start(TestDatabase::sqlite(), options).await;
    let caller = world.caller();
    let orders: Vec<String> = (0..ORDERS).map(|it| format!("order-{it}")).collect();
    let queued = join_all(
        orders
            .iter()
            .map(|order| caller.pay(charge(order, "pm_ok"))),
    )
    .await;
    for operation in &queued {
        assert_eq!(operation.outcome(), Outcome::Pending);
        caller
            .until_it(&operation.operation_id, "five tries", |it| {
                it.attempt_count >= 5
            })
            .await;
        // The schedule's first pause is 100 ms, a fifth of it jitter.
        let pauses = pauses(&caller.history(&operation.operation_id).await);
        for (number, pause) in pauses.iter().take(4).enumerate() {
            assert!(*pause >= 75 << number, "{pauses:?} ms");
        }
    }

    let judge = world.judge().address().parse().unwrap();
    let _back = FaultProxy::start_on(address, judge).await.unwrap();
    for (order, operation) in orders.iter().zip(&queued) {
        caller
            .until(&operation.operation_id, Outcome::Succeeded)
            .await;
        assert_eq!(world.judge().charges(order).await.len(), 1, "{order}");
        assert_eq!(world.judge().captures(order).await.len(), 1, "{order}");
    }
}

/// Every third answer is a failure: what is sent again stays within three
/// more per operation, and far below that on the whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flapping_processor_is_not_asked_more_than_it_must() {
    const ORDERS: usize = 12;
    let options = WorldOptions::default()
        .with_a_quick_proof()
        .with_a_long_lease();
    let world = World::start(TestDatabase::sqlite(), options).await;
    let caller = world.caller();
    let pay = async |number: usize| {
        let order = format!("order-{number}");
        if number.is_multiple_of(3) {
            let down = json!({"kind": "error_before", "status": 503});
            world.judge().fault(&order, "payment", 1, down).await;
        }
        caller
            .pay_until(charge(&order, "pm_ok"), Outcome::Succeeded)
            .await;
        assert_eq!(world.judge().captures(&order).await.len(), 1);
        world.judge().charges(&order).await.len()
    };
    let sent: usize = join_all((0..ORDERS).map(pay)).await.into_iter().sum();
    assert_eq!(sent, ORDERS + ORDERS / 3, "one more for each failure");
}

both_databases!(
    look_ups_that_fail_for_hours_are_no_verdict,
    |database| async move {
        let mut world = World::start(database, WorldOptions::default()).await;
        let lost = json!({"kind": "drop_response"});
        world.judge().fault("order-1", "payment", 1, lost).await;
        let down = json!({"kind": "error_before", "status": 503});
        let always = 1_000_000;
        world
            .judge()
            .fault("order-1", "look_up", always, down)
            .await;
        let unknown = world.caller().pay(charge("order-1", "pm_ok")).await;

        world.let_time_pass(2 * 3600).await;
        let asked = world.caller().until_review(&unknown.operation_id).await;
        let reason = asked.review.clone().unwrap().reason();
        assert_eq!(reason, ReviewReason::ObservationWindowOver);
        assert_eq!(asked.state(), OperationState::Unknown);
        assert_eq!(asked.safe_next_action(), SafeNextAction::WaitForPerson);
        let looks = async || {
            let requests = world.judge().requests("order-1").await;
            requests.iter().filter(|it| it.method == "GET").count()
        };
        let so_far = looks().await;
        eventually("look-ups go on", async || {
            let now = looks().await;
            (now > so_far).then_some(()).ok_or_else(|| now.to_string())
        })
        .await;
        assert_eq!(world.judge().charges("order-1").await.len(), 1);

        world.judge().no_more_faults().await;
        let caller = world.caller();
        caller
            .until(&unknown.operation_id, Outcome::Succeeded)
            .await;
        assert_eq!(world.judge().charges("order-1").await.len(), 1);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);
