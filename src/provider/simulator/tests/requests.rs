//! The bytes that go out, and what may not go out.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{adapter, charge, key, money, refund};
use crate::domain::attempt::{PreparedRequest, Step};
use crate::domain::evidence::LookUp;
use crate::domain::kind::Kind;
use crate::domain::operation::Operation;
use crate::provider::simulator::{SimulatorAdapter, SimulatorProfile};
use crate::provider::{Adapter, NotSentCause, Sent};

const ENDPOINT: &str = "http://127.0.0.1:9";

fn stripe_like() -> SimulatorAdapter {
    adapter(SimulatorProfile::StripeLike, ENDPOINT)
}

fn body(request: &PreparedRequest) -> &str {
    std::str::from_utf8(&request.body).unwrap()
}

#[test]
fn a_charge_is_these_bytes_for_ever() {
    let adapter = stripe_like();
    let operation = charge(&adapter, "8472/a", money(4900, "USD"));
    let request = adapter.rail().prepare(&operation);
    let key = operation.intent.provider_key.as_str();
    assert_eq!(
        body(&request),
        format!(
            r#"{{"amount":4900,"currency":"USD","payment_method":"pm_ok","capture":true,"reference":"8472/a","metadata":{{"payonce_key":"{key}"}}}}"#
        )
    );
    assert_eq!(request.path, "/v1/payments");
    assert_eq!(
        (request.method.as_str(), request.endpoint.as_str()),
        ("POST", ENDPOINT)
    );
}

#[test]
fn a_refund_names_its_payment_and_the_order() {
    let adapter = stripe_like();
    let operation = refund(&adapter, "pay_1");
    let request = adapter.rail().prepare(&operation);
    let key = operation.intent.provider_key.as_str();
    assert_eq!(request.path, "/v1/payments/pay_1/refunds");
    assert_eq!(
        body(&request),
        format!(r#"{{"amount":1200,"reference":"8472","metadata":{{"payonce_key":"{key}"}}}}"#)
    );
}

#[test]
fn without_idempotency_the_reference_holds_the_key() {
    for profile in [
        SimulatorProfile::NoIdempotency,
        SimulatorProfile::ReportOnly,
    ] {
        let adapter = adapter(profile, ENDPOINT);
        let operation = charge(&adapter, "8472", money(100, "JPY"));
        let key = operation.intent.provider_key.as_str();
        assert_eq!(
            body(&adapter.rail().prepare(&operation)),
            format!(
                r#"{{"amount":100,"currency":"JPY","payment_method":"pm_ok","capture":true,"reference":"{key}"}}"#
            )
        );
    }
}

#[test]
fn what_is_not_in_the_digest_changes_no_byte() {
    let adapter = stripe_like();
    let operation = charge(&adapter, "8472", money(4900, "USD"));
    let mut told = operation.clone();
    told.intent.description = Some("for the garden".to_owned());
    told.intent.labels = [("channel".to_owned(), "web".to_owned())].into();
    told.version = 7;
    told.progress.attempts = 3;
    let rail = adapter.rail();
    assert_eq!(rail.prepare(&operation), rail.prepare(&told));
}

#[test]
fn a_payment_id_stays_in_its_place() {
    let adapter = stripe_like();
    for (id, path) in [
        ("pay/../1", "/v1/payments/pay%2F%2E%2E%2F1/refunds"),
        ("pay?a=1#b", "/v1/payments/pay%3Fa%3D1%23b/refunds"),
    ] {
        assert_eq!(adapter.rail().prepare(&refund(&adapter, id)).path, path);
    }
}

/// Sends to a port where nothing listens: what is refused before that says why.
async fn send(step: Step, operation: &Operation, key_text: &str, may_write: bool) -> (Sent, usize) {
    let adapter = stripe_like();
    let request = adapter.rail().prepare(operation);
    let asked = AtomicUsize::new(0);
    let ask = || {
        asked.fetch_add(1, Ordering::Relaxed);
        may_write
    };
    let deadline = Duration::from_secs(5);
    let sent = adapter
        .send(step, &request, &key(key_text), &ask, deadline)
        .await;
    (sent, asked.into_inner())
}

#[tokio::test]
async fn what_may_not_leave_is_not_sent() {
    let adapter = stripe_like();
    let paid = charge(&adapter, "8472", money(4900, "USD"));
    let mut captured = paid.clone();
    captured.intent.kind = Kind::Capture;
    let mut aimless = refund(&adapter, "pay_1");
    aimless.intent.target = None;
    let not_sent = |cause| Sent::NotSent(cause);
    let too_late = send(Step::Create, &paid, "k", false).await;
    assert_eq!(too_late, (not_sent(NotSentCause::TooLate), 1));
    let keyless = send(Step::Create, &paid, "", true).await;
    assert_eq!(keyless, (not_sent(NotSentCause::NoKey), 0));
    for (step, operation) in [
        (Step::Capture, &captured),
        (Step::Void, &captured),
        (Step::Cancel, &paid),
        (Step::Create, &captured),
        (Step::Refund, &aimless),
        (Step::Refund, &refund(&adapter, "..")),
        (Step::Refund, &refund(&adapter, ".")),
    ] {
        let sent = send(step, operation, "k", true).await;
        assert_eq!(sent, (not_sent(NotSentCause::NotOffered), 0), "{step:?}");
    }
}

#[tokio::test]
async fn a_closed_port_is_not_sent() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let adapter = adapter(SimulatorProfile::StripeLike, &endpoint);
    let operation = charge(&adapter, "8472", money(4900, "USD"));
    let request = adapter.rail().prepare(&operation);
    let key = &operation.intent.provider_key;
    let deadline = Duration::from_secs(5);
    let sent = adapter
        .send(Step::Create, &request, key, &|| true, deadline)
        .await;
    assert!(
        matches!(sent, Sent::NotSent(NotSentCause::Transport(_))),
        "{sent:?}"
    );
    assert_eq!(
        adapter.look_up(&operation, deadline).await,
        LookUp::NoVerdict
    );
}
