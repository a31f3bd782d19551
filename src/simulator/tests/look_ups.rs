//! Look-ups by id and by reference, pages, lag.

use serde_json::json;

use super::{Desk, eventually, order};
use crate::simulator::Profile;

#[tokio::test]
async fn a_list_is_oldest_first_and_comes_in_pages() {
    let desk = Desk::open(Profile::StripeLike).await;
    let mut ids = Vec::new();
    for key in ["k1", "k2", "k3"] {
        ids.push(desk.paid(key, "a").await);
    }
    desk.paid("other", "b").await;
    let first = desk
        .get("/v1/payments?reference=a&limit=2")
        .await
        .unwrap()
        .json();
    assert_eq!(first["data"][0]["id"], ids[0]);
    assert_eq!(first["data"][1]["id"], ids[1]);
    assert_eq!(first["has_more"], true);
    let path = format!("/v1/payments?reference=a&limit=2&starting_after={}", ids[1]);
    let second = desk.get(&path).await.unwrap().json();
    assert_eq!(second["data"].as_array().unwrap().len(), 1);
    assert_eq!(second["data"][0]["id"], ids[2]);
    assert_eq!(second["has_more"], false);
    for path in [
        "/v1/payments?limit=0",
        "/v1/payments?limit=x",
        "/v1/payments?starting_after=no",
    ] {
        assert_eq!(desk.get(path).await.unwrap().status, 400, "{path}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let desk = Desk::open(Profile::StripeLike).await;
    for path in [
        "/v1/payments/pay_none",
        "/v1/refunds/re_none",
        "/v1/nothing",
    ] {
        let answer = desk.get(path).await.unwrap();
        assert_eq!(answer.refusal(), (404, "not_found".to_owned()));
    }
    assert!(desk.found("none").await.is_empty());
}

#[tokio::test]
async fn refunds_are_found_by_id_by_payment_and_by_reference() {
    let desk = Desk::open(Profile::StripeLike).await;
    let payment = desk.paid("k", "a").await;
    let path = format!("/v1/payments/{payment}/refunds");
    for (key, reference) in [("r1", "first"), ("r2", "second")] {
        let body = json!({"amount": 100, "reference": reference});
        desk.post(&path, key, &body).await.unwrap();
    }
    let all = desk
        .get(&format!("/v1/refunds?payment={payment}"))
        .await
        .unwrap()
        .json();
    assert_eq!(all["data"].as_array().unwrap().len(), 2);
    let path = format!("/v1/refunds?payment={payment}&reference=second");
    let one = desk.get(&path).await.unwrap().json();
    assert_eq!(one["data"].as_array().unwrap().len(), 1);
    assert_eq!(one["data"][0]["idempotency_key"], "r2");
    let id = one["data"][0]["id"].as_str().unwrap();
    let same = desk.get(&format!("/v1/refunds/{id}")).await.unwrap().json();
    assert_eq!(same, one["data"][0]);
}

#[tokio::test]
async fn a_lagging_payment_is_in_the_ledger_long_before_a_look_up_sees_it() {
    let desk = Desk::open(Profile::StripeLike).await;
    // The clock is pushed to the end of the lag by hand, so that a slow machine
    // sees the same.
    let order = order("a", "pm_lagging");
    desk.control(
        "/control/faults",
        json!({"fault": {"kind": "drop_response", "hide_ms": 3_600_000}}),
    )
    .await;
    assert!(desk.pay("k", &order).await.is_err());
    let ledger = desk.ledger("a").await;
    let path = format!("/v1/payments/{}", ledger[0]["id"].as_str().unwrap());
    assert_eq!(ledger[0]["captures"].as_array().unwrap().len(), 1);
    assert!(desk.found("a").await.is_empty());
    assert_eq!(desk.get(&path).await.unwrap().status, 404);
    desk.control("/control/clock", json!({"shift_s": 3_600}))
        .await;
    assert_eq!(desk.found("a").await.len(), 1);
    assert_eq!(desk.get(&path).await.unwrap().status, 200);
}

#[tokio::test]
async fn the_lag_of_the_method_ends_by_itself() {
    let desk = Desk::open(Profile::NoIdempotency).await;
    assert!(desk.pay("k", &order("a", "pm_lagging")).await.is_err());
    assert_eq!(desk.captures("a").await, 1);
    eventually(async || desk.found("a").await.len() == 1).await;
}
