//! The processor takes the money twice although it was given one key, or the
//! network delivers one request twice: it is never hidden.

use std::time::Duration;

use futures_util::future::join_all;
use payonce::proto::v1::{Fulfilment, Outcome, SafeNextAction};
use serde_json::json;

use crate::lab::database::both_databases;
use crate::lab::harness::{GoBetween, Trick, World, WorldOptions, charge, eventually};

both_databases!(
    every_second_payment_that_a_look_up_shows_is_put_before_a_person,
    |database| async move {
        const ORDERS: usize = 8;
        let between = GoBetween::start().await;
        let options = WorldOptions {
            bank: Some(between.addr()),
            ..WorldOptions::default().with_a_long_lease()
        };
        let world = World::start(database, options).await;
        between.lead_to(world.judge().address());
        let caller = world.caller();
        let pay = async |number: usize| {
            let order = format!("order-{number}");
            let twice = json!({"kind": "duplicate"});
            world.judge().fault(&order, "payment", 1, twice).await;
            between.play(&order, Trick::Lose);
            let lost = caller.pay(charge(&order, "pm_ok")).await;
            let asked = caller.until_review(&lost.operation_id).await;
            assert_eq!(world.judge().captures(&order).await.len(), 2, "{order}");
            assert_eq!(asked.effects.len(), 2, "{asked:#?}");
            assert_eq!(asked.safe_next_action(), SafeNextAction::WaitForPerson);
            assert_ne!(asked.fulfilment(), Fulfilment::Allowed);
            assert_eq!(world.judge().charges(&order).await.len(), 1);
        };
        join_all((0..ORDERS).map(pay)).await;
    }
);

both_databases!(
    a_request_that_the_network_doubles_is_one_payment,
    |database| async move {
        let between = GoBetween::start().await;
        let options = WorldOptions {
            bank: Some(between.addr()),
            ..WorldOptions::default()
        };
        let world = World::start(database, options).await;
        between.lead_to(world.judge().address());
        let caller = world.caller();
        for (order, later) in [("at-once", 0), ("later", 700)] {
            between.play(order, Trick::Twice(Duration::from_millis(later)));
            let paid = caller
                .pay_until(charge(order, "pm_ok"), Outcome::Succeeded)
                .await;
            eventually("both have arrived", async || {
                let arrived = world.judge().charges(order).await.len();
                (arrived == 2)
                    .then_some(())
                    .ok_or_else(|| arrived.to_string())
            })
            .await;
            assert_eq!(world.judge().captures(order).await.len(), 1);
            let still = caller.status(&paid.operation_id).await;
            assert_eq!(still.outcome(), Outcome::Succeeded);
            assert_eq!(still.attempt_count, 1);
        }
    }
);
