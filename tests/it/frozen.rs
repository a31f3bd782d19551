//! Everything stands still for longer than leases and deadlines last, or gets
//! hardly any time: afterwards it is as if a zombie had come back.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use futures_util::future::join_all;
use payonce::proto::v1::Outcome;

use crate::lab::database::{TestDatabase, both_databases};
use crate::lab::harness::{World, WorldOptions, charge, eventually};

/// Longer than leases and deadlines in these worlds.
const SUSPENDED: Duration = Duration::from_millis(4000);

/// Sends payments that are under way while the world stops, and answers how
/// many requests had arrived before.
async fn under_way(world: &World, replicas: usize) -> Vec<(String, String)> {
    let pay = async |number: usize| {
        let order = format!("order-{number}");
        let method = ["pm_slow", "pm_ok", "pm_lagging", "pm_drop_response"][number % 4];
        let mut request = charge(&order, method);
        request.wait = Some(prost_types::Duration::default());
        let caller = world.caller_of(number % replicas);
        (order, caller.pay(request).await.operation_id)
    };
    let sent = join_all((0..8).map(pay)).await;
    eventually("some have arrived", async || {
        let arrived = world.judge().all_requests().await.len();
        (arrived > 2)
            .then_some(())
            .ok_or_else(|| arrived.to_string())
    })
    .await;
    sent
}

async fn all_are_paid_once(world: &World, sent: &[(String, String)]) {
    let caller = world.caller();
    for (order, id) in sent {
        caller.until(id, Outcome::Succeeded).await;
        assert_eq!(world.judge().captures(order).await.len(), 1, "{order}");
    }
}

both_databases!(
    a_machine_that_was_suspended_charges_once,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let sent = under_way(&world, 1).await;
        world.freeze(0);
        world.freeze_processor();
        tokio::time::sleep(SUSPENDED).await;
        world.thaw_processor();
        world.thaw(0);
        all_are_paid_once(&world, &sent).await;
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_that_were_suspended_together_charge_once() {
    let mut world = World::start(TestDatabase::postgres(), WorldOptions::default()).await;
    world.another_replica().await;
    let sent = under_way(&world, 2).await;
    for replica in [0, 1] {
        world.freeze(replica);
    }
    tokio::time::sleep(SUSPENDED).await;
    for replica in [1, 0] {
        world.thaw(replica);
    }
    all_are_paid_once(&world, &sent).await;
}

/// Loops that take all the time they get, until this is dropped.
struct Busy(Vec<Child>);

impl Busy {
    fn start(number: usize) -> Busy {
        let one = |_| {
            Command::new("setpriv")
                .args([
                    "--pdeathsig",
                    "KILL",
                    "--",
                    "sh",
                    "-c",
                    "while :; do :; done",
                ])
                .stdin(Stdio::null())
                .spawn()
                .unwrap()
        };
        Busy((0..number).map(one).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_that_starve_charge_once_and_know_everything() {
    let mut world = World::start(TestDatabase::postgres(), WorldOptions::default()).await;
    world.another_replica().await;
    let busy = Busy::start(6);
    let sent = under_way(&world, 2).await;
    all_are_paid_once(&world, &sent).await;
    drop(busy);
}
