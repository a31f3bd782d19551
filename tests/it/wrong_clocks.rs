//! A replica's wall clock is wrong: it changes nothing, because
//! leases and key windows are in the database's time.
#![expect(
    clippy::disallowed_methods,
    reason = "the wall clock is what is wrong here"
)]

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use payonce::proto::v1::Outcome;
use uuid::Uuid;

use crate::lab::database::TestDatabase;
use crate::lab::harness::{World, WorldOptions, charge};

const HOUR: i64 = 3600;
const TWO_DAYS: i64 = 2 * 24 * HOUR;

/// What makes a process see the wall clock that `setting` says. Its monotonic
/// clock stays right, as on a machine whose time was set wrongly.
fn wrong(setting: (&'static str, String)) -> [(&'static str, String); 3] {
    let installed = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/install/faketime");
    let found = Command::new(installed).output().unwrap();
    assert!(found.status.success(), "{found:?}");
    let library = String::from_utf8(found.stdout).unwrap();
    [
        ("LD_PRELOAD", library.trim().to_owned()),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        setting,
    ]
}

/// How many seconds the maker of this id was ahead of the clock here.
fn ahead_s(operation_id: &str) -> i64 {
    let id = Uuid::parse_str(operation_id).unwrap();
    let (made, _) = id.get_timestamp().unwrap().to_unix();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    made.cast_signed() - now.as_secs().cast_signed()
}

fn is_about(seconds: i64, expected: i64) {
    assert!((seconds - expected).abs() < HOUR / 2, "{seconds} s ahead");
}

/// Nobody dies and no answer is given up, so that only a wrong idea of the
/// time could end a lease.
fn patient() -> WorldOptions {
    WorldOptions {
        provider_deadline_ms: 10_000,
        in_flight_bound_ms: 12_000,
        ..WorldOptions::default().with_a_long_lease()
    }
}

/// Pays an order at a replica: one request, one capture. Returns how many
/// seconds its clock was ahead.
async fn pays_once(world: &World, replica: usize, order: &str) -> i64 {
    let caller = world.caller_of(replica);
    let paid = caller
        .pay_until(charge(order, "pm_ok"), Outcome::Succeeded)
        .await;
    assert_eq!(paid.attempt_count, 1);
    assert_eq!(world.judge().charges(order).await.len(), 1);
    assert_eq!(world.judge().captures(order).await.len(), 1);
    ahead_s(&paid.operation_id)
}

async fn a_replica_this_wrong_takes_over_nothing(offset: &str, seconds: i64) {
    let mut world = World::start(TestDatabase::postgres(), patient()).await;
    let offset = ("FAKETIME", offset.to_owned());
    let other = world.another_replica_with(&wrong(offset)).await;

    let slow = world.caller().pay(charge("order-1", "pm_slow")).await;
    assert_eq!(slow.outcome(), Outcome::Pending);
    is_about(ahead_s(&slow.operation_id), 0);
    is_about(pays_once(&world, other, "order-2").await, seconds);

    let caller = world.caller_of(other);
    let paid = caller.until(&slow.operation_id, Outcome::Succeeded).await;
    assert_eq!(paid.attempt_count, 1);
    assert_eq!(world.judge().requests("order-1").await.len(), 1);
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
    let history = caller.history(&slow.operation_id).await;
    let events: Vec<_> = history.iter().map(|entry| entry.event.as_str()).collect();
    assert!(!events.contains(&"lease_lapsed"), "{events:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_whose_clock_is_ahead_takes_over_nothing() {
    a_replica_this_wrong_takes_over_nothing("+1h", HOUR).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_whose_clock_is_behind_takes_over_nothing() {
    a_replica_this_wrong_takes_over_nothing("-2d", -TWO_DAYS).await;
}
