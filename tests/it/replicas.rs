//! Several replicas on one database, killed and started again while callers
//! ask for the same payment.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use payonce::proto::v1::Outcome;
use tokio::task::JoinSet;

use crate::lab::database::TestDatabase;
use crate::lab::harness::{Caller, World, WorldOptions, charge};

const REPLICAS: usize = 5;
const CALLERS: usize = 100;

/// Where the replicas are at the moment.
type Addresses = Arc<Mutex<Vec<Caller>>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_replicas_that_restart_charge_once() {
    let database = TestDatabase::postgres();
    let mut world = World::start(database, WorldOptions::default()).await;
    for _ in 1..REPLICAS {
        world.another_replica().await;
    }
    let addresses: Addresses = Arc::default();
    let all = (0..REPLICAS).map(|number| world.caller_of(number));
    addresses.lock().unwrap().extend(all);

    let mut calls = JoinSet::new();
    for number in 0..CALLERS {
        calls.spawn(ask_until_answered(Arc::clone(&addresses), number));
    }
    for number in 0..REPLICAS {
        world.kill9(number);
        world.restart(number).await;
        addresses.lock().unwrap()[number] = world.caller_of(number);
    }
    let ids: HashSet<String> = calls.join_all().await.into_iter().collect();
    assert_eq!(ids.len(), 1, "{ids:?}");

    let caller = world.caller();
    let id = ids.iter().next().unwrap();
    caller.until(id, Outcome::Succeeded).await;
    assert_eq!(caller.list().await.len(), 1);
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
    let sent = world.judge().charges("order-1").await;
    let keys: HashSet<_> = sent.iter().map(|it| &it.idempotency_key).collect();
    assert_eq!(keys.len(), 1, "{sent:#?}");
}

/// Creates and submits, at one replica after the other, until one answers.
async fn ask_until_answered(addresses: Addresses, number: usize) -> String {
    // The calls spread over the time in which the replicas are killed.
    tokio::time::sleep(Duration::from_millis(20) * number as u32).await;
    let mut last = None;
    for next in number..number + CALLERS {
        let caller = addresses.lock().unwrap()[next % REPLICAS].clone();
        match caller.create(charge("order-1", "pm_lagging")).await {
            Ok(answer) => return answer.operation.unwrap().operation_id,
            Err(refused) => last = Some(refused),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("no replica answers: {last:?}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_replica_finishes_what_a_dead_one_began() {
    let database = TestDatabase::postgres();
    let mut world = World::start(database, WorldOptions::default()).await;
    let second = world.another_replica().await;
    let lost = world.caller().pay(charge("order-1", "pm_slow")).await;
    assert_eq!(lost.outcome(), Outcome::Pending);
    world.kill9(0);

    let caller = world.caller_of(second);
    let paid = caller.until(&lost.operation_id, Outcome::Succeeded).await;
    assert_eq!(paid.attempt_count, 1);
    let again = caller.create(charge("order-1", "pm_slow")).await.unwrap();
    assert!(again.replayed);

    assert_eq!(world.judge().charges("order-1").await.len(), 1);
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
}
