//! The file is moved, replaced or removed while it is in use.

use std::fs;
use std::path::{Path, PathBuf};

use payonce::proto::v1::Outcome;

use super::{file_of, pay_until_refused, refused_for_now, says};
use crate::lab::database::TestDatabase;
use crate::lab::harness::{World, WorldOptions, charge, payonce};

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_acknowledged_or_sent_without_the_files() {
    let world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let file = file_of(&world);
    for ending in ["", "-wal"] {
        let (there, away) = (beside(&file, ending), beside(&file, ".away"));
        fs::rename(&there, &away).unwrap();
        // Nor with another file in its place.
        fs::write(&there, "").unwrap();
        let order = format!("order{ending}");
        let answer = world.caller().create(charge(&order, "pm_ok")).await;
        refused_for_now(&answer.unwrap_err());
        assert!(world.judge().posts(&order).await.is_empty());
        says(&world, "moved, replaced or removed").await;

        fs::rename(&away, &there).unwrap();
        let caller = world.caller();
        caller
            .pay_until(charge(&order, "pm_ok"), Outcome::Succeeded)
            .await;
        assert_eq!(world.judge().captures(&order).await.len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_moves_under_load_loses_nothing_that_was_acknowledged() {
    let mut world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let file = file_of(&world);
    let away = beside(&file, ".away");
    let caller = world.caller();
    let load = tokio::spawn(async move {
        let mut accepted = Vec::new();
        for number in 0..200 {
            let order = format!("order-{number}");
            match caller.create(charge(&order, "pm_ok")).await {
                Ok(_) => accepted.push(order),
                Err(_) if accepted.len() > 2 => break,
                Err(answer) => panic!("{answer:?}"),
            }
        }
        accepted
    });
    crate::lab::harness::eventually("some are paid", async || {
        let paid = world.judge().all_payments().await.len();
        (paid > 3).then_some(()).ok_or_else(|| paid.to_string())
    })
    .await;
    fs::rename(&file, &away).unwrap();
    let accepted = load.await.unwrap();

    // A crash, and the operator puts the file back beside its log.
    world.kill9(0);
    fs::rename(&away, &file).unwrap();
    world.restart(0).await;
    for order in &accepted {
        let operation = world.caller().operation(order).await.expect(order);
        world
            .caller()
            .until(&operation.operation_id, Outcome::Succeeded)
            .await;
        assert_eq!(world.judge().captures(order).await.len(), 1, "{order}");
    }
    world.settle().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_gone_is_never_made_anew() {
    let mut world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let file = file_of(&world);
    let away = beside(&file, ".away");
    let caller = world.caller();
    caller
        .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
        .await;
    fs::rename(&file, &away).unwrap();
    pay_until_refused(&world, "later").await;
    world.kill9(0);

    let (code, said) = world.refused_replica().await;
    assert_eq!(code, 5, "{said}");
    assert!(said.contains("is gone"), "{said}");
    let migrating = payonce()
        .args(["migrate", "--database", world.database_url()])
        .output()
        .unwrap();
    assert_eq!(migrating.status.code(), Some(5), "{migrating:?}");
    assert!(!file.exists());

    fs::rename(&away, &file).unwrap();
    world.restart(0).await;
    let again = world.caller().pay(charge("order-1", "pm_ok")).await;
    assert_eq!(again.outcome(), Outcome::Succeeded);
    assert_eq!(world.judge().charges("order-1").await.len(), 1);
}
