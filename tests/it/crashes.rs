//! The process dies between sending and the answer: whoever takes over looks
//! before anything else.

use std::collections::HashSet;

use payonce::proto::v1::Outcome;

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge, eventually};

both_databases!(
    whoever_takes_over_looks_first_and_sends_nothing,
    |database| async move {
        let mut world = World::start(database, WorldOptions::default()).await;
        let mut request = charge("order-1", "pm_slow");
        request.wait = Some(prost_types::Duration::default());
        let sent = world.caller().pay(request).await;
        eventually("the request has arrived", async || {
            let arrived = world.judge().charges("order-1").await;
            (arrived.len() == 1)
                .then_some(())
                .ok_or_else(|| format!("{arrived:?}"))
        })
        .await;

        world.kill9(0);
        let before = world.judge().all_requests().await.len();
        world.restart(0).await;
        let caller = world.caller();
        let paid = caller.until(&sent.operation_id, Outcome::Succeeded).await;

        let after = &world.judge().all_requests().await[before..];
        assert_eq!(after[0].method, "GET", "{after:#?}");
        assert_eq!(world.judge().charges("order-1").await.len(), 1);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
        assert_eq!(paid.attempt_count, 1);
    }
);

both_databases!(
    kills_at_any_moment_charge_nobody_twice,
    |database| async move {
        let mut world = World::start(database, WorldOptions::default()).await;
        let methods = ["pm_ok", "pm_drop_response", "pm_slow", "pm_lagging"];
        for round in 0..methods.len() {
            let caller = world.caller();
            let before = sent_so_far(&world).await;
            for (number, method) in methods.iter().enumerate() {
                let caller = caller.clone();
                let request = charge(&format!("order-{round}-{number}"), method);
                // Whether there is an answer before the kill does not matter.
                tokio::spawn(async move { caller.create(request).await });
            }
            // Each round is cut at another point of the way.
            eventually("some requests have arrived", async || {
                let arrived = sent_so_far(&world).await - before;
                (arrived > round)
                    .then_some(())
                    .ok_or_else(|| arrived.to_string())
            })
            .await;
            world.kill9(0);
            world.restart(0).await;
        }

        let caller = world.caller();
        for round in 0..methods.len() {
            for (number, method) in methods.iter().enumerate() {
                let order = format!("order-{round}-{number}");
                caller
                    .pay_until(charge(&order, method), Outcome::Succeeded)
                    .await;
                assert_eq!(world.judge().captures(&order).await.len(), 1, "{order}");
                let sent = world.judge().charges(&order).await;
                let keys: HashSet<_> = sent.iter().map(|it| &it.idempotency_key).collect();
                assert_eq!(keys.len(), 1, "{order}: {sent:#?}");
            }
        }
    }
);

async fn sent_so_far(world: &World) -> usize {
    let arrived = world.judge().all_requests().await;
    arrived.iter().filter(|it| it.method == "POST").count()
}
