//! The primary dies while payments are made, a synchronous standby takes
//! over, and the service goes on by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use payonce::proto::v1::Outcome;
use payonce::store::{Store, StoreOptions};
use tokio::task::JoinSet;

use crate::lab::cluster::{Cluster, PRIMARY, Replication, STANDBY};
use crate::lab::database::TestDatabase;
use crate::lab::harness::{Caller, World, WorldOptions, charge, eventually};

const CALLERS: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_follows_a_failover_without_a_restart_and_loses_nothing() {
    let mut cluster = Cluster::with_standby(Replication::Sync).await;
    let database = TestDatabase::elsewhere(cluster.urls());
    let options = WorldOptions::default();
    let world = World::start(database, options).await;
    let load = Load::start(&world.caller());

    load.until_acknowledged(8).await;
    cluster.kill9(PRIMARY);
    cluster.promote();
    let before = load.acknowledged();
    load.until_acknowledged(before + 8).await;
    let acknowledged = load.stop().await;

    world.settle().await;
    let caller = world.caller();
    for order in &acknowledged {
        let found = caller.operation(order).await;
        let id = found.expect("no acknowledged row is lost").operation_id;
        caller.until(&id, Outcome::Succeeded).await;
        assert_eq!(world.judge().captures(order).await.len(), 1, "{order}");
    }
    let listed = caller.list().await.len();
    assert_eq!(world.judge().all_payments().await.len(), listed);

    // The old primary takes writes again and knows of nothing.
    cluster.restart(PRIMARY).await;
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'payonce'";
    let written = "SELECT count(*) FROM operations";
    let stale = cluster.ask(PRIMARY, written).unwrap();
    for number in 0..20 {
        let order = format!("later-{number}");
        caller
            .pay_until(charge(&order, "pm_ok"), Outcome::Succeeded)
            .await;
    }
    assert_eq!(cluster.ask(PRIMARY, written).unwrap(), stale);
    assert_ne!(cluster.ask(STANDBY, sessions).unwrap(), "0");
}

/// Who starts when both take writes takes the one that was promoted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_servers_that_take_writes_the_promoted_one_is_used() {
    let cluster = Cluster::with_standby(Replication::Async).await;
    Store::migrate(&[cluster.url(PRIMARY)]).await.unwrap();
    let connect = || {
        Store::connect(StoreOptions {
            urls: vec![cluster.url(PRIMARY), cluster.url(STANDBY)],
            max_connections: 4,
            deployment: "default".to_owned(),
            shift: std::time::Duration::ZERO,
        })
    };
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'payonce'";
    let first = connect().await.unwrap();
    first.now().await.unwrap();
    assert_ne!(cluster.ask(PRIMARY, sessions).unwrap(), "0");
    eventually("the standby has all of it", async || {
        let known = "SELECT count(*) FROM deployment";
        let (own, copied) = (cluster.ask(PRIMARY, known), cluster.ask(STANDBY, known));
        (own == copied).then_some(()).ok_or(format!("{copied:?}"))
    })
    .await;

    cluster.promote();
    // A process that runs leaves the old one although it still takes writes.
    eventually("the old primary is left", async || {
        first.now().await.map_err(|error| error.to_string())?;
        let left = cluster.ask(STANDBY, sessions)?;
        (left != "0").then_some(()).ok_or(left)
    })
    .await;
    first.close().await;

    let second = connect().await.unwrap();
    second.now().await.unwrap();
    assert_ne!(cluster.ask(STANDBY, sessions).unwrap(), "0");
    second.close().await;
}

/// Payments, one after the other, by several callers.
struct Load {
    callers: JoinSet<Vec<String>>,
    acknowledged: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
}

impl Load {
    fn start(caller: &Caller) -> Load {
        let mut load = Load {
            callers: JoinSet::new(),
            acknowledged: Arc::default(),
            stop: Arc::default(),
        };
        for number in 0..CALLERS {
            let acknowledged = Arc::clone(&load.acknowledged);
            let stop = Arc::clone(&load.stop);
            let caller = caller.clone();
            load.callers.spawn(async move {
                let mut orders = Vec::new();
                while !stop.load(Ordering::SeqCst) {
                    let order = format!("order-{number}-{}", orders.len());
                    // Refused or unanswered: asked again, for the same order.
                    if caller.create(charge(&order, "pm_ok")).await.is_ok() {
                        orders.push(order);
                        acknowledged.fetch_add(1, Ordering::SeqCst);
                    }
                }
                orders
            });
        }
        load
    }

    fn acknowledged(&self) -> usize {
        self.acknowledged.load(Ordering::SeqCst)
    }

    async fn until_acknowledged(&self, wanted: usize) {
        eventually("payments are acknowledged", async || {
            let so_far = self.acknowledged();
            (so_far >= wanted)
                .then_some(())
                .ok_or(format!("{so_far} of {wanted}"))
        })
        .await;
    }

    async fn stop(self) -> Vec<String> {
        self.stop.store(true, Ordering::SeqCst);
        self.callers.join_all().await.concat()
    }
}
