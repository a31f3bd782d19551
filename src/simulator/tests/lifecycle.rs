//! Captures, voids and refunds, and changes made from outside.

use serde_json::{Value, json};

use super::{Desk, order};
use crate::simulator::Profile;

async fn authorized(desk: &Desk, key: &str, reference: &str) -> String {
    let mut body = order(reference, "pm_ok");
    body["capture"] = json!(false);
    let payment = desk.pay(key, &body).await.unwrap().json();
    assert_eq!(payment["status"], "requires_capture");
    payment["id"].as_str().unwrap().to_owned()
}

async fn refund(desk: &Desk, payment: &str, key: &str, amount: i64) -> super::Answer {
    let body = json!({"amount": amount, "reference": "r", "metadata": {"payonce_key": key}});
    let path = format!("/v1/payments/{payment}/refunds");
    desk.post(&path, key, &body).await.unwrap()
}

#[tokio::test]
async fn an_authorization_is_captured_in_part_and_only_once() {
    let desk = Desk::open(Profile::StripeLike).await;
    let id = authorized(&desk, "k", "a").await;
    let path = format!("/v1/payments/{id}/capture");
    let too_much = desk
        .post(&path, "c1", &json!({"amount": 4901}))
        .await
        .unwrap();
    assert_eq!(too_much.refusal(), (400, "amount_too_large".to_owned()));
    let captured = desk
        .post(&path, "c2", &json!({"amount": 4000}))
        .await
        .unwrap();
    assert_eq!(captured.json()["status"], "succeeded");
    assert_eq!(captured.json()["amount_captured"], 4000);
    let replayed = desk
        .post(&path, "c2", &json!({"amount": 4000}))
        .await
        .unwrap();
    assert_eq!(replayed.text, captured.text);
    let again = desk.post(&path, "c3", &json!({})).await.unwrap();
    assert_eq!(again.refusal(), (400, "payment_not_capturable".to_owned()));
    let row = &desk.ledger("a").await[0];
    assert_eq!(row["captures"][0]["amount"], 4000);
    assert_eq!(row["captures"][0]["idempotency_key"], "c2");
}

#[tokio::test]
async fn a_void_ends_an_authorization_but_not_a_success() {
    let desk = Desk::open(Profile::StripeLike).await;
    let id = authorized(&desk, "k", "a").await;
    let path = format!("/v1/payments/{id}/void");
    let voided = desk.post(&path, "v", &json!({})).await.unwrap();
    assert_eq!(voided.json()["status"], "canceled");
    let row = &desk.ledger("a").await[0];
    assert!(row["void"]["id"].as_str().unwrap().starts_with("vd_"));
    let paid = desk.paid("l", "b").await;
    let path = format!("/v1/payments/{paid}/void");
    let refused = desk.post(&path, "w", &json!({})).await.unwrap();
    assert_eq!(refused.refusal(), (400, "payment_not_voidable".to_owned()));
}

#[tokio::test]
async fn refunds_never_exceed_what_was_captured() {
    let desk = Desk::open(Profile::StripeLike).await;
    let id = desk.paid("k", "a").await;
    assert_eq!(
        refund(&desk, &id, "r1", 3000).await.json()["status"],
        "succeeded"
    );
    assert!(refund(&desk, &id, "r1", 3000).await.replayed);
    let beyond = refund(&desk, &id, "r2", 1901).await;
    assert_eq!(beyond.refusal(), (400, "amount_too_large".to_owned()));
    assert_eq!(refund(&desk, &id, "r3", 1900).await.status, 200);
    assert_eq!(desk.found("a").await[0]["amount_refunded"], 4900);
    for (amount, code) in [(0, "amount_invalid"), (-1, "amount_invalid")] {
        assert_eq!(refund(&desk, &id, "r4", amount).await.refusal().1, code);
    }
    let none = refund(&desk, "pay_none", "r5", 1).await;
    assert_eq!(none.refusal(), (404, "not_found".to_owned()));
}

#[tokio::test]
async fn a_payment_that_took_nothing_cannot_be_refunded() {
    let desk = Desk::open(Profile::StripeLike).await;
    let id = authorized(&desk, "k", "a").await;
    let refused = refund(&desk, &id, "r", 1).await;
    assert_eq!(refused.refusal(), (400, "payment_not_captured".to_owned()));
}

#[tokio::test]
async fn a_pending_refund_holds_its_amount_and_a_failed_one_gives_it_back() {
    let desk = Desk::open(Profile::StripeLike).await;
    let id = desk.paid("k", "a").await;
    desk.order_fault("refund", &json!({"kind": "refund_pending"}))
        .await;
    let pending = refund(&desk, &id, "r1", 4900).await.json();
    assert_eq!(pending["status"], "pending");
    assert_eq!(desk.found("a").await[0]["amount_refunded"], 0);
    assert_eq!(refund(&desk, &id, "r2", 1).await.status, 400);

    let path = format!("/control/refunds/{}", pending["id"].as_str().unwrap());
    desk.control(&path, json!({"status": "succeeded"})).await;
    assert_eq!(desk.found("a").await[0]["amount_refunded"], 4900);
    desk.control(&path, json!({"status": "failed"})).await;
    assert_eq!(desk.found("a").await[0]["amount_refunded"], 0);
    assert_eq!(refund(&desk, &id, "r3", 4900).await.status, 200);
}

#[tokio::test]
async fn a_payment_is_moved_from_outside() {
    let desk = Desk::open(Profile::StripeLike).await;
    let body = order("a", "pm_customer_action");
    let id = desk.pay("k", &body).await.unwrap().json()["id"].clone();
    let path = format!("/control/payments/{}", id.as_str().unwrap());
    let table = [
        ("succeeded", 4900),
        ("failed", 0),
        ("canceled", 0),
        ("succeeded", 4900),
    ];
    for (status, captured) in table {
        let moved: Value = desk.control(&path, json!({"status": status})).await;
        assert_eq!(moved["status"], status);
        assert_eq!(moved["amount_captured"], captured, "{status}");
        assert_eq!(moved["decline"].is_object(), status == "failed");
    }
}
