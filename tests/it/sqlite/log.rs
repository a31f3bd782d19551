//! The log that SQLite writes ahead has a bound.

use std::fs;

use payonce::proto::v1::Outcome;

use super::{file_of, neighbour, run};
use crate::lab::database::TestDatabase;
use crate::lab::harness::{World, WorldOptions, charge};

/// What `docs/store.md` says, in bytes.
const BOUND: u64 = 4 * 1024 * 1024;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_reader_does_not_pin_the_log_for_ever() {
    let world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let log = file_of(&world).with_extension("db-wal");
    let length = || fs::metadata(&log).unwrap().len();
    let reader = neighbour(&world).await;
    run(&reader, "BEGIN; SELECT count(*) FROM operations").await;

    let mut number = 0;
    while length() <= BOUND + BOUND / 8 {
        pay(&world, number).await;
        number += 1;
        assert!(number < 400, "the reader does not hold the log up");
    }
    run(&reader, "COMMIT").await;
    // The next one begins the log anew, once all of it is in the database.
    while length() > BOUND {
        pay(&world, number).await;
        number += 1;
        assert!(number < 800, "{} bytes", length());
    }
}

async fn pay(world: &World, number: usize) {
    let request = charge(&format!("order-{number}"), "pm_ok");
    world.caller().pay_until(request, Outcome::Succeeded).await;
}
