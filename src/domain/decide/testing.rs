//! Short ways to a subject for the tests of the rules.
//!
//! A [`Scene`] holds one order's rows, hands events to the real `decide` and
//! writes what it decides with the real `evolve`, ledger included. A state is
//! reached by the events that lead there; only what no event reaches yet is
//! set by hand.

mod policies;
mod scene;
mod shown;
mod steps;

pub(crate) use policies::*;
pub(crate) use scene::*;
pub(crate) use shown::*;

use std::time::Duration;

use super::Opening;
use crate::domain::ids::AttemptId;
use crate::domain::money::{Currency, Money};
use crate::domain::reference::{Label, OrderId, ProviderAccount, Purpose, TenantId};
use crate::domain::time::Instant;

/// When scenes begin.
pub(crate) const START: Instant = Instant(1_700_000_000_000_000);

pub(crate) fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) fn usd(minor_units: i64) -> Money {
    Money::new(Currency::parse("USD").expect("currency"), minor_units)
}

pub(crate) fn account() -> ProviderAccount {
    ProviderAccount::parse("acme").expect("account")
}

pub(crate) fn tenant() -> TenantId {
    TenantId::parse("default").expect("tenant")
}

pub(crate) fn order_id() -> OrderId {
    OrderId::parse("8472").expect("order")
}

pub(crate) fn purpose(name: &str) -> Purpose {
    Purpose::parse(name).expect("purpose")
}

pub(crate) fn label(name: &str) -> Label {
    Label::parse(name).expect("label")
}

/// An opening whose first byte may be written until 5 s from `now`.
pub(crate) fn opening(attempt: AttemptId, now: Instant) -> Opening {
    Opening {
        attempt,
        not_after: now + secs(5),
    }
}
