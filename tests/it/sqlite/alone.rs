//! One process at a time works on a file.

use payonce::proto::v1::Outcome;

use super::file_of;
use crate::lab::database::TestDatabase;
use crate::lab::harness::{World, WorldOptions, charge, payonce};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_process_is_refused_while_the_first_one_lives() {
    let mut world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;

    let (code, said) = world.refused_replica().await;
    assert_eq!(code, 5, "{said}");
    assert!(said.contains("in use by another process"), "{said}");
    let migrating = payonce()
        .args(["migrate", "--database", world.database_url()])
        .output()
        .unwrap();
    assert_eq!(migrating.status.code(), Some(5), "{migrating:?}");

    // The first one noticed nothing.
    let caller = world.caller();
    caller
        .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
        .await;
    // The kernel lets go of what a killed process held.
    world.kill9(0);
    world.restart(0).await;
    let again = world.caller().pay(charge("order-1", "pm_ok")).await;
    assert_eq!(again.outcome(), Outcome::Succeeded);
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_name_of_the_file_is_the_same_file() {
    let world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("other.db");
    std::os::unix::fs::symlink(file_of(&world), &link).unwrap();
    let migrating = payonce()
        .args(["migrate", "--database"])
        .arg(format!("sqlite://{}", link.display()))
        .output()
        .unwrap();
    assert_eq!(migrating.status.code(), Some(5), "{migrating:?}");
}
