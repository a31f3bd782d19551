//! The simulator over a real socket.

mod durability;
mod faults;
mod keys;
mod lifecycle;
mod look_ups;
mod methods;
mod sockets;

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Options, Profile, Simulator};

/// A simulator with a ledger of its own, and a client.
struct Desk {
    options: Options,
    _folder: tempfile::TempDir,
    simulator: Simulator,
    client: reqwest::Client,
}

#[derive(Debug)]
struct Answer {
    status: u16,
    replayed: bool,
    headers: reqwest::header::HeaderMap,
    text: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    /// Status and `error.code`.
    fn refusal(&self) -> (u16, String) {
        let code = self.json()["error"]["code"].as_str().unwrap().to_owned();
        (self.status, code)
    }
}

type Sent = Result<Answer, reqwest::Error>;

impl Desk {
    /// Every built-in delay takes 5 % of its length.
    async fn open(profile: Profile) -> Self {
        Self::open_scaled(profile, 0.05).await
    }

    async fn open_scaled(profile: Profile, time_scale: f64) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            ledger: folder.path().join("ledger.jsonl"),
            profile,
            time_scale,
        };
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_secs(20));
        Self {
            simulator: Simulator::start(options.clone()).await.unwrap(),
            options,
            _folder: folder,
            client: client.build().unwrap(),
        }
    }

    async fn reopen(self) -> Self {
        self.simulator.stop().await;
        Self {
            simulator: Simulator::start(self.options.clone()).await.unwrap(),
            ..self
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.simulator.local_addr())
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Sent {
        let response = request.send().await?;
        let headers = response.headers().clone();
        Ok(Answer {
            status: response.status().as_u16(),
            replayed: headers.contains_key("idempotent-replayed"),
            headers,
            text: response.text().await?,
        })
    }

    async fn post(&self, path: &str, key: &str, body: &Value) -> Sent {
        let request = self.client.post(self.url(path));
        let request = request.header("Idempotency-Key", key);
        self.send(request.body(body.to_string())).await
    }

    async fn get(&self, path: &str) -> Sent {
        self.send(self.client.get(self.url(path))).await
    }

    async fn control(&self, path: &str, body: Value) -> Value {
        let request = self.client.post(self.url(path)).body(body.to_string());
        let answer = self.send(request).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    async fn order_fault(&self, operation: &str, fault: &Value) {
        let order = json!({"match": {"operation": operation}, "fault": fault});
        self.control("/control/faults", order).await;
    }

    async fn pay(&self, key: &str, body: &Value) -> Sent {
        self.post("/v1/payments", key, body).await
    }

    /// A payment that succeeded; its id.
    async fn paid(&self, key: &str, reference: &str) -> String {
        let answer = self.pay(key, &order(reference, "pm_ok")).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    async fn ledger(&self, reference: &str) -> Vec<Value> {
        let path = format!("/ledger?reference={reference}");
        let shown = self.get(&path).await.unwrap().json();
        shown["payments"].as_array().unwrap().clone()
    }

    /// How often money was taken for a reference.
    async fn captures(&self, reference: &str) -> usize {
        let payments = self.ledger(reference).await;
        let captures = payments
            .iter()
            .map(|it| it["captures"].as_array().unwrap().len());
        captures.sum()
    }

    async fn found(&self, reference: &str) -> Vec<Value> {
        let path = format!("/v1/payments?reference={reference}");
        let shown = self.get(&path).await.unwrap().json();
        shown["data"].as_array().unwrap().clone()
    }

    /// What arrived for a reference.
    async fn requests(&self, reference: &str) -> Vec<Value> {
        let path = format!("/requests?reference={reference}");
        let shown = self.get(&path).await.unwrap().json();
        shown["requests"].as_array().unwrap().clone()
    }

    /// Waits until `what` was requested and worked on.
    async fn wait_for_requests(&self, reference: &str, outcome: &str) {
        eventually(async || {
            let requests = self.requests(reference).await;
            requests.iter().any(|it| it["outcome"] == outcome)
        })
        .await;
    }
}

fn order(reference: &str, method: &str) -> Value {
    json!({
        "amount": 4900,
        "currency": "USD",
        "payment_method": method,
        "reference": reference,
        "metadata": {"payonce_key": "k"},
    })
}

/// Waits for a condition; a minute is far beyond every delay in these tests.
async fn eventually(holds: impl AsyncFn() -> bool) {
    for _ in 0..3_000 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the condition never held");
}
