//! A caller that goes away changes nothing.

use std::time::Duration;

use futures_util::future::join_all;
use payonce::proto::v1::Outcome;
use tokio::time::timeout;

use crate::lab::database::both_databases;
use crate::lab::harness::{Caller, World, WorldOptions, charge, eventually};

both_databases!(
    the_work_goes_on_when_the_caller_has_gone,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let call = caller.create(charge("order-1", "pm_slow"));
        // Long before the processor answers.
        let gone = timeout(Duration::from_millis(400), call).await;
        assert!(gone.is_err(), "the caller has gone");

        let operation = eventually("it was recorded", async || {
            let found = caller.operation("order-1").await;
            found.map_err(|refused| format!("{refused:?}"))
        })
        .await;
        let joined = caller.submit(&operation.operation_id).await.unwrap();
        assert_eq!(joined.operation_id, operation.operation_id);
        caller
            .until(&operation.operation_id, Outcome::Succeeded)
            .await;

        assert_eq!(world.judge().charges("order-1").await.len(), 1);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

both_databases!(
    a_cancel_at_any_moment_leaves_nothing_or_one_payment,
    |database| async move {
        let options = WorldOptions::default().with_a_long_lease();
        let world = World::start(database, options).await;
        let caller = world.caller();
        let give_up = async |number: u64| {
            let order = format!("order-{number}");
            // A connection of its own: a server may well close one that is
            // full of cancellations.
            let leaver = Caller::connect(caller.address()).await;
            let call = leaver.create(charge(&order, "pm_ok"));
            let answered = timeout(Duration::from_micros(number * 500), call).await;
            (order, answered.is_ok())
        };
        let gone = join_all((0..60).map(give_up)).await;
        world.settle().await;

        for (order, answered) in gone {
            let recorded = caller.operation(&order).await;
            assert!(recorded.is_ok() || !answered, "{order}");
            caller
                .pay_until(charge(&order, "pm_ok"), Outcome::Succeeded)
                .await;
            assert_eq!(world.judge().captures(&order).await.len(), 1, "{order}");
        }
    }
);
