//! The long tools in short: every kind of fault at once under load, and
//! payments that all arrive late.

use std::time::Duration;

use crate::lab::soak::{Faults, Goal, On, Rush, Soak};

async fn every_kind_of_fault(on: On) {
    let soak = Soak {
        on,
        seed: 1,
        buyers: 12,
        faults: Faults::ALL,
        goal: Goal::After(Duration::from_secs(20)),
    };
    let report = soak.run(|_| {}).await;
    assert!(report.is_clean(), "{report:#?}");
    assert!(report.helped_itself(), "{report:#?}");
    assert!(report.kills > 0 && report.zombies > 0, "{report:#?}");
}

/// The whole of the recovery depends on nothing but the database.
async fn kills_alone(on: On) {
    let soak = Soak {
        on,
        seed: 2,
        buyers: 6,
        faults: Faults::KILLS,
        goal: Goal::Kills(8),
    };
    let report = soak.run(|_| {}).await;
    assert!(report.is_clean(), "{report:#?}");
    assert!(report.operations_in_flight_at_kills > 0, "{report:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_under_load_take_nothing_twice_and_lose_nothing_on_sqlite() {
    kills_alone(On::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_under_load_take_nothing_twice_and_lose_nothing_on_postgres() {
    kills_alone(On::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_every_kind_take_nothing_twice_and_lose_nothing_on_sqlite() {
    every_kind_of_fault(On::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_every_kind_take_nothing_twice_and_lose_nothing_on_postgres() {
    every_kind_of_fault(On::Postgres).await;
}

async fn late_arrivals(on: On) {
    let rush = Rush {
        on,
        seed: 1,
        operations: 120,
    };
    let report = rush.run(|_| {}).await;
    assert!(report.is_clean(), "{report:#?}");
    assert!(report.is_telling(), "{report:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn payments_that_arrive_late_are_captured_once_on_sqlite() {
    late_arrivals(On::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn payments_that_arrive_late_are_captured_once_on_postgres() {
    late_arrivals(On::Postgres).await;
}
