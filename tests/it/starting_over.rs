//! Recovery that is itself cut short, again and again, and stops in the middle
//! of work.

use std::time::Duration;

use payonce::proto::v1::Outcome;

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge};

const ORDERS: usize = 6;
const KILLS: u64 = 8;
const STOPS: usize = 4;

both_databases!(
    a_recovery_that_dies_again_and_again_still_ends_with_one_payment_each,
    |database| async move {
        let options = WorldOptions::default().with_a_quick_proof();
        let mut world = World::start(database, options).await;
        let methods = ["pm_ok", "pm_drop_response", "pm_slow"];
        let request = move |number: usize| charge(&format!("order-{number}"), methods[number % 3]);
        for number in 0..ORDERS {
            let caller = world.caller();
            // Whether there is an answer before the kill does not matter.
            tokio::spawn(async move { caller.create(request(number)).await });
        }
        tokio::time::sleep(Duration::from_millis(150)).await;
        world.kill9(0);
        for round in 0..KILLS {
            world.restart(0).await;
            tokio::time::sleep(Duration::from_millis(60 * round)).await;
            world.kill9(0);
        }
        world.restart(0).await;
        for number in 0..ORDERS {
            let caller = world.caller();
            caller.pay_until(request(number), Outcome::Succeeded).await;
            let order = format!("order-{number}");
            assert_eq!(world.judge().captures(&order).await.len(), 1, "{order}");
        }
    }
);

both_databases!(
    a_stop_in_the_middle_of_work_loses_and_doubles_nothing,
    |database| async move {
        let options = WorldOptions::default().with_a_quick_proof();
        let mut world = World::start(database, options).await;
        for round in 0..STOPS {
            for number in 0..ORDERS {
                let caller = world.caller();
                let method = ["pm_ok", "pm_slow"][number % 2];
                let request = charge(&format!("order-{round}-{number}"), method);
                tokio::spawn(async move { caller.create(request).await });
            }
            tokio::time::sleep(Duration::from_millis(40 * round as u64)).await;
            assert_eq!(world.stop(0).await, Some(0), "it ends by itself");
            world.restart(0).await;
        }
        for round in 0..STOPS {
            for number in 0..ORDERS {
                let order = format!("order-{round}-{number}");
                let method = ["pm_ok", "pm_slow"][number % 2];
                world
                    .caller()
                    .pay_until(charge(&order, method), Outcome::Succeeded)
                    .await;
                assert_eq!(world.judge().captures(&order).await.len(), 1, "{order}");
            }
        }
    }
);
