//! The link between a replica and its database swallows everything for a
//! while: callers are told that it is not known, and a retry finds out.

use std::time::Duration;

use payonce::proto::v1::Outcome;
use tokio::task::JoinSet;
use tonic::Code;

use crate::lab::database::TestDatabase;
use crate::lab::fault_proxy::{FaultProxy, Mode};
use crate::lab::harness::{World, WorldOptions, charge, eventually};

const ORDERS: usize = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_link_swallowed_is_paid_once_when_it_is_back() {
    let database = TestDatabase::postgres();
    let url = database.url().to_owned();
    let (_, place) = url.split_once('@').unwrap();
    let (server, _) = place.split_once('/').unwrap();
    let link = FaultProxy::start(server.parse().unwrap()).await.unwrap();
    let through = url.replace(server, &link.addr().to_string());
    let mut world = World::start(database, WorldOptions::default()).await;
    let urls = format!("{:?}", [through]);
    let behind = world
        .another_replica_with(&[("PAYONCE_DATABASE__URLS", urls)])
        .await;
    assert!(link.connections() > 0, "it goes around the link");

    let caller = world.caller_of(behind);
    caller
        .pay_until(charge("before", "pm_ok"), Outcome::Succeeded)
        .await;
    link.set_mode(Mode::Blackhole);
    let mut calls = JoinSet::new();
    for number in 0..ORDERS {
        let (caller, order) = (caller.clone(), format!("order-{number}"));
        calls.spawn(async move { caller.create(charge(&order, "pm_ok")).await });
    }
    // Long enough that the calls are under way when it ends.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    link.set_mode(Mode::Pass);
    for answer in calls.join_all().await {
        if let Err(refused) = answer {
            let honest = matches!(refused.code, Code::Unavailable | Code::DeadlineExceeded);
            assert!(honest, "{refused:?}");
        }
    }

    for number in 0..ORDERS {
        let order = format!("order-{number}");
        let again = eventually("the replica has its database again", async || {
            let answer = caller.create(charge(&order, "pm_ok")).await;
            answer.map_err(|refused| format!("{refused:?}"))
        })
        .await;
        let id = again.operation.unwrap().operation_id;
        caller.until(&id, Outcome::Succeeded).await;
        assert_eq!(world.judge().captures(&order).await.len(), 1, "{order}");
    }
}
