//! Idempotency keys and what the profiles make of them.

use serde_json::json;

use super::{Desk, eventually, order};
use crate::simulator::Profile;

#[tokio::test]
async fn a_repeat_replays_the_stored_answer() {
    let desk = Desk::open(Profile::StripeLike).await;
    let body = order("a", "pm_ok");
    let first = desk.pay("k", &body).await.unwrap();
    let second = desk.pay("k", &body).await.unwrap();
    assert_eq!((first.status, first.replayed), (200, false));
    assert_eq!((second.status, second.replayed), (200, true));
    assert_eq!(first.text, second.text);
    assert_eq!(desk.captures("a").await, 1);

    let requests = desk.requests("a").await;
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0]["outcome"], "executed");
    assert_eq!(requests[1]["outcome"], "replayed");
    assert_eq!(requests[0]["body_sha256"], requests[1]["body_sha256"]);
    assert_eq!(requests[0]["idempotency_key"], "k");
}

#[tokio::test]
async fn a_key_used_for_something_else_is_a_mismatch() {
    let desk = Desk::open(Profile::StripeLike).await;
    let id = desk.paid("k", "a").await;
    let mut other = order("a", "pm_ok");
    other["amount"] = json!(4901);
    let other_body = desk.pay("k", &other).await.unwrap();
    let path = format!("/v1/payments/{id}/refunds");
    let other_path = desk.post(&path, "k", &json!({"amount": 1})).await.unwrap();
    for answer in [other_body, other_path] {
        assert_eq!(answer.refusal(), (400, "idempotency_mismatch".to_owned()));
    }
    assert_eq!(desk.captures("a").await, 1);
    assert_eq!(desk.ledger("a").await[0]["refunds"], json!([]));
}

#[tokio::test]
async fn a_repeat_in_flight_is_a_conflict_and_a_replay_afterwards() {
    let desk = Desk::open_scaled(Profile::StripeLike, 0.2).await;
    let body = order("a", "pm_slow");
    let first = desk.pay("k", &body);
    let meanwhile = async {
        desk.wait_for_requests("a", "executed").await;
        let second = desk.pay("k", &body).await;
        // The conflict is told at once, not after the first answer.
        assert_eq!(desk.requests("a").await[0]["answer"], json!(null));
        second
    };
    let (first, second) = tokio::join!(first, meanwhile);
    let second = second.unwrap();
    assert_eq!(
        second.refusal(),
        (409, "idempotency_in_progress".to_owned())
    );
    let third = desk.pay("k", &body).await.unwrap();
    assert_eq!(first.unwrap().text, third.text);
    assert_eq!(desk.captures("a").await, 1);
}

#[tokio::test]
async fn a_key_is_forgotten_when_its_life_is_over() {
    let desk = Desk::open(Profile::StripeLike).await;
    desk.paid("k", "a").await;
    // 24 h at this scale are 4320 s.
    desk.control("/control/clock", json!({"shift_s": 4300}))
        .await;
    let kept = desk.pay("k", &order("a", "pm_ok")).await.unwrap();
    assert!(kept.replayed);
    desk.control("/control/clock", json!({"shift_s": 20})).await;
    let forgotten = desk.pay("k", &order("a", "pm_ok")).await.unwrap();
    assert!(!forgotten.replayed);
    assert_eq!(desk.captures("a").await, 2);
}

#[tokio::test]
async fn a_repeat_shows_the_stored_or_the_latest_status_by_profile() {
    for (profile, status) in [
        (Profile::StripeLike, "processing"),
        (Profile::LatestStatus, "succeeded"),
    ] {
        let desk = Desk::open(profile).await;
        let body = order("a", "pm_processing");
        let first = desk.pay("k", &body).await.unwrap();
        assert_eq!(first.json()["status"], "processing");
        eventually(async || desk.captures("a").await == 1).await;
        let repeat = desk.pay("k", &body).await.unwrap();
        assert!(repeat.replayed);
        assert_eq!(repeat.json()["status"], status, "{profile}");
    }
}

#[tokio::test]
async fn without_keys_two_requests_make_two_payments() {
    let desk = Desk::open(Profile::NoIdempotency).await;
    let body = order("a", "pm_ok");
    for _ in 0..2 {
        let answer = desk.pay("k", &body).await.unwrap();
        assert_eq!(answer.json()["idempotency_key"], json!(null));
        assert!(!answer.replayed);
    }
    assert_eq!(desk.captures("a").await, 2);
    assert_eq!(desk.found("a").await.len(), 2);
    let nameless = json!({"amount": 1, "currency": "USD", "payment_method": "pm_ok"});
    let refused = desk.pay("k", &nameless).await.unwrap();
    assert_eq!(refused.refusal(), (400, "reference_required".to_owned()));
}

#[tokio::test]
async fn report_only_answers_no_look_up_but_keeps_its_ledger() {
    let desk = Desk::open(Profile::ReportOnly).await;
    let id = desk.paid("k", "a").await;
    for path in [
        format!("/v1/payments/{id}"),
        "/v1/payments?reference=a".to_owned(),
        "/v1/refunds".to_owned(),
        "/v1/refunds/re_none".to_owned(),
    ] {
        let answer = desk.get(&path).await.unwrap();
        assert_eq!(
            answer.refusal(),
            (404, "look_up_not_offered".to_owned()),
            "{path}"
        );
    }
    assert_eq!(desk.captures("a").await, 1);
}

#[tokio::test]
async fn a_key_that_is_no_key_is_refused_not_ignored() {
    let desk = Desk::open(Profile::StripeLike).await;
    for key in ["", "two words", &"k".repeat(256)] {
        let answer = desk.pay(key, &order("a", "pm_ok")).await.unwrap();
        assert_eq!(
            answer.refusal(),
            (400, "idempotency_key_invalid".to_owned())
        );
    }
    assert_eq!(desk.captures("a").await, 0);
}

#[tokio::test]
async fn many_sends_of_one_key_at_once_capture_once() {
    let desk = Desk::open(Profile::StripeLike).await;
    let body = order("a", "pm_ok");
    let sends = (0..50).map(|_| desk.pay("k", &body));
    let answers = futures_util::future::join_all(sends).await;
    let statuses: Vec<u16> = answers.into_iter().map(|it| it.unwrap().status).collect();
    assert!(statuses.contains(&200));
    assert!(statuses.iter().all(|status| matches!(status, 200 | 409)));
    assert_eq!(desk.captures("a").await, 1);
}
