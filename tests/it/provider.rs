//! The simulator's adapter against the simulator: every profile conforms, and
//! the suite notices an adapter that does not.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use async_trait::async_trait;
use payonce::domain::attempt::{PreparedRequest, Step};
use payonce::domain::evidence::LookUp;
use payonce::domain::kind::Kind;
use payonce::domain::operation::Operation;
use payonce::domain::profile::Rail;
use payonce::domain::provider_key::ProviderKey;
use payonce::domain::reference::ProviderAccount;
use payonce::domain::request::PaymentMethod;
use payonce::http::Outbound;
use payonce::provider::conformance::{Arrival, Bench, Trouble, check};
use payonce::provider::simulator::{SimulatorAdapter, SimulatorFacts, SimulatorProfile};
use payonce::provider::{Adapter, Sent};
use payonce::simulator::{Options, Profile, Simulator};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A simulator that can be broken through its control API.
struct Desk {
    simulator: Simulator,
    profile: Profile,
    client: reqwest::Client,
    _folder: TempDir,
}

impl Desk {
    async fn open(profile: Profile) -> Self {
        payonce::http::install_crypto_provider();
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            ledger: folder.path().join("ledger.jsonl"),
            profile,
            time_scale: 1.0,
        };
        Self {
            simulator: Simulator::start(options).await.unwrap(),
            profile,
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
            _folder: folder,
        }
    }

    fn adapter(&self) -> SimulatorAdapter {
        let profile = match self.profile {
            Profile::StripeLike => SimulatorProfile::StripeLike,
            Profile::LatestStatus => SimulatorProfile::LatestStatus,
            Profile::NoIdempotency => SimulatorProfile::NoIdempotency,
            Profile::ReportOnly => SimulatorProfile::ReportOnly,
        };
        let facts = SimulatorFacts {
            profile,
            ..SimulatorFacts::default()
        };
        let account = ProviderAccount::parse("cards").unwrap();
        let outbound = Outbound::new(Duration::from_secs(2)).unwrap();
        SimulatorAdapter::new(account, self.url(""), facts, outbound)
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.simulator.local_addr())
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.client.get(self.url(path)).send().await.unwrap();
        answer.json().await.unwrap()
    }

    async fn post(&self, path: &str, key: &str, body: &Value) {
        let request = self.client.post(self.url(path)).json(body);
        let answer = request.header("idempotency-key", key).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
    }

    /// What the processor was told to call the payment of a charge.
    fn reference(&self, charge: &Operation) -> String {
        match self.profile {
            Profile::StripeLike | Profile::LatestStatus => charge.intent.order_id.to_string(),
            Profile::NoIdempotency | Profile::ReportOnly => charge.intent.provider_key.to_string(),
        }
    }

    async fn captures_of(&self, charge: &Operation) -> usize {
        let reference = self.reference(charge);
        let ledger = self.get(&format!("/ledger?reference={reference}")).await;
        let payments = ledger["payments"].as_array().unwrap().iter();
        let captures = payments.map(|it| it["captures"].as_array().unwrap().len());
        captures.sum()
    }

    async fn refunds_of(&self, payment: &str) -> usize {
        let ledger = self.get("/ledger").await;
        let payments = ledger["payments"].as_array().unwrap().iter();
        payments
            .filter(|it| it["id"] == payment)
            .flat_map(|it| it["refunds"].as_array().unwrap())
            .filter(|it| it["status"] == "succeeded")
            .count()
    }
}

fn fault(trouble: Trouble) -> Value {
    match trouble {
        Trouble::LoseRequest => json!({"kind": "drop_request"}),
        Trouble::LoseAnswer => json!({"kind": "drop_response"}),
        Trouble::CutAnswer => json!({"kind": "truncated_json"}),
        Trouble::WebPage => json!({"kind": "garbage"}),
        Trouble::EmptyAnswer => json!({"kind": "empty_body"}),
        Trouble::UnknownStatus => json!({"kind": "unknown_status"}),
        Trouble::OtherObject => json!({"kind": "other_payment"}),
        Trouble::HugeAnswer => json!({"kind": "huge_body"}),
        Trouble::FailAfter => json!({"kind": "error_after"}),
        Trouble::InProgress => json!({"kind": "in_progress"}),
        Trouble::SlowDown => {
            let seconds = Trouble::PAUSE.as_secs();
            json!({"kind": "error_before", "status": 429, "retry_after_s": seconds})
        }
        Trouble::Redirect => json!({"kind": "redirect"}),
    }
}

#[async_trait]
impl Bench for Desk {
    fn paying_method(&self) -> PaymentMethod {
        PaymentMethod::parse("pm_ok").unwrap()
    }

    async fn order(&self, trouble: Trouble) {
        let order = json!({"fault": fault(trouble)});
        self.post("/control/faults", "", &order).await;
    }

    async fn arrivals(&self, operation: &Operation) -> Vec<Arrival> {
        let key = operation.intent.provider_key.as_str();
        let heard = self.get(&format!("/requests?key={key}")).await;
        let changes = heard["requests"].as_array().unwrap().iter();
        changes
            .filter(|it| it["method"] == "POST")
            .map(|it| Arrival {
                key: it["idempotency_key"].as_str().unwrap().to_owned(),
                body: it["body"].as_str().unwrap().to_owned(),
            })
            .collect()
    }

    async fn effects(&self, operation: &Operation) -> usize {
        match (operation.intent.kind, &operation.intent.target) {
            (Kind::Refund, Some(payment)) => self.refunds_of(payment.as_str()).await,
            _ => self.captures_of(operation).await,
        }
    }

    async fn crowd(&self, operation: &Operation, payments: usize) {
        let body = json!({
            "amount": 100,
            "currency": "USD",
            "payment_method": "pm_ok",
            "reference": self.reference(operation),
        });
        for number in 0..payments {
            self.post("/v1/payments", &format!("crowd-{number}"), &body)
                .await;
        }
    }
}

async fn conforms(profile: Profile) {
    let desk = Desk::open(profile).await;
    let breaches = check(&desk.adapter(), &desk, "run").await;
    let listed: Vec<String> = breaches.iter().map(ToString::to_string).collect();
    assert!(listed.is_empty(), "\n{}\n", listed.join("\n"));
    desk.simulator.stop().await;
}

#[tokio::test]
async fn stripe_like_conforms() {
    conforms(Profile::StripeLike).await;
}

#[tokio::test]
async fn latest_status_conforms() {
    conforms(Profile::LatestStatus).await;
}

#[tokio::test]
async fn no_idempotency_conforms() {
    conforms(Profile::NoIdempotency).await;
}

#[tokio::test]
async fn report_only_conforms() {
    conforms(Profile::ReportOnly).await;
}

/// Sends everything twice and takes what is not found for absent.
struct Careless(SimulatorAdapter);

#[async_trait]
impl Adapter for Careless {
    fn rail(&self) -> &Rail {
        self.0.rail()
    }

    async fn send(
        &self,
        step: Step,
        request: &PreparedRequest,
        key: &ProviderKey,
        may_write: &(dyn Fn() -> bool + Sync),
        deadline: Duration,
    ) -> Sent {
        match self.0.send(step, request, key, may_write, deadline).await {
            Sent::Ambiguous(..) => self.0.send(step, request, key, may_write, deadline).await,
            sent => sent,
        }
    }

    async fn look_up(&self, _operation: &Operation, _deadline: Duration) -> LookUp {
        LookUp::NotFound
    }
}

#[tokio::test]
async fn the_suite_notices_an_adapter_that_repeats_and_does_not_look() {
    let desk = Desk::open(Profile::NoIdempotency).await;
    // A short lag, so that the suite does not wait long for what never shows.
    let facts = SimulatorFacts {
        profile: SimulatorProfile::NoIdempotency,
        visibility_lag: Some(Duration::ZERO),
        ..SimulatorFacts::default()
    };
    let account = ProviderAccount::parse("cards").unwrap();
    let outbound = Outbound::new(Duration::from_secs(2)).unwrap();
    let careless = Careless(SimulatorAdapter::new(
        account,
        desk.url(""),
        facts,
        outbound,
    ));
    let breaches = check(&careless, &desk, "run").await;
    let noticed: Vec<&str> = breaches.iter().map(|it| it.trial.as_str()).collect();
    for trouble in Trouble::ALL {
        let charge = format!("charge, {trouble:?}");
        assert!(noticed.contains(&charge.as_str()), "{charge}: {noticed:?}");
    }
    for trial in ["plain", "pages"] {
        assert!(noticed.contains(&trial), "{trial}: {noticed:?}");
    }
    desk.simulator.stop().await;
}
