//! Look-ups: one object by id, or a page of them.

use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{Refusal, Reply};
use super::model::{ObjectId, Payment, PaymentStatus, Refund, RefundStatus};
use super::state::State;
use super::view::View;

/// The query of a list.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Filter {
    pub(super) reference: Option<String>,
    /// Only of refunds.
    pub(super) payment: Option<String>,
    limit: Option<usize>,
    starting_after: Option<String>,
}

/// What is looked up.
#[derive(Debug, Clone)]
pub(super) enum LookUp {
    Payment(String),
    Payments(Filter),
    Refund(String),
    Refunds(Filter),
}

impl LookUp {
    /// The merchant references and the key that the look-up is about.
    pub(super) fn subject(&self, state: &State) -> ([Option<String>; 2], Option<String>) {
        let of_payment = |id: &str| {
            let payment = state.payment(id);
            (
                payment.and_then(|it| it.reference.clone()),
                payment.and_then(|it| it.idempotency_key.clone()),
            )
        };
        match self {
            Self::Payment(id) => {
                let (reference, key) = of_payment(id);
                ([reference, None], key)
            }
            Self::Payments(filter) => ([filter.reference.clone(), None], None),
            Self::Refund(id) => match state.refund(id) {
                None => ([None, None], None),
                Some(refund) => (
                    [refund.reference.clone(), of_payment(&refund.payment).0],
                    refund.idempotency_key.clone(),
                ),
            },
            Self::Refunds(filter) => {
                let payment = filter.payment.as_deref();
                let reference = payment.and_then(|id| of_payment(id).0);
                ([filter.reference.clone(), reference], None)
            }
        }
    }

    /// The object looked up, of a list the oldest.
    pub(super) fn object(&self, state: &State) -> Option<ObjectId> {
        Some(match self {
            Self::Payment(id) => ObjectId::Payment(id.clone()),
            Self::Payments(filter) => {
                let all = state.payments(filter.reference.as_deref());
                ObjectId::Payment(all.first()?.id.clone())
            }
            Self::Refund(id) => ObjectId::Refund(id.clone()),
            Self::Refunds(filter) => {
                let all = state.refunds(filter.payment.as_deref());
                ObjectId::Refund(all.first()?.id.clone())
            }
        })
    }

    /// The answer; a stale one shows the status before the present one.
    pub(super) fn answer(&self, view: View<'_>, stale: bool) -> Result<Reply, Refusal> {
        let state = view.state;
        let now_ms = state.now_ms();
        let body = match self {
            Self::Payment(id) => {
                let payment = state.payment(id);
                let payment = payment.filter(|payment| payment.visible_from_ms <= now_ms);
                let payment = payment.ok_or_else(|| Refusal::not_found("payment"))?;
                view.payment_with(payment, payment_status(payment, stale))
            }
            Self::Payments(filter) => {
                let mut seen = state.payments(filter.reference.as_deref());
                seen.retain(|payment| payment.visible_from_ms <= now_ms);
                page(
                    &seen,
                    filter,
                    |payment| &payment.id,
                    |payment| view.payment_with(payment, payment_status(payment, stale)),
                )?
            }
            Self::Refund(id) => {
                let refund = state.refund(id);
                let refund = refund.filter(|refund| refund.visible_from_ms <= now_ms);
                let refund = refund.ok_or_else(|| Refusal::not_found("refund"))?;
                view.refund_with(refund, refund_status(refund, stale))
            }
            Self::Refunds(filter) => {
                let mut seen = state.refunds(filter.payment.as_deref());
                seen.retain(|refund| {
                    let reference = filter.reference.as_ref();
                    refund.visible_from_ms <= now_ms
                        && reference.is_none_or(|it| refund.reference.as_ref() == Some(it))
                });
                page(
                    &seen,
                    filter,
                    |refund| &refund.id,
                    |refund| view.refund_with(refund, refund_status(refund, stale)),
                )?
            }
        };
        Ok(Reply::ok(body))
    }
}

fn payment_status(payment: &Payment, stale: bool) -> PaymentStatus {
    if stale {
        payment.previous_status
    } else {
        payment.status
    }
}

fn refund_status(refund: &Refund, stale: bool) -> RefundStatus {
    if stale {
        refund.previous_status
    } else {
        refund.status
    }
}

/// One page of `all`, oldest first.
fn page<T>(
    all: &[&T],
    filter: &Filter,
    id: impl Fn(&T) -> &str,
    show: impl Fn(&T) -> Value,
) -> Result<Value, Refusal> {
    let limit = filter.limit.unwrap_or(10);
    if !(1..=100).contains(&limit) {
        return Err(Refusal::invalid(
            "limit_invalid",
            "limit must be from 1 to 100",
        ));
    }
    let first = match &filter.starting_after {
        None => 0,
        Some(after) => {
            let found = all.iter().position(|object| id(object) == after);
            1 + found.ok_or_else(|| {
                Refusal::invalid(
                    "starting_after_invalid",
                    "starting_after must be the id of an object of this list",
                )
            })?
        }
    };
    let rest = &all[first..];
    let shown: Vec<Value> = rest.iter().take(limit).map(|object| show(object)).collect();
    Ok(json!({ "data": shown, "has_more": rest.len() > limit }))
}
