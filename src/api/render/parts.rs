//! Times, amounts and the smaller messages.

use std::time::Duration;

use crate::domain::effect::Effect;
use crate::domain::evidence::{CustomerAction, Decline};
use crate::domain::money::Money;
use crate::domain::operation::{Instruction, Review};
use crate::domain::time::Instant;
use crate::engine::CompensationSummary;
use crate::proto::v1;

use super::named;

const MICROS: i64 = 1_000_000;

pub(super) fn timestamp(at: Instant) -> prost_types::Timestamp {
    let nanos = i32::try_from(at.0.rem_euclid(MICROS) * 1000);
    prost_types::Timestamp {
        seconds: at.0.div_euclid(MICROS),
        nanos: nanos.expect("less than a second of nanoseconds"),
    }
}

pub(super) fn duration(span: Duration) -> prost_types::Duration {
    prost_types::Duration {
        seconds: i64::try_from(span.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(span.subsec_nanos()).expect("less than a second of nanoseconds"),
    }
}

pub(super) fn money(amount: Money) -> v1::Money {
    v1::Money {
        currency_code: amount.currency.code().to_owned(),
        minor_units: amount.minor_units,
    }
}

pub(super) fn effect(effect: &Effect) -> v1::PaymentEffect {
    let sum = |minor_units| Some(money(Money::new(effect.currency, minor_units)));
    v1::PaymentEffect {
        provider_payment_id: effect.provider_payment_id.as_str().to_owned(),
        role: named::role(effect.role).into(),
        authorized: sum(effect.authorized),
        captured: sum(effect.captured),
        refunded: sum(given_back(effect)),
        refund_pending: sum(effect.refund_pending),
        charged_back: sum(effect.charged_back),
        confirmed_at: Some(timestamp(effect.confirmed_at)),
    }
}

/// By whomever: through us or at the provider.
pub(super) fn given_back(effect: &Effect) -> i64 {
    effect.refunded.saturating_add(effect.returned)
}

pub(super) fn decline(decline: &Decline) -> v1::Decline {
    v1::Decline {
        category: named::decline_category(decline.category).into(),
        provider_code: decline.provider_code.clone().unwrap_or_default(),
    }
}

pub(super) fn customer_action(action: &CustomerAction) -> v1::CustomerAction {
    v1::CustomerAction {
        kind: named::customer_action_kind(action.kind).into(),
        url: action.url.clone().unwrap_or_default(),
        expires_at: action.expires_at.map(timestamp),
    }
}

pub(super) fn review(review: &Review) -> v1::Review {
    v1::Review {
        case_id: review.case_id.to_string(),
        reason: named::review_reason(review.reason).into(),
        opened_at: Some(timestamp(review.opened_at)),
    }
}

pub(super) fn instruction(instruction: &Instruction) -> v1::CompensationInstruction {
    v1::CompensationInstruction {
        label: instruction.label.as_str().to_owned(),
        amount: instruction.amount.map(money),
        reason: named::compensation_reason(instruction.reason).into(),
        recorded_at: Some(timestamp(instruction.accepted_at)),
    }
}

pub(super) fn compensation(summary: &CompensationSummary) -> v1::CompensationSummary {
    let label = summary.label.clone();
    v1::CompensationSummary {
        operation_id: summary.operation_id.to_string(),
        label: label.map_or(String::new(), String::from),
        kind: named::kind(summary.kind).into(),
        state: named::state(summary.state).into(),
        outcome: named::outcome(summary.outcome).into(),
        amount: Some(money(summary.amount)),
    }
}
