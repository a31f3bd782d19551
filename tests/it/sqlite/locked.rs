//! Another process writes, or will not stop writing.

use payonce::proto::v1::Outcome;
use tonic::Code;

use super::{neighbour, refused_for_now, run};
use crate::lab::database::TestDatabase;
use crate::lab::harness::{World, WorldOptions, charge};
use crate::source;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_finds_the_file_locked_is_told_so_and_nothing_is_half_done() {
    let world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let neighbour = neighbour(&world).await;
    run(&neighbour, "BEGIN IMMEDIATE").await;

    let answer = world.caller().create(charge("order-1", "pm_ok")).await;
    refused_for_now(&answer.unwrap_err());
    let absent = world.caller().operation("order-1").await.unwrap_err();
    assert_eq!(absent.code, Code::NotFound);
    assert!(world.judge().posts("order-1").await.is_empty());

    run(&neighbour, "COMMIT").await;
    let caller = world.caller();
    caller
        .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
        .await;
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
}

/// A transaction that reads and then writes would fail at once beside another
/// writer, however long it may wait; one that takes the lock first waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_neighbour_that_reads_and_writes_makes_no_call_fail() {
    let world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let (reader, writer) = (neighbour(&world).await, neighbour(&world).await);
    let writing = tokio::spawn(async move {
        loop {
            run(&writer, "BEGIN IMMEDIATE").await;
            run(
                &writer,
                "UPDATE deployment SET recovery_epoch = recovery_epoch",
            )
            .await;
            run(&writer, "COMMIT").await;
            tokio::task::yield_now().await;
        }
    });
    for number in 0..12 {
        run(&reader, "BEGIN; SELECT count(*) FROM operations").await;
        let request = charge(&format!("order-{number}"), "pm_ok");
        world.caller().pay_until(request, Outcome::Succeeded).await;
        run(&reader, "COMMIT").await;
    }
    assert!(
        !writing.is_finished(),
        "the neighbour was at it all the time"
    );
    writing.abort();
    // SQLITE_BUSY_SNAPSHOT: the store would have tried again.
    let log = world.logged(0);
    assert!(!log.contains("code: 517"), "{log}");
}

/// What begins a transaction, and where that may stand.
#[test]
fn only_one_place_begins_transactions() {
    let begins = ["db.begin(", ".begin_with_", ".transaction("];
    let strays: Vec<String> = source::files("src")
        .into_iter()
        .filter(|(name, _)| name != "src/store/connection/mod.rs")
        .flat_map(|(name, text)| {
            let lines = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            let found = lines.filter(|line| begins.iter().any(|it| line.contains(it)));
            let found: Vec<_> = found.map(|line| format!("{name}: {line}")).collect();
            found
        })
        .collect();
    assert!(
        strays.is_empty(),
        "use begin_to_write, which takes SQLite's write lock at once:\n{}",
        strays.join("\n")
    );
}
