//! Each test payment method: what is answered, what is in the ledger, and what
//! a repeat is told.

use serde_json::json;

use super::{Desk, Sent, eventually, order};
use crate::simulator::Profile;

async fn first_and_repeat(desk: &Desk, method: &str) -> (Sent, Sent) {
    let body = order(method, method);
    let first = desk.pay(method, &body).await;
    let repeat = desk.pay(method, &body).await;
    (first, repeat)
}

#[tokio::test]
async fn declines_take_nothing_and_are_replayed() {
    let desk = Desk::open(Profile::StripeLike).await;
    for (method, code) in [
        ("pm_declined", "card_declined"),
        ("pm_insufficient_funds", "insufficient_funds"),
    ] {
        let (first, repeat) = first_and_repeat(&desk, method).await;
        let first = first.unwrap();
        assert_eq!(first.refusal(), (402, code.to_owned()));
        let error = &first.json()["error"];
        assert_eq!(error["type"], "card_error");
        assert_eq!(error["payment"]["status"], "failed");
        assert_eq!(error["payment"]["decline"]["code"], code);
        assert_eq!(repeat.unwrap().text, first.text);
        assert_eq!(desk.captures(method).await, 0);
    }
}

#[tokio::test]
async fn a_captured_payment_without_an_answer_is_replayed_to_a_repeat() {
    let desk = Desk::open(Profile::StripeLike).await;
    for method in ["pm_drop_response", "pm_lagging"] {
        let (first, repeat) = first_and_repeat(&desk, method).await;
        assert!(first.is_err(), "{method}");
        let repeat = repeat.unwrap();
        assert!(repeat.replayed);
        assert_eq!(repeat.json()["status"], "succeeded");
        assert_eq!(desk.captures(method).await, 1);
    }
}

#[tokio::test]
async fn a_dropped_request_never_has_an_effect() {
    let desk = Desk::open(Profile::StripeLike).await;
    let (first, repeat) = first_and_repeat(&desk, "pm_drop_request").await;
    assert!(first.is_err() && repeat.is_err());
    assert!(desk.ledger("pm_drop_request").await.is_empty());
    for request in desk.requests("pm_drop_request").await {
        assert_eq!(request["outcome"], "dropped");
        assert_eq!(request["answer"], json!(null));
    }
}

#[tokio::test]
async fn an_error_after_the_capture_is_stored_and_replayed() {
    let desk = Desk::open(Profile::StripeLike).await;
    let (first, repeat) = first_and_repeat(&desk, "pm_error_captured").await;
    let (first, repeat) = (first.unwrap(), repeat.unwrap());
    assert_eq!((first.status, repeat.status), (500, 500));
    assert!(repeat.replayed);
    assert_eq!(first.json()["error"]["type"], "server_error");
    assert_eq!(desk.captures("pm_error_captured").await, 1);

    let latest = Desk::open(Profile::LatestStatus).await;
    let (first, repeat) = first_and_repeat(&latest, "pm_error_captured").await;
    assert_eq!(first.unwrap().status, 500);
    assert_eq!(repeat.unwrap().json()["status"], "succeeded");
}

#[tokio::test]
async fn garbage_is_html_with_200_and_one_capture() {
    let desk = Desk::open(Profile::StripeLike).await;
    let (first, repeat) = first_and_repeat(&desk, "pm_garbage").await;
    let first = first.unwrap();
    assert_eq!(first.status, 200);
    assert!(first.text.starts_with("<html>"));
    assert_eq!(repeat.unwrap().json()["status"], "succeeded");
    assert_eq!(desk.captures("pm_garbage").await, 1);
}

#[tokio::test]
async fn a_slow_payment_is_captured_before_it_is_answered() {
    let desk = Desk::open_scaled(Profile::StripeLike, 0.2).await;
    let body = order("a", "pm_slow");
    let request = desk.client.post(desk.url("/v1/payments"));
    let request = request
        .header("Idempotency-Key", "k")
        .body(body.to_string());
    let impatient = tokio::spawn(request.send());
    eventually(async || desk.captures("a").await == 1).await;
    assert_eq!(desk.requests("a").await[0]["answer"], json!(null));
    impatient.abort();
    // The caller is gone; the key stays in flight until the answer would be out.
    assert_eq!(desk.pay("k", &body).await.unwrap().status, 409);
    eventually(async || desk.pay("k", &body).await.unwrap().replayed).await;
    assert_eq!(desk.captures("a").await, 1);
}

#[tokio::test]
async fn processing_ends_by_itself_with_the_processors_clock() {
    let desk = Desk::open(Profile::StripeLike).await;
    let body = order("a", "pm_processing");
    let first = desk.pay("k", &body).await.unwrap();
    assert_eq!(first.json()["status"], "processing");
    assert_eq!(first.json()["amount_captured"], 0);
    desk.control("/control/clock", json!({"shift_s": 60})).await;
    let found = desk.found("a").await;
    assert_eq!(found[0]["status"], "succeeded");
    assert_eq!(found[0]["amount_captured"], 4900);
}

#[tokio::test]
async fn a_customer_action_completes_at_its_url_or_expires() {
    let desk = Desk::open(Profile::StripeLike).await;
    let body = order("a", "pm_customer_action");
    let first = desk.pay("k", &body).await.unwrap().json();
    assert_eq!(first["status"], "requires_action");
    assert_eq!(first["action"]["kind"], "redirect");
    let url = first["action"]["url"].as_str().unwrap();
    let done = desk.send(desk.client.get(url)).await.unwrap();
    assert_eq!(done.status, 200);
    let found = desk.found("a").await;
    assert_eq!(found[0]["status"], "succeeded");
    assert_eq!(found[0]["action"], json!(null));
    let again = desk.send(desk.client.get(url)).await.unwrap();
    assert_eq!(again.refusal(), (400, "action_not_required".to_owned()));

    desk.pay("l", &order("b", "pm_customer_action"))
        .await
        .unwrap();
    desk.control("/control/clock", json!({"shift_s": 90_000}))
        .await;
    assert_eq!(desk.found("b").await[0]["status"], "canceled");
    assert_eq!(desk.captures("b").await, 0);
}

#[tokio::test]
async fn with_capture_false_every_method_authorizes_instead() {
    let desk = Desk::open(Profile::StripeLike).await;
    for method in [
        "pm_ok",
        "pm_processing",
        "pm_drop_response",
        "pm_slow",
        "pm_error_captured",
        "pm_garbage",
        "pm_lagging",
    ] {
        let mut body = order(method, method);
        body["capture"] = json!(false);
        // Whatever was answered, the ledger says what happened.
        let _ = desk.pay(method, &body).await;
        eventually(async || desk.ledger(method).await[0]["status"] == "requires_capture").await;
        assert_eq!(desk.captures(method).await, 0, "{method}");
    }
}

#[tokio::test]
async fn an_unknown_method_is_refused() {
    let desk = Desk::open(Profile::StripeLike).await;
    let answer = desk.pay("k", &order("a", "pm_gold")).await.unwrap();
    assert_eq!(answer.refusal(), (400, "body_invalid".to_owned()));
    assert!(desk.ledger("a").await.is_empty());
}
