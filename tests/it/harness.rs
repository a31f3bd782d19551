//! The harness fails a test that leaves something behind.

use payonce::proto::v1::Outcome;

use crate::lab::database::TestDatabase;
use crate::lab::harness::{World, WorldOptions, charge};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[should_panic(expected = "unfinished: ")]
async fn a_test_that_leaves_an_operation_unfinished_fails() {
    let world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let request = charge("order-1", "pm_customer_action");
    world
        .caller()
        .pay_until(request, Outcome::RequiresCustomerAction)
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[should_panic(expected = "captured, and no operation knows: ")]
async fn a_test_that_leaves_money_unexplained_fails() {
    let world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    world.judge().pay_past_the_service("order-1").await;
}
