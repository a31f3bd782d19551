//! The operation as callers see it.

use crate::domain::effect::{Effect, Role};
use crate::domain::ids::OperationId;
use crate::domain::money::Money;
use crate::domain::operation::Record;
use crate::domain::outcome::Outcome;
use crate::domain::state::State;
use crate::engine::View;
use crate::proto::v1;

use super::message::message;
use super::{named, parts};

/// The `Operation` of every answer.
pub(in crate::api) fn operation(view: &View) -> v1::Operation {
    let operation = &view.record.operation;
    let intent = &operation.intent;
    let answer = view.answer;
    let sums = Sums::of(&view.record);
    let action = operation.customer_action.as_ref();
    v1::Operation {
        operation_id: operation.id.to_string(),
        order_id: intent.order_id.as_str().to_owned(),
        purpose: intent.purpose.as_str().to_owned(),
        generation: intent.generation,
        kind: named::kind(intent.kind).into(),
        state: named::state(operation.state).into(),
        outcome: named::outcome(answer.outcome).into(),
        safe_next_action: named::safe_next_action(answer.safe_next_action).into(),
        fulfilment: named::fulfilment(answer.fulfilment).into(),
        r#final: operation.state.is_final(),
        version: operation.version,
        amount: Some(parts::money(intent.amount)),
        authorized: sums.authorized,
        captured: sums.captured,
        refund_pending: sums.refund_pending,
        refunded: sums.refunded,
        charged_back: sums.charged_back,
        effects: effects(&view.record),
        provider: intent.provider.as_str().to_owned(),
        provider_payment_id: payment_id(&view.record),
        decline: operation
            .decline
            .as_ref()
            .filter(|_| operation.state == State::Declined)
            .map(parts::decline),
        customer_action: action
            .filter(|_| answer.outcome == Outcome::RequiresCustomerAction)
            .map(parts::customer_action),
        review: operation.review.as_ref().map(parts::review),
        parent_operation_id: id_or_empty(intent.parent),
        compensations: view.compensations.iter().map(parts::compensation).collect(),
        compensate_when_resolved: operation.instruction.as_ref().map(parts::instruction),
        supersedes: id_or_empty(intent.supersedes),
        superseded_by: id_or_empty(operation.superseded_by),
        reversed_at: operation.reversed_at.map(parts::timestamp),
        attempt_count: operation.progress.attempts,
        created_at: Some(parts::timestamp(operation.created_at)),
        submitted_at: operation.submitted_at.map(parts::timestamp),
        settled_at: operation.settled_at.map(parts::timestamp),
        as_of: Some(parts::timestamp(operation.as_of)),
        poll_after: view.poll_after.map(parts::duration),
        resolution_expected_by: view.resolution_expected_by.map(parts::timestamp),
        message: message(view).to_owned(),
    }
}

fn id_or_empty(id: Option<OperationId>) -> String {
    id.map_or(String::new(), |id| id.to_string())
}

/// The primary one's where there is one, and of a refund its own.
fn payment_id(record: &Record) -> String {
    let primary = record.primary().map(|effect| &effect.provider_payment_id);
    let id = primary.or(record.operation.provider_payment_id.as_ref());
    id.map_or(String::new(), |id| id.as_str().to_owned())
}

/// The primary one first; then in the order in which they were found.
fn effects(record: &Record) -> Vec<v1::PaymentEffect> {
    let mut effects: Vec<&Effect> = record.effects.iter().collect();
    effects.sort_by_key(|effect| (effect.role != Role::Primary, effect.confirmed_at));
    effects.into_iter().map(parts::effect).collect()
}

/// Sums of the primary effect; all absent for what has no effects of its own.
#[derive(Default)]
struct Sums {
    authorized: Option<v1::Money>,
    captured: Option<v1::Money>,
    refund_pending: Option<v1::Money>,
    refunded: Option<v1::Money>,
    charged_back: Option<v1::Money>,
}

impl Sums {
    fn of(record: &Record) -> Self {
        let intent = &record.operation.intent;
        if !intent.kind.is_payment() {
            return Self::default();
        }
        let primary = record.primary();
        let currency = primary.map_or(intent.amount.currency, |effect| effect.currency);
        let sum = |of: fn(&Effect) -> i64| {
            let units = primary.map_or(0, of);
            Some(parts::money(Money::new(currency, units)))
        };
        Self {
            authorized: sum(|effect| effect.authorized),
            captured: sum(|effect| effect.captured),
            refund_pending: sum(|effect| effect.refund_pending),
            refunded: sum(parts::given_back),
            charged_back: sum(|effect| effect.charged_back),
        }
    }
}
