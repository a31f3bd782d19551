//! Clients in another language, each a process of its own, with stubs that
//! were generated from `proto/`.

use std::collections::HashSet;
use std::path::Path;
use std::process::Stdio;

use futures_util::future::join_all;
use payonce::proto::v1::Outcome;
use serde_json::Value;
use tokio::process::Command;

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, eventually};

/// Runs a script of `tests/it/python`; returns the one JSON value it prints.
async fn python(script: &str, arguments: &[&str]) -> Value {
    let script = Path::new("tests/it/python").join(script);
    let output = Command::new(interpreter())
        .arg(&script)
        .args(arguments)
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .output()
        .await
        .expect("the interpreter runs");
    assert!(output.status.success(), "{script:?}: {}", output.status);
    serde_json::from_slice(&output.stdout).expect("it prints one JSON value")
}

fn interpreter() -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "not a setting of the program but of the tests"
    )]
    std::env::var("PAYONCE_TEST_PYTHON")
        .expect("PAYONCE_TEST_PYTHON names no interpreter: run ./tests/run")
}

both_databases!(
    a_python_client_reads_pending_in_time_and_success_later,
    |database| async move {
        let options = WorldOptions::with_a_visible_pending();
        let deadline_ms = options.agent_deadline_ms;
        let world = World::start(database, options).await;
        let caller = world.caller();
        let told = python("pay.py", &[caller.address(), "order-1", "pm_drop_response"]).await;

        assert_eq!(told["created"], "OUTCOME_NOT_SUBMITTED");
        assert_eq!(told["first"], "OUTCOME_PENDING");
        assert_eq!(told["first_action"], "SAFE_NEXT_ACTION_POLL");
        // The answer came of itself, and not because the caller gave up.
        let waited = told["first_ms"].as_f64().unwrap();
        assert!(waited < told["caller_deadline_ms"].as_f64().unwrap());
        assert!(waited >= deadline_ms as f64, "it waited for an answer");
        assert_eq!(told["last"], "OUTCOME_SUCCEEDED");
        assert_eq!(told["fulfilment"], "FULFILMENT_ALLOWED");
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

both_databases!(
    a_python_client_that_cancels_after_100_ms_pays_once,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let told = python("cancel.py", &[caller.address(), "order-1", "pm_slow"]).await;
        assert_eq!(told["code"], "CANCELLED");

        let operation = eventually("it was recorded", async || {
            let found = caller.operation("order-1").await;
            found.map_err(|refused| format!("{refused:?}"))
        })
        .await;
        caller
            .until(&operation.operation_id, Outcome::Succeeded)
            .await;
        assert_eq!(world.judge().charges("order-1").await.len(), 1);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

both_databases!(
    two_hundred_calls_from_eight_processes_pay_once,
    |database| async move {
        let options = WorldOptions::default().with_a_long_lease();
        let world = World::start(database, options).await;
        let caller = world.caller();
        let storm = ["order-1", "pm_lagging", "25"];
        let processes = (0..8).map(|_| {
            let [order, method, calls] = storm;
            let address = caller.address();
            async move { python("storm.py", &[address, order, method, calls]).await }
        });
        let mut ids = HashSet::new();
        let mut answers = 0;
        for told in join_all(processes).await {
            assert_eq!(told["errors"], serde_json::json!([]));
            for id in told["ids"].as_array().unwrap() {
                ids.insert(id.as_str().unwrap().to_owned());
                answers += 1;
            }
        }
        assert_eq!(answers, 200);
        assert_eq!(ids.len(), 1, "{ids:?}");

        let id = ids.iter().next().unwrap();
        caller.until(id, Outcome::Succeeded).await;
        assert_eq!(caller.list().await.len(), 1);
        assert_eq!(world.judge().charges("order-1").await.len(), 1);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);
