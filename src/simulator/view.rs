//! How payments and refunds look in answers and in the ledger.

use serde_json::{Value, json};

use super::answer::Reply;
use super::model::{ObjectId, Payment, PaymentStatus, Refund, RefundStatus, new_id};
use super::state::State;

/// The one account this processor keeps.
const ACCOUNT: &str = "acct_sim";

/// Shows what is in a state.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) state: &'a State,
    /// Where the customer's page is, without a trailing slash.
    pub(super) base_url: &'a str,
}

impl View<'_> {
    pub(super) fn payment(&self, payment: &Payment) -> Value {
        self.payment_with(payment, payment.status)
    }

    pub(super) fn payment_with(&self, payment: &Payment, status: PaymentStatus) -> Value {
        let action = (status == PaymentStatus::RequiresAction).then(|| {
            json!({
                "kind": "redirect",
                "url": format!("{}/action/{}", self.base_url, payment.id),
                "expires_at": payment.due.map(|due| due.at_ms),
            })
        });
        json!({
            "id": payment.id,
            "object": "payment",
            "status": status,
            "amount": payment.amount,
            "currency": payment.currency,
            "amount_captured": payment.captured(),
            "amount_refunded": self.state.refunded(&payment.id),
            "reference": payment.reference,
            "idempotency_key": payment.idempotency_key,
            "metadata": payment.metadata,
            "account": ACCOUNT,
            "created": payment.created_ms,
            "decline": payment.decline,
            "action": action,
        })
    }

    pub(super) fn refund(&self, refund: &Refund) -> Value {
        self.refund_with(refund, refund.status)
    }

    pub(super) fn refund_with(&self, refund: &Refund, status: RefundStatus) -> Value {
        json!({
            "id": refund.id,
            "object": "refund",
            "payment": refund.payment,
            "status": status,
            "amount": refund.amount,
            "currency": refund.currency,
            "account": ACCOUNT,
            "idempotency_key": refund.idempotency_key,
            "reference": refund.reference,
            "metadata": refund.metadata,
        })
    }

    /// The answer to the request that made or changed the object, by the
    /// object's present status. `None` if there is no such object.
    pub(super) fn reply(&self, object: &ObjectId) -> Option<Reply> {
        match object {
            ObjectId::Refund(id) => Some(Reply::ok(self.refund(self.state.refund(id)?))),
            ObjectId::Payment(id) => {
                let payment = self.state.payment(id)?;
                let shown = self.payment(payment);
                Some(match &payment.decline {
                    None => Reply::ok(shown),
                    Some(decline) => Reply::new(
                        402,
                        json!({"error": {
                            "type": "card_error",
                            "code": decline.code,
                            "message": decline.message,
                            "payment": shown,
                        }}),
                    ),
                })
            }
        }
    }

    /// An object of the same kind which the caller never asked for: the newest
    /// other one, or, where there is none, one that looks like it.
    pub(super) fn unrelated(&self, object: &ObjectId) -> Option<Value> {
        match object {
            ObjectId::Payment(id) => {
                let all = self.state.payments(None);
                match all.iter().rev().find(|payment| payment.id != *id) {
                    Some(other) => Some(self.payment(other)),
                    None => {
                        let shown = self.payment(self.state.payment(id)?);
                        Some(stranger(shown, "pay"))
                    }
                }
            }
            ObjectId::Refund(id) => {
                let all = self.state.refunds(None);
                match all.iter().rev().find(|refund| refund.id != *id) {
                    Some(other) => Some(self.refund(other)),
                    None => {
                        let mut shown = stranger(self.refund(self.state.refund(id)?), "re");
                        shown["payment"] = json!(new_id("pay"));
                        Some(shown)
                    }
                }
            }
        }
    }

    /// The truth about payments, for judges.
    pub(super) fn ledger(&self, reference: Option<&str>) -> Value {
        let payments = self.state.payments(reference);
        let payments: Vec<Value> = payments.iter().map(|it| self.ledger_row(it)).collect();
        json!({ "payments": payments })
    }

    fn ledger_row(&self, payment: &Payment) -> Value {
        let refunds = self.state.refunds(Some(&payment.id));
        let refunds: Vec<Value> = refunds
            .iter()
            .map(|refund| {
                json!({
                    "id": refund.id,
                    "amount": refund.amount,
                    "status": refund.status,
                    "reference": refund.reference,
                    "idempotency_key": refund.idempotency_key,
                })
            })
            .collect();
        json!({
            "id": payment.id,
            "reference": payment.reference,
            "idempotency_key": payment.idempotency_key,
            "status": payment.status,
            "amount": payment.amount,
            "currency": payment.currency,
            "captures": payment.captures,
            "void": payment.void,
            "refunds": refunds,
        })
    }
}

fn stranger(mut shown: Value, prefix: &str) -> Value {
    shown["id"] = json!(new_id(prefix));
    shown["reference"] = json!("unrelated");
    shown["idempotency_key"] = json!("unrelated");
    shown["metadata"] = json!({});
    shown
}
