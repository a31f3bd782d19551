//! The disk is full, fails, or cannot be written to. Needs a user who may
//! mount and trace, as root may.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;

use payonce::proto::v1::{ErrorEffect, Outcome};
use tempfile::TempDir;

use super::{file_of, pay_until_refused, says};
use crate::lab::database::TestDatabase;
use crate::lab::harness::{World, WorldOptions, charge, eventually};

/// A small disk in memory.
struct Disk {
    folder: TempDir,
}

fn run(program: &str, arguments: &[&str], folder: &Path) {
    let ran = Command::new(program)
        .args(arguments)
        .arg(folder)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{program} {arguments:?}: {ran:?}");
}

impl Disk {
    fn new() -> Disk {
        let folder = tempfile::tempdir().unwrap();
        let small = ["-t", "tmpfs", "-o", "size=4m", "tmpfs"];
        run("mount", &small, folder.path());
        Disk { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Takes all the room that is left.
    fn fill(&self) {
        let mut ballast = File::create(self.path().join("ballast")).unwrap();
        while ballast.write_all(&[1; 4096]).is_ok() {}
    }

    fn make_room(&self) {
        fs::remove_file(self.path().join("ballast")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Also while something still has files open there.
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_acknowledges_nothing_and_all_goes_on_when_there_is_room() {
    let disk = Disk::new();
    let world = World::start(
        TestDatabase::sqlite_in(disk.path()),
        WorldOptions::default(),
    )
    .await;
    let mut slow = charge("slow", "pm_slow");
    slow.wait = Some(prost_types::Duration::default());
    let slow = world.caller().pay(slow).await;
    eventually("the slow one is under way", async || {
        let sent = world.judge().charges("slow").await.len();
        (sent == 1).then_some(()).ok_or_else(|| sent.to_string())
    })
    .await;
    disk.fill();
    let refused = pay_until_refused(&world, "order").await;
    let refused = format!("order-{refused}");
    assert!(world.judge().posts(&refused).await.is_empty());
    says(&world, "full").await;
    // What was acknowledged can still be read.
    let known = world.caller().status(&slow.operation_id).await;
    assert_eq!(known.order_id, "slow");

    disk.make_room();
    let caller = world.caller();
    caller.until(&slow.operation_id, Outcome::Succeeded).await;
    caller
        .pay_until(charge(&refused, "pm_ok"), Outcome::Succeeded)
        .await;
    world.settle().await;
    for order in ["slow", &refused] {
        assert_eq!(world.judge().captures(order).await.len(), 1, "{order}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sync_that_fails_for_a_moment_is_no_failed_payment() {
    let world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let failing = "fsync,fdatasync:error=EIO";
    let injected = world.inject(0, failing, Some(&log_of(&world))).await;
    let caller = world.caller();
    let first = tokio::spawn(async move { caller.create(charge("order-1", "pm_ok")).await });
    says(&world, "disk I/O error").await;
    drop(injected);
    // It depends on the moment whether the last try still got through.
    if let Err(answer) = first.await.unwrap() {
        assert_eq!(answer.effect, ErrorEffect::Undetermined, "{answer:?}");
    }
    let caller = world.caller();
    caller
        .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
        .await;
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
}

/// The log may hold what could not be synced: the crash that follows brings
/// it back. So the caller is not told that nothing was recorded.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_could_not_be_synced_is_not_called_absent() {
    let mut world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let log = log_of(&world);
    let failing = "fsync,fdatasync:error=EIO";
    let injected = world.inject(0, failing, Some(&log)).await;
    let answer = world.caller().create(charge("order-1", "pm_ok")).await;
    let answer = answer.unwrap_err();
    assert_eq!(answer.effect, ErrorEffect::Undetermined, "{answer:?}");
    assert!(world.judge().posts("order-1").await.is_empty());
    world.kill9(0);
    drop(injected);

    world.restart(0).await;
    world.settle().await;
    let risen = world.caller().operation("order-1").await;
    assert!(risen.is_ok(), "the log held it: {risen:?}");
    let caller = world.caller();
    caller
        .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
        .await;
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_turns_read_only_stops_the_service_and_not_the_money() {
    let world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let injected = world.inject(0, "pwrite64:error=EROFS", None).await;
    let answer = world.caller().create(charge("order-1", "pm_ok")).await;
    let answer = answer.unwrap_err();
    assert_ne!(answer.effect, ErrorEffect::ExistingOperation, "{answer:?}");
    assert!(world.judge().posts("order-1").await.is_empty());
    drop(injected);
    let caller = world.caller();
    caller
        .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
        .await;
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_on_a_read_only_disk_is_refused() {
    let disk = Disk::new();
    let mut world = World::start(
        TestDatabase::sqlite_in(disk.path()),
        WorldOptions::default(),
    )
    .await;
    let caller = world.caller();
    caller
        .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
        .await;
    assert_eq!(world.stop(0).await, Some(0));
    let before = fs::read(file_of(&world)).unwrap();
    run("mount", &["-o", "remount,ro"], disk.path());
    let (code, said) = world.refused_replica().await;
    assert!([5, 6].contains(&code), "{code} {said}");
    assert!(said.to_lowercase().contains("read-only"), "{said}");
    assert!(fs::read(file_of(&world)).unwrap() == before);

    run("mount", &["-o", "remount,rw"], disk.path());
    world.restart(0).await;
    let again = world.caller().pay(charge("order-1", "pm_ok")).await;
    assert_eq!(again.outcome(), Outcome::Succeeded);
}

fn log_of(world: &World) -> String {
    let log = file_of(world).with_extension("db-wal");
    log.display().to_string()
}
