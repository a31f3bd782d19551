//! Requests, answers and look-ups, without the real processor: that one is
//! tried in the integration tests.

mod answers;
mod look_ups;
mod objects;
mod requests;

use std::time::Duration;

use serde_json::{Value, json};

use super::answer::Reader;
use super::profile::KeyField;
use super::{SimulatorAdapter, SimulatorFacts, SimulatorProfile};
use crate::domain::ids::ProviderPaymentId;
use crate::domain::money::{Currency, Money};
use crate::domain::operation::Operation;
use crate::domain::provider_key::ProviderKey;
use crate::domain::reference::{Label, OrderId, ProviderAccount};
use crate::domain::request::PaymentMethod;
use crate::http::Outbound;
use crate::provider::{Adapter, conformance};

/// A key of ours, and one of another operation.
const KEY: &str = "poabcdefghijklmnopqrstuvwxyz234567";
const OTHER_KEY: &str = "po234567abcdefghijklmnopqrstuvwxyz";

fn account() -> ProviderAccount {
    ProviderAccount::parse("cards").unwrap()
}

fn key(text: &str) -> ProviderKey {
    ProviderKey::stored(text.to_owned())
}

fn reader(key_field: KeyField) -> Reader {
    Reader {
        account: account(),
        key_field,
    }
}

fn adapter(profile: SimulatorProfile, endpoint: &str) -> SimulatorAdapter {
    let facts = SimulatorFacts {
        profile,
        ..SimulatorFacts::default()
    };
    let outbound = Outbound::new(Duration::from_secs(2)).unwrap();
    SimulatorAdapter::new(account(), endpoint.to_owned(), facts, outbound)
}

fn money(minor_units: i64, code: &str) -> Money {
    Money::new(Currency::parse(code).unwrap(), minor_units)
}

fn charge(adapter: &SimulatorAdapter, order: &str, amount: Money) -> Operation {
    let order = OrderId::parse(order).unwrap();
    let method = PaymentMethod::parse("pm_ok").unwrap();
    conformance::charge(adapter.rail(), &order, amount, method)
}

fn refund(adapter: &SimulatorAdapter, payment: &str) -> Operation {
    let charge = charge(adapter, "8472", money(4900, "USD"));
    let payment = ProviderPaymentId::parse(payment).unwrap();
    let label = Label::parse("return-1").unwrap();
    conformance::refund_of(&charge, &payment, &label, money(1200, "USD"))
}

/// `fields` laid over an object; a field of `null` is taken away.
fn with(mut object: Value, fields: Value) -> Value {
    for (name, value) in fields.as_object().unwrap() {
        if value.is_null() {
            object.as_object_mut().unwrap().remove(name);
        } else {
            object[name] = value.clone();
        }
    }
    object
}

/// A payment that succeeded, as the processor shows it.
fn payment() -> Value {
    json!({
        "id": "pay_1",
        "object": "payment",
        "status": "succeeded",
        "amount": 4900,
        "currency": "USD",
        "amount_captured": 4900,
        "amount_refunded": 0,
        "reference": "8472",
        "idempotency_key": KEY,
        "metadata": {"payonce_key": KEY},
        "account": "acct_sim",
        "created": 1_700_000_000_123_i64,
        "decline": null,
        "action": null,
    })
}

fn failed_payment(code: &str) -> Value {
    let decline = json!({"code": code, "message": "words of the bank"});
    with(
        payment(),
        json!({"status": "failed", "amount_captured": 0, "decline": decline}),
    )
}

fn refund_object() -> Value {
    json!({
        "id": "re_1",
        "object": "refund",
        "payment": "pay_1",
        "status": "succeeded",
        "amount": 1200,
        "currency": "USD",
        "account": "acct_sim",
        "idempotency_key": KEY,
        "reference": "8472",
        "metadata": {"payonce_key": KEY},
    })
}
