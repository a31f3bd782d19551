//! Each control fault, on a payment, a refund or a look-up.

use serde_json::{Value, json};

use super::{Answer, Desk, Sent, eventually, order};
use crate::simulator::Profile;

/// What the faulty call looks like from outside.
type Looks = fn(&Sent) -> bool;

fn status(sent: &Sent) -> u16 {
    sent.as_ref().map_or(0, |answer| answer.status)
}

fn shown(sent: &Sent) -> Value {
    let text = sent.as_ref().map_or("", |answer| answer.text.as_str());
    serde_json::from_str(text).unwrap_or_default()
}

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers[name].to_str().unwrap()
}

/// Fault, how the answer looks, payments in the ledger, captures.
const PAYMENT_FAULTS: &[(&str, Looks, usize, usize)] = &[
    (r#"{"kind":"drop_response"}"#, |it| it.is_err(), 1, 1),
    (r#"{"kind":"drop_request"}"#, |it| it.is_err(), 0, 0),
    (
        r#"{"kind":"delay_answer","delay_ms":50}"#,
        |it| status(it) == 200,
        1,
        1,
    ),
    (
        r#"{"kind":"hold_request","delay_ms":50}"#,
        |it| status(it) == 200,
        1,
        1,
    ),
    (r#"{"kind":"error_after"}"#, |it| status(it) == 500, 1, 1),
    (
        r#"{"kind":"error_after","status":503}"#,
        |it| status(it) == 503,
        1,
        1,
    ),
    (r#"{"kind":"error_before"}"#, |it| status(it) == 500, 0, 0),
    (
        r#"{"kind":"error_before","status":429,"retry_after_s":7}"#,
        |it| {
            let answer = it.as_ref().unwrap();
            answer.status == 429
                && header(answer, "retry-after") == "7"
                && shown(it)["error"]["type"] == "rate_limited"
        },
        0,
        0,
    ),
    (r#"{"kind":"in_progress"}"#, |it| status(it) == 409, 0, 0),
    (
        r#"{"kind":"garbage"}"#,
        |it| status(it) == 200 && shown(it).is_null(),
        1,
        1,
    ),
    (
        r#"{"kind":"empty_body"}"#,
        |it| status(it) == 200 && it.as_ref().unwrap().text.is_empty(),
        1,
        1,
    ),
    (
        r#"{"kind":"truncated_json"}"#,
        |it| it.as_ref().unwrap().text.starts_with('{') && shown(it).is_null(),
        1,
        1,
    ),
    (
        r#"{"kind":"unknown_status"}"#,
        |it| shown(it)["status"] == "weird",
        1,
        1,
    ),
    (
        r#"{"kind":"decline","code":"insufficient_funds"}"#,
        |it| status(it) == 402 && shown(it)["error"]["code"] == "insufficient_funds",
        1,
        0,
    ),
    (
        r#"{"kind":"amount_differs","amount":4901}"#,
        |it| shown(it)["amount"] == 4901 && shown(it)["amount_captured"] == 4901,
        1,
        1,
    ),
    (
        r#"{"kind":"other_payment"}"#,
        |it| status(it) == 200 && shown(it)["reference"] != "a",
        1,
        1,
    ),
    (
        r#"{"kind":"hide","hide_ms":3600000}"#,
        |it| status(it) == 200,
        1,
        1,
    ),
    (r#"{"kind":"duplicate"}"#, |it| status(it) == 200, 2, 2),
    (
        r#"{"kind":"huge_body"}"#,
        |it| it.as_ref().unwrap().text.len() > 64 * 1024 * 1024 && shown(it)["reference"] == "a",
        1,
        1,
    ),
    (
        r#"{"kind":"redirect"}"#,
        |it| status(it) == 307 && header(it.as_ref().unwrap(), "location") == "/v1/payments",
        0,
        0,
    ),
];

#[tokio::test]
async fn each_fault_of_a_payment() {
    for (fault, looks, payments, captures) in PAYMENT_FAULTS {
        let desk = Desk::open(Profile::StripeLike).await;
        let parsed: Value = serde_json::from_str(fault).unwrap();
        desk.order_fault("payment", &parsed).await;
        let sent = desk.pay("k", &order("a", "pm_ok")).await;
        assert!(looks(&sent), "{fault}: {:?}", sent.map(|it| it.status));
        assert_eq!(desk.ledger("a").await.len(), *payments, "{fault}");
        assert_eq!(desk.captures("a").await, *captures, "{fault}");
        let faults = desk.get("/control/faults").await.unwrap().json();
        assert_eq!(faults["faults"][0]["hits"], 1, "{fault}");
        assert_eq!(desk.requests("a").await[0]["fault"], parsed["kind"]);
        if parsed["kind"] == "hide" {
            assert!(desk.found("a").await.is_empty());
        }
    }
}

#[tokio::test]
async fn each_fault_of_a_refund() {
    /// Fault, how the answer looks, the statuses of the refunds in the ledger.
    type Case = (Value, Looks, &'static [&'static str]);
    let table: [Case; 7] = [
        (
            json!({"kind": "drop_response"}),
            |it| it.is_err(),
            &["succeeded"],
        ),
        (json!({"kind": "drop_request"}), |it| it.is_err(), &[]),
        (
            json!({"kind": "refund_pending"}),
            |it| shown(it)["status"] == "pending",
            &["pending"],
        ),
        (
            json!({"kind": "refund_fail"}),
            |it| shown(it)["status"] == "failed",
            &["failed"],
        ),
        (
            json!({"kind": "duplicate"}),
            |it| status(it) == 200,
            &["succeeded", "succeeded"],
        ),
        (
            json!({"kind": "other_payment"}),
            |it| shown(it)["reference"] != "a",
            &["succeeded"],
        ),
        (
            json!({"kind": "unknown_status"}),
            |it| shown(it)["status"] == "weird",
            &["succeeded"],
        ),
    ];
    for (fault, looks, statuses) in table {
        let desk = Desk::open(Profile::StripeLike).await;
        let id = desk.paid("k", "a").await;
        // By the payment's reference, although the refund has its own.
        let order = json!({"match": {"reference": "a", "operation": "refund"}, "fault": fault});
        desk.control("/control/faults", order).await;
        let body = json!({"amount": 100, "reference": "r"});
        let path = format!("/v1/payments/{id}/refunds");
        let sent = desk.post(&path, "r", &body).await;
        assert!(looks(&sent), "{fault}");
        let row = &desk.ledger("a").await[0];
        let refunds = row["refunds"].as_array().unwrap();
        let found: Vec<&str> = refunds
            .iter()
            .map(|it| it["status"].as_str().unwrap())
            .collect();
        assert_eq!(found, statuses, "{fault}");
    }
}

#[tokio::test]
async fn each_fault_of_a_look_up() {
    let table: [(Value, Looks); 6] = [
        (json!({"kind": "drop_response"}), |it| it.is_err()),
        (json!({"kind": "stale"}), |it| {
            shown(it)["data"][0]["status"] == "processing"
        }),
        (json!({"kind": "unknown_status"}), |it| {
            shown(it)["data"][0]["status"] == "weird"
        }),
        (json!({"kind": "other_payment"}), |it| {
            shown(it)["data"][0]["reference"] == "b"
        }),
        (json!({"kind": "error_before", "status": 404}), |it| {
            status(it) == 404
        }),
        (json!({"kind": "truncated_json"}), |it| shown(it).is_null()),
    ];
    let desk = Desk::open(Profile::StripeLike).await;
    desk.paid("k", "a").await;
    desk.paid("l", "b").await;
    for (fault, looks) in table {
        desk.order_fault("look_up", &fault).await;
        let sent = desk.get("/v1/payments?reference=a").await;
        assert!(looks(&sent), "{fault}");
        let next = desk.found("a").await;
        assert_eq!(next[0]["status"], "succeeded", "{fault}");
    }
}

#[tokio::test]
async fn a_held_request_arrives_late_even_though_its_caller_is_gone() {
    let desk = Desk::open(Profile::StripeLike).await;
    desk.order_fault(
        "payment",
        &json!({"kind": "hold_request", "delay_ms": 3_000}),
    )
    .await;
    let body = order("a", "pm_ok");
    let request = desk.client.post(desk.url("/v1/payments"));
    let request = request
        .header("Idempotency-Key", "k")
        .body(body.to_string());
    let gone = tokio::spawn(request.send());
    desk.wait_for_requests("a", "received").await;
    gone.abort();
    // Its key is not known yet, so a second send is executed first.
    let second = desk.pay("k", &body).await.unwrap();
    assert!(!second.replayed);
    eventually(async || desk.requests("a").await[0]["outcome"] == "replayed").await;
    assert_eq!(desk.captures("a").await, 1);
}

#[tokio::test]
async fn faults_meant_for_others_wait_and_can_be_cleared() {
    let desk = Desk::open(Profile::StripeLike).await;
    for matched in [
        json!({"reference": "b"}),
        json!({"key": "other"}),
        json!({"operation": "refund"}),
    ] {
        let order = json!({"match": matched, "fault": {"kind": "drop_request"}});
        desk.control("/control/faults", order).await;
    }
    desk.paid("k", "a").await;
    let cleared = desk
        .send(desk.client.delete(desk.url("/control/faults")))
        .await
        .unwrap();
    assert_eq!(cleared.json()["cleared"], 3);
    desk.paid("other", "b").await;
}

#[tokio::test]
async fn orders_that_make_no_sense_are_refused() {
    let desk = Desk::open(Profile::StripeLike).await;
    for order in [
        json!({"fault": {"kind": "nothing"}}),
        json!({"fault": {"kind": "garbage"}, "tims": 2}),
        json!({"fault": {"kind": "delay_answer"}}),
        json!({"match": {"operation": "payment"}, "fault": {"kind": "refund_fail"}}),
    ] {
        let request = desk.client.post(desk.url("/control/faults"));
        let answer = desk.send(request.body(order.to_string())).await.unwrap();
        assert_eq!(answer.status, 400, "{order}");
    }
}
