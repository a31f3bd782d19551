//! What survives a restart.

use serde_json::json;

use super::{Desk, order};
use crate::simulator::{Profile, Simulator, SimulatorError};

#[tokio::test]
async fn a_restart_keeps_the_ledger_the_keys_and_the_clock() {
    let desk = Desk::open(Profile::StripeLike).await;
    let id = desk.paid("k", "a").await;
    let refund = json!({"amount": 4000, "reference": "r"});
    let path = format!("/v1/payments/{id}/refunds");
    let refunded = desk.post(&path, "r", &refund).await.unwrap();
    let failed = desk
        .pay("e", &order("e", "pm_error_captured"))
        .await
        .unwrap();
    desk.pay("p", &order("p", "pm_processing")).await.unwrap();
    desk.control("/control/clock", json!({"shift_s": 1000}))
        .await;
    let before = desk.get("/ledger").await.unwrap().text;

    let desk = desk.reopen().await;
    assert_eq!(desk.get("/ledger").await.unwrap().text, before);
    let clock = desk.get("/control/clock").await.unwrap().json();
    assert_eq!(clock["shift_ms"], 1_000_000);
    let again = desk.post(&path, "r", &refund).await.unwrap();
    assert_eq!((again.replayed, again.text), (true, refunded.text));
    let again = desk
        .pay("e", &order("e", "pm_error_captured"))
        .await
        .unwrap();
    assert_eq!((again.status, again.text), (500, failed.text));
    let more = json!({"amount": 901, "reference": "r"});
    let beyond = desk.post(&path, "s", &more).await.unwrap();
    assert_eq!(beyond.refusal(), (400, "amount_too_large".to_owned()));
    assert_eq!(desk.ledger("p").await[0]["status"], "succeeded");
}

#[tokio::test]
async fn what_was_answered_is_in_the_file_without_a_stop() {
    let desk = Desk::open(Profile::StripeLike).await;
    let body = order("a", "pm_ok");
    let first = desk.pay("k", &body).await.unwrap();
    // What a crash at this moment would leave.
    let left = desk.options.ledger.with_extension("left");
    std::fs::copy(&desk.options.ledger, &left).unwrap();

    let mut options = desk.options.clone();
    options.ledger = left;
    let after = Simulator::start(options).await.unwrap();
    let url = format!("http://{}/v1/payments", after.local_addr());
    let request = desk.client.post(url).header("Idempotency-Key", "k");
    let repeat = desk.send(request.body(body.to_string())).await.unwrap();
    assert_eq!((repeat.replayed, repeat.text), (true, first.text));
}

#[tokio::test]
async fn a_stop_is_bounded_and_keeps_what_was_captured() {
    let desk = Desk::open(Profile::StripeLike).await;
    let order_fault = json!({"fault": {"kind": "delay_answer", "delay_ms": 3_600_000}});
    desk.control("/control/faults", order_fault).await;
    let request = desk.client.post(desk.url("/v1/payments"));
    let request = request.header("Idempotency-Key", "k");
    let request = request.body(order("a", "pm_ok").to_string());
    let waiting = tokio::spawn(
        request
            .timeout(std::time::Duration::from_secs(3_600))
            .send(),
    );
    desk.wait_for_requests("a", "executed").await;
    let desk = desk.reopen().await;
    assert!(waiting.await.unwrap().is_err());
    assert_eq!(desk.captures("a").await, 1);
    assert!(desk.pay("k", &order("a", "pm_ok")).await.unwrap().replayed);
}

#[tokio::test]
async fn a_ledger_in_use_and_a_senseless_scale_are_refused() {
    let desk = Desk::open(Profile::StripeLike).await;
    let second = Simulator::start(desk.options.clone()).await;
    assert!(matches!(second, Err(SimulatorError::LedgerInUse { .. })));
    for time_scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = crate::simulator::Options {
            time_scale,
            ..desk.options.clone()
        };
        let refused = Simulator::start(options).await;
        assert!(matches!(refused, Err(SimulatorError::TimeScale(_))));
    }
}
