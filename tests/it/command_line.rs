//! The command line against a running service: what it prints, and its exit
//! codes.

use std::process::Output;

use payonce::proto::v1::Outcome;
use serde_json::Value;

use crate::lab::database::both_databases;
use crate::lab::harness::{Caller, World, WorldOptions, charge, payonce};

/// Runs a command against the service of this caller.
async fn run(caller: &Caller, arguments: &[&str]) -> Output {
    let server = format!("http://{}", caller.address());
    let mut command = payonce();
    command.args(arguments).env("PAYONCE_SERVER", server);
    tokio::task::block_in_place(|| command.output().expect("the command runs"))
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

both_databases!(pay_tells_by_its_exit_code, |database| async move {
    let world = World::start(database, WorldOptions::default()).await;
    let caller = world.caller();

    let paid = run(&caller, &["pay", "order-1", "49.00", "USD", "--json"]).await;
    assert_eq!(paid.status.code(), Some(0), "{paid:?}");
    assert_eq!(json(&paid)["outcome"], "SUCCEEDED");
    assert_eq!(json(&paid)["amount"]["minor_units"], "4900");
    let again = run(&caller, &["pay", "order-1", "49.00", "USD", "--json"]).await;
    assert_eq!(json(&again)["operation_id"], json(&paid)["operation_id"]);

    let method = |order, method| ["pay", order, "49.00", "USD", "--payment-method", method];
    let declined = run(&caller, &method("order-2", "pm_declined")).await;
    assert_eq!(declined.status.code(), Some(4), "{declined:?}");
    let pending = run(&caller, &method("order-3", "pm_lagging")).await;
    assert_eq!(pending.status.code(), Some(3), "{pending:?}");
    let refused = run(&caller, &["pay", "order-1", "49.01", "USD"]).await;
    assert_eq!(refused.status.code(), Some(5), "{refused:?}");
    let says = String::from_utf8_lossy(&refused.stderr);
    assert!(says.contains("amount"), "{says}");
    let usage = run(&caller, &["pay", "order-4", "49.001", "USD"]).await;
    assert_eq!(usage.status.code(), Some(2), "{usage:?}");

    world.settle().await;
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
    assert_eq!(world.judge().captures("order-3").await.len(), 1);
    assert_eq!(world.judge().requests("order-4").await.len(), 0);
});

both_databases!(decimals_are_those_of_the_currency, |database| async move {
    let world = World::start(database, WorldOptions::default()).await;
    let caller = world.caller();
    for (order, amount, currency, minor_units) in [
        ("dinar", "18.600", "KWD", 18_600),
        ("yen", "100", "JPY", 100),
        ("dollar", "49", "USD", 4900),
    ] {
        let paid = run(&caller, &["pay", order, amount, currency]).await;
        assert_eq!(paid.status.code(), Some(0), "{paid:?}");
        let payments = world.judge().payments(order).await;
        assert_eq!(payments[0].amount, minor_units);
        assert_eq!(payments[0].currency, currency);
    }
    let fraction = run(&caller, &["pay", "order-1", "100.5", "JPY"]).await;
    assert_eq!(fraction.status.code(), Some(2), "{fraction:?}");
    assert!(world.judge().requests("order-1").await.is_empty());
});

both_databases!(
    an_operation_can_be_followed_and_given_back,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let paid = caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;
        let id = paid.operation_id.as_str();

        let got = run(&caller, &["op", "get", id, "--json"]).await;
        assert_eq!(got.status.code(), Some(0), "{got:?}");
        assert_eq!(json(&got)["safe_next_action"], "FULFIL_ONCE");
        let listed = run(&caller, &["op", "list", "--json"]).await;
        assert_eq!(json(&listed)["operations"][0]["operation_id"], id);
        let back = run(
            &caller,
            &[
                "op",
                "compensate",
                id,
                "--label",
                "returned",
                "--reason",
                "requested-by-customer",
                "--json",
            ],
        )
        .await;
        assert_eq!(back.status.code(), Some(0), "{back:?}");
        caller.until(id, Outcome::Refunded).await;
        let history = run(&caller, &["op", "history", id]).await;
        assert_eq!(history.status.code(), Some(0), "{history:?}");
        assert_eq!(world.judge().refunds("order-1").await.len(), 1);
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_listening_is_told_apart() {
    let mut command = payonce();
    // The discard port: nothing listens there.
    command
        .args(["pay", "order-1", "49.00", "USD"])
        .env("PAYONCE_SERVER", "http://127.0.0.1:9");
    let output = tokio::task::block_in_place(|| command.output().unwrap());
    assert_eq!(output.status.code(), Some(6), "{output:?}");
}
