//! The simulated processor, as the demo talks to it: pay, order a fault, read
//! the ledger.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{anyhow, bail};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{AMOUNT, CURRENCY};
use crate::cli::Failure;
use crate::http::{self, AmbiguousCause, Answer, Limits, Method, Outbound, Request};

/// For everything that is expected to be answered.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) struct Processor {
    base: String,
    http: Outbound,
}

/// What the processor has of one order.
#[derive(Debug, Deserialize)]
pub(super) struct Ledger {
    pub(super) payments: Vec<Payment>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Payment {
    pub(super) captures: Vec<Capture>,
    pub(super) refunds: Vec<Refund>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Capture {
    pub(super) amount: i64,
    pub(super) idempotency_key: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Refund {
    pub(super) amount: i64,
    pub(super) status: String,
    pub(super) idempotency_key: Option<String>,
}

impl Ledger {
    pub(super) fn captures(&self) -> impl Iterator<Item = &Capture> {
        self.payments.iter().flat_map(|payment| &payment.captures)
    }

    /// Refunds in any state: one that failed or is pending is one too many.
    pub(super) fn refunds(&self) -> impl Iterator<Item = &Refund> {
        self.payments.iter().flat_map(|payment| &payment.refunds)
    }
}

/// How a payment request ended, as its sender saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    /// Status 200.
    Success,
    /// No answer within the sender's patience.
    Timeout,
}

impl Processor {
    pub(super) fn at(address: SocketAddr) -> Result<Self, Failure> {
        Ok(Self {
            base: format!("http://{address}"),
            http: Outbound::new(PATIENCE).map_err(Failure::internal)?,
        })
    }

    /// Orders a fault for the next call on `operation` for that order.
    pub(super) async fn order_fault(
        &self,
        order: &str,
        operation: &str,
        fault: Value,
    ) -> Result<(), Failure> {
        let body = json!({
            "match": { "reference": order, "operation": operation },
            "fault": fault,
        });
        let sent = self.post("/control/faults", &[], &body, PATIENCE).await;
        succeeded(sent).map(|_| ()).map_err(Failure::internal)
    }

    /// Pays directly, as a tool without payonce does.
    pub(super) async fn pay(
        &self,
        order: &str,
        key: &str,
        patience: Duration,
    ) -> Result<Seen, Failure> {
        let body = json!({
            "amount": AMOUNT,
            "currency": CURRENCY,
            "payment_method": "pm_ok",
            "reference": order,
        });
        let headers = [("idempotency-key", key)];
        match self.post("/v1/payments", &headers, &body, patience).await {
            Err(http::Failure::Ambiguous(AmbiguousCause::Timeout)) => Ok(Seen::Timeout),
            sent => succeeded(sent)
                .map(|_| Seen::Success)
                .map_err(Failure::internal),
        }
    }

    /// The truth about one order.
    pub(super) async fn ledger(&self, order: &str) -> Result<Ledger, Failure> {
        let request = Request {
            method: Method::GET,
            url: format!("{}/ledger?reference={order}", self.base),
            headers: Vec::new(),
            body: Vec::new(),
        };
        let sent = self.http.send(request, Limits::within(PATIENCE)).await;
        let answer = succeeded(sent).map_err(Failure::internal)?;
        serde_json::from_slice(&answer.body).map_err(Failure::internal)
    }

    async fn post(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
        patience: Duration,
    ) -> Result<Answer, http::Failure> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let request = Request {
            method: Method::POST,
            url: format!("{}{path}", self.base),
            headers: headers.iter().map(owned).collect(),
            body: body.to_string().into_bytes(),
        };
        self.http.send(request, Limits::within(patience)).await
    }
}

fn succeeded(sent: Result<Answer, http::Failure>) -> anyhow::Result<Answer> {
    let answer = sent.map_err(|failure| anyhow!("the processor: {failure}"))?;
    if answer.status != 200 {
        bail!("the processor answered with status {}", answer.status);
    }
    Ok(answer)
}
