//! A caller's deadline ends at any point of the work: the work goes on.

use std::time::Duration;

use futures_util::future::join_all;
use payonce::proto::v1::{Outcome, SubmitRequest};
use tonic::Request;

use crate::lab::database::both_databases;
use crate::lab::harness::{Caller, World, WorldOptions, charge};

/// Microseconds from one deadline to the next.
const STEP: u64 = 2000;

both_databases!(
    a_deadline_at_any_moment_leaves_nothing_or_one_payment,
    |database| async move {
        let options = WorldOptions::default().with_a_long_lease();
        let world = World::start(database, options).await;
        let caller = world.caller();
        let hurry = async |number: u64| {
            let order = format!("order-{number}");
            let own = Caller::connect(caller.address()).await;
            let mut request = Request::new(charge(&order, "pm_ok"));
            // Sent along as grpc-timeout: the server ends the call itself.
            request.set_timeout(Duration::from_micros(number * STEP));
            let answered = own.client().create_operation(request).await;
            (order, answered.is_ok())
        };
        let hurried = join_all((0..26).map(hurry)).await;
        world.settle().await;
        for (order, answered) in hurried {
            let recorded = caller.operation(&order).await;
            assert!(recorded.is_ok() || !answered, "{order}");
            caller
                .pay_until(charge(&order, "pm_ok"), Outcome::Succeeded)
                .await;
            assert_eq!(world.judge().charges(&order).await.len(), 1, "{order}");
            assert_eq!(world.judge().captures(&order).await.len(), 1, "{order}");
        }
    }
);

both_databases!(
    submits_that_run_out_of_time_are_one_submit,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let mut request = charge("order-1", "pm_slow");
        request.submit = false;
        let created = caller.pay(request).await;
        let hurry = async |number: u64| {
            let own = Caller::connect(caller.address()).await;
            let mut request = Request::new(SubmitRequest {
                operation_id: created.operation_id.clone(),
                wait: None,
            });
            request.set_timeout(Duration::from_micros(number * STEP));
            // Whether it is answered in time does not matter.
            let _ = own.client().submit(request).await;
        };
        join_all((0..26).map(hurry)).await;
        caller.submit(&created.operation_id).await.unwrap();
        caller
            .until(&created.operation_id, Outcome::Succeeded)
            .await;
        assert_eq!(world.judge().charges("order-1").await.len(), 1);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);
