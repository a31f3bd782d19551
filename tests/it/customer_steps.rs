//! Payments that the processor finishes later.

use payonce::proto::v1::{Fulfilment, OperationState, Outcome, SafeNextAction};

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge, eventually};

both_databases!(
    processing_is_pending_until_it_is_done,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let first = caller.pay(charge("order-1", "pm_processing")).await;
        let paid = caller.until(&first.operation_id, Outcome::Succeeded).await;

        let states = caller.states(&paid.operation_id).await;
        assert!(states.contains(&OperationState::Pending), "{states:?}");
        assert_eq!(world.judge().charges("order-1").await.len(), 1);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

both_databases!(a_customer_step_is_waited_for, |database| async move {
    let world = World::start(database, WorldOptions::default()).await;
    let caller = world.caller();
    let asked = caller
        .pay_until(
            charge("order-1", "pm_customer_action"),
            Outcome::RequiresCustomerAction,
        )
        .await;
    let action = asked.safe_next_action();
    assert_eq!(action, SafeNextAction::CompleteCustomerAction);
    assert_eq!(asked.fulfilment(), Fulfilment::Hold);
    assert!(!asked.customer_action.unwrap().url.is_empty());

    eventually("it was looked at several times", async || {
        let requests = world.judge().all_requests().await;
        let looks = requests.iter().filter(|it| it.method == "GET").count();
        (looks >= 3).then_some(()).ok_or_else(|| looks.to_string())
    })
    .await;
    let still = caller.submit(&asked.operation_id).await.unwrap();
    assert_eq!(still.outcome(), Outcome::RequiresCustomerAction);
    assert!(world.judge().captures("order-1").await.is_empty());

    let payment = &world.judge().payments("order-1").await[0].id;
    world.judge().move_payment(payment, "succeeded").await;
    let paid = caller.until(&asked.operation_id, Outcome::Succeeded).await;
    assert!(paid.customer_action.is_none());
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
});
