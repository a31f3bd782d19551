//! The processor's own word: its ledger, what arrived there, and the faults
//! that it is told to have. Nothing here goes through payonce.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The processor from outside.
pub(crate) struct Judge {
    address: String,
    http: reqwest::Client,
}

/// A payment in the processor's ledger.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Payment {
    pub(crate) id: String,
    pub(crate) reference: Option<String>,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) captures: Vec<Capture>,
    pub(crate) refunds: Vec<Refund>,
}

/// Money taken.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Capture {
    pub(crate) amount: i64,
}

/// Money given back, or on its way.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Refund {
    pub(crate) id: String,
    pub(crate) reference: Option<String>,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) amount: i64,
    pub(crate) status: String,
}

/// A request that arrived.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Request {
    pub(crate) at_ms: i64,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) body_sha256: Option<String>,
    pub(crate) answer: Option<u16>,
    pub(crate) reference: Option<String>,
    /// What became of it, in the words of the control API.
    pub(crate) outcome: String,
    /// The fault that befell it, by its kind.
    pub(crate) fault: Option<String>,
}

#[derive(Deserialize)]
struct Payments {
    payments: Vec<Payment>,
}

#[derive(Deserialize)]
struct Requests {
    requests: Vec<Request>,
}

impl Judge {
    pub(crate) fn new(address: &str) -> Judge {
        // Whether it was installed before does not matter.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .no_proxy()
            .timeout(Duration::from_secs(20))
            .build()
            .expect("an HTTP client");
        Judge {
            address: address.to_owned(),
            http,
        }
    }

    /// Where the processor listens.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Its whole ledger.
    pub(crate) async fn all_payments(&self) -> Vec<Payment> {
        let all: Payments = self.get("/ledger").await;
        all.payments
    }

    /// The payments of an order, captured or not.
    pub(crate) async fn payments(&self, order: &str) -> Vec<Payment> {
        let of_order: Payments = self.get(&format!("/ledger?reference={order}")).await;
        of_order.payments
    }

    /// The captures of an order.
    pub(crate) async fn captures(&self, order: &str) -> Vec<Capture> {
        let payments = self.payments(order).await;
        payments.into_iter().flat_map(|it| it.captures).collect()
    }

    /// The refunds of an order, whatever became of them.
    pub(crate) async fn refunds(&self, order: &str) -> Vec<Refund> {
        let payments = self.payments(order).await;
        payments.into_iter().flat_map(|it| it.refunds).collect()
    }

    /// All that arrived, in this order.
    pub(crate) async fn all_requests(&self) -> Vec<Request> {
        let all: Requests = self.get("/requests").await;
        all.requests
    }

    /// What arrived for an order, in this order.
    pub(crate) async fn requests(&self, order: &str) -> Vec<Request> {
        let of_order: Requests = self.get(&format!("/requests?reference={order}")).await;
        of_order.requests
    }

    /// The requests among them that move money.
    pub(crate) async fn posts(&self, order: &str) -> Vec<Request> {
        let mut requests = self.requests(order).await;
        requests.retain(|request| request.method == "POST");
        requests
    }

    /// The requests for new payments among them.
    pub(crate) async fn charges(&self, order: &str) -> Vec<Request> {
        let mut requests = self.posts(order).await;
        requests.retain(|request| request.path == "/v1/payments");
        requests
    }

    /// Orders a fault for the next `times` calls of `operation` for `order`.
    pub(crate) async fn fault(&self, order: &str, operation: &str, times: u32, fault: Value) {
        let order = json!({
            "match": {"reference": order, "operation": operation},
            "times": times,
            "fault": fault,
        });
        self.post("/control/faults", &order).await;
    }

    /// Orders a fault for the next `times` calls of `operation`, whosever they
    /// are.
    pub(crate) async fn fault_next(&self, operation: &str, times: u32, fault: Value) {
        let order = json!({
            "match": {"operation": operation},
            "times": times,
            "fault": fault,
        });
        self.post("/control/faults", &order).await;
    }

    /// Forgets all faults that were ordered.
    pub(crate) async fn no_more_faults(&self) {
        let url = format!("http://{}/control/faults", self.address);
        let sent = self.http.delete(url).send().await;
        assert!(sent.is_ok_and(|answer| answer.status().is_success()));
    }

    /// Moves its clock.
    pub(crate) async fn shift_clock(&self, seconds: u32) {
        self.post("/control/clock", &json!({"shift_s": seconds}))
            .await;
    }

    /// Moves a payment, as the customer or the bank would.
    pub(crate) async fn move_payment(&self, id: &str, status: &str) {
        let path = format!("/control/payments/{id}");
        self.post(&path, &json!({"status": status})).await;
    }

    /// Moves a refund.
    pub(crate) async fn move_refund(&self, id: &str, status: &str) {
        let path = format!("/control/refunds/{id}");
        self.post(&path, &json!({"status": status})).await;
    }

    /// Takes 49.00 USD for an order as a program would that knows nothing of
    /// payonce.
    pub(crate) async fn pay_past_the_service(&self, order: &str) {
        let payment = json!({
            "amount": 4900,
            "currency": "USD",
            "payment_method": "pm_ok",
            "reference": order,
        });
        self.post("/v1/payments", &payment).await;
    }

    async fn get<T: DeserializeOwned>(&self, path: &str) -> T {
        let url = format!("http://{}{path}", self.address);
        let answer = self.http.get(url).send().await.expect("the processor runs");
        answer.json().await.expect("it answers as documented")
    }

    async fn post(&self, path: &str, body: &Value) {
        let url = format!("http://{}{path}", self.address);
        let sent = self.http.post(url).body(body.to_string()).send().await;
        let answer = sent.expect("the processor runs");
        let status = answer.status();
        let text = answer.text().await.unwrap_or_default();
        assert!(status.is_success(), "{path}: {status} {text}");
    }
}
