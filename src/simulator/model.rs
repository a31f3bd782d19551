//! What the processor stores: payments, refunds and answers by key, as plain
//! data. Amounts are minor units, times are milliseconds since 1970 by the
//! processor's own clock.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// An id that no other simulator makes: prefix, `_`, 32 hex digits, in order of
/// time.
pub(super) fn new_id(prefix: &str) -> String {
    format!("{prefix}_{}", Uuid::now_v7().simple())
}

/// The status of a payment, as shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PaymentStatus {
    Succeeded,
    Processing,
    RequiresAction,
    RequiresCapture,
    Failed,
    Canceled,
}

/// The status of a refund, as shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RefundStatus {
    Succeeded,
    Pending,
    Failed,
}

/// Money taken.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Capture {
    pub(super) id: String,
    pub(super) amount: i64,
    pub(super) idempotency_key: Option<String>,
}

/// An authorization given up.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Void {
    pub(super) id: String,
    pub(super) idempotency_key: Option<String>,
}

/// Why the card was refused.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Decline {
    pub(super) code: String,
    pub(super) message: String,
}

/// A change of status that comes by itself.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Due {
    pub(super) at_ms: i64,
    pub(super) status: PaymentStatus,
}

/// One payment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Payment {
    pub(super) id: String,
    pub(super) status: PaymentStatus,
    /// What a stale look-up still shows.
    pub(super) previous_status: PaymentStatus,
    pub(super) amount: i64,
    pub(super) currency: String,
    /// Whether it takes the money at once or only holds it.
    pub(super) capture: bool,
    pub(super) captures: Vec<Capture>,
    pub(super) void: Option<Void>,
    pub(super) reference: Option<String>,
    pub(super) idempotency_key: Option<String>,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) created_ms: i64,
    pub(super) decline: Option<Decline>,
    pub(super) due: Option<Due>,
    /// Look-ups do not see the payment before this.
    pub(super) visible_from_ms: i64,
}

impl Payment {
    pub(super) fn captured(&self) -> i64 {
        self.captures.iter().map(|capture| capture.amount).sum()
    }

    /// The status after the card or the customer agreed.
    pub(super) fn agreed_status(capture: bool) -> PaymentStatus {
        if capture {
            PaymentStatus::Succeeded
        } else {
            PaymentStatus::RequiresCapture
        }
    }

    /// Moves to `status` with all that belongs to it: a payment that succeeded
    /// has captured, any other has not.
    pub(super) fn move_to(&mut self, status: PaymentStatus) {
        self.previous_status = self.status;
        self.status = status;
        self.due = None;
        match status {
            PaymentStatus::Succeeded if self.captures.is_empty() => {
                self.take(self.amount, self.idempotency_key.clone());
            }
            PaymentStatus::Succeeded => {}
            PaymentStatus::Processing
            | PaymentStatus::RequiresAction
            | PaymentStatus::RequiresCapture
            | PaymentStatus::Failed
            | PaymentStatus::Canceled => self.captures.clear(),
        }
    }

    /// Takes `amount`, minor units.
    pub(super) fn take(&mut self, amount: i64, idempotency_key: Option<String>) {
        self.captures.push(Capture {
            id: new_id("cap"),
            amount,
            idempotency_key,
        });
    }
}

/// One refund.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Refund {
    pub(super) id: String,
    pub(super) payment: String,
    pub(super) status: RefundStatus,
    /// What a stale look-up still shows.
    pub(super) previous_status: RefundStatus,
    pub(super) amount: i64,
    pub(super) currency: String,
    pub(super) reference: Option<String>,
    pub(super) idempotency_key: Option<String>,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) visible_from_ms: i64,
}

/// What a request made or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "object", content = "id", rename_all = "snake_case")]
pub(super) enum ObjectId {
    Payment(String),
    Refund(String),
}

/// The answer kept under an idempotency key.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KeyRecord {
    pub(super) key: String,
    pub(super) path: String,
    pub(super) body_sha256: String,
    pub(super) first_ms: i64,
    pub(super) status: u16,
    pub(super) body: Value,
    pub(super) object: ObjectId,
}

/// One record as it stands after a change; replaying changes in order gives
/// the state.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Change {
    Payment(Payment),
    Refund(Refund),
    Key(KeyRecord),
    /// How far the clock has been moved in all, milliseconds.
    ClockShift(i64),
}
