//! The file is not what was written.

use std::fs;
use std::os::unix::fs::FileExt;

use payonce::proto::v1::Outcome;
use tonic::Code;

use super::{file_of, says};
use crate::lab::database::TestDatabase;
use crate::lab::harness::{World, WorldOptions, charge};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_database_is_refused_and_left_as_it_is() {
    let mut world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let file = file_of(&world);
    let caller = world.caller();
    caller
        .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
        .await;
    assert_eq!(world.stop(0).await, Some(0));
    let whole = fs::read(&file).unwrap();

    let mut headless = whole.clone();
    headless[..100].fill(0xff);
    let mut holed = whole.clone();
    holed[4096..].fill(0xff);
    for spoilt in [headless, holed, b"notes, and no database".repeat(500)] {
        fs::write(&file, &spoilt).unwrap();
        let (code, said) = world.refused_replica().await;
        assert_eq!(code, 5, "{said}");
        assert!(said.contains("damaged or is no database"), "{said}");
        assert!(fs::read(&file).unwrap() == spoilt, "it was written to");
    }

    fs::write(&file, &whole).unwrap();
    world.restart(0).await;
    let again = world.caller().pay(charge("order-1", "pm_ok")).await;
    assert_eq!(again.outcome(), Outcome::Succeeded);
    assert_eq!(world.judge().charges("order-1").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damage_that_is_met_at_work_lets_nothing_be_acknowledged_or_sent() {
    let mut world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let file = file_of(&world);
    let caller = world.caller();
    caller
        .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
        .await;
    // A stop writes the log into the file; a new process has little in memory.
    assert_eq!(world.stop(0).await, Some(0));
    let whole = fs::read(&file).unwrap();
    world.restart(0).await;
    let spoiling = fs::File::options().write(true).open(&file).unwrap();
    let rest = vec![0xff; whole.len() - 4096];
    spoiling.write_all_at(&rest, 4096).unwrap();

    for number in 0..3 {
        let order = format!("later-{number}");
        let answer = world.caller().create(charge(&order, "pm_ok")).await;
        assert_eq!(answer.unwrap_err().code, Code::Unavailable);
        assert!(world.judge().posts(&order).await.is_empty());
    }
    says(&world, "malformed").await;

    world.kill9(0);
    for ending in ["db-wal", "db-shm"] {
        let _ = fs::remove_file(file.with_extension(ending));
    }
    fs::write(&file, &whole).unwrap();
    world.restart(0).await;
    let again = world.caller().pay(charge("order-1", "pm_ok")).await;
    assert_eq!(again.outcome(), Outcome::Succeeded);
}
