//! What can go wrong with one call.

use serde::{Deserialize, Serialize};

use super::call::Operation;

fn internal_error() -> u16 {
    500
}

fn card_declined() -> String {
    "card_declined".to_owned()
}

/// A fault. "Executes" means that the effect is real and in the ledger.
/// Lengths are milliseconds of real time, unscaled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Fault {
    /// Executes, closes the socket; hidden from look-ups for `hide_ms`.
    DropResponse {
        #[serde(default)]
        hide_ms: u64,
    },
    /// Closes the socket before executing.
    DropRequest,
    /// Executes, answers later.
    DelayAnswer { delay_ms: u64 },
    /// Executes later: a request that is long under way.
    HoldRequest { delay_ms: u64 },
    /// Executes, answers with an error, which is what the key stores.
    ErrorAfter {
        #[serde(default = "internal_error")]
        status: u16,
    },
    /// Answers with an error without executing; the key stores nothing.
    ErrorBefore {
        #[serde(default = "internal_error")]
        status: u16,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after_s: Option<u64>,
    },
    /// Answers as if the first request with the key were still in flight.
    InProgress,
    /// Executes, answers 200 with HTML.
    Garbage,
    /// Executes, answers 200 with no body.
    EmptyBody,
    /// Executes, answers with the first half of the JSON.
    TruncatedJson,
    /// Executes, answers with the status "weird".
    UnknownStatus,
    /// Declines the payment.
    Decline {
        #[serde(default = "card_declined")]
        code: String,
    },
    /// Executes with another amount, minor units.
    AmountDiffers { amount: i64 },
    /// Executes, answers with an unrelated payment's or refund's object.
    OtherPayment,
    /// Executes; hidden from look-ups for `hide_ms`.
    Hide { hide_ms: u64 },
    /// Executes twice for the one request.
    Duplicate,
    /// Executes, answers with 64 MiB.
    HugeBody,
    /// Redirects (307) to the same address without executing.
    Redirect,
    /// The refund stays pending until `/control` moves it.
    RefundPending,
    /// The refund is declined.
    RefundFail,
    /// The look-up shows the previous status.
    Stale,
}

impl Fault {
    /// The name in the control API.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::DropResponse { .. } => "drop_response",
            Self::DropRequest => "drop_request",
            Self::DelayAnswer { .. } => "delay_answer",
            Self::HoldRequest { .. } => "hold_request",
            Self::ErrorAfter { .. } => "error_after",
            Self::ErrorBefore { .. } => "error_before",
            Self::InProgress => "in_progress",
            Self::Garbage => "garbage",
            Self::EmptyBody => "empty_body",
            Self::TruncatedJson => "truncated_json",
            Self::UnknownStatus => "unknown_status",
            Self::Decline { .. } => "decline",
            Self::AmountDiffers { .. } => "amount_differs",
            Self::OtherPayment => "other_payment",
            Self::Hide { .. } => "hide",
            Self::Duplicate => "duplicate",
            Self::HugeBody => "huge_body",
            Self::Redirect => "redirect",
            Self::RefundPending => "refund_pending",
            Self::RefundFail => "refund_fail",
            Self::Stale => "stale",
        }
    }

    /// Whether the fault can befall a call of this kind.
    pub(super) fn applies_to(&self, operation: Operation) -> bool {
        match self {
            Self::DropResponse { .. }
            | Self::DropRequest
            | Self::DelayAnswer { .. }
            | Self::HoldRequest { .. }
            | Self::ErrorAfter { .. }
            | Self::ErrorBefore { .. }
            | Self::InProgress
            | Self::Garbage
            | Self::EmptyBody
            | Self::TruncatedJson
            | Self::UnknownStatus
            | Self::OtherPayment
            | Self::HugeBody
            | Self::Redirect => true,
            Self::Decline { .. } => operation == Operation::Payment,
            Self::AmountDiffers { .. } => matches!(
                operation,
                Operation::Payment | Operation::Capture | Operation::Refund
            ),
            Self::Hide { .. } | Self::Duplicate => {
                matches!(operation, Operation::Payment | Operation::Refund)
            }
            Self::RefundPending | Self::RefundFail => operation == Operation::Refund,
            Self::Stale => operation == Operation::LookUp,
        }
    }

    /// Why the fault's own numbers cannot be meant, if so.
    pub(super) fn nonsense(&self) -> Option<&'static str> {
        match self {
            Self::ErrorAfter { status } | Self::ErrorBefore { status, .. }
                if !(400..=599).contains(status) =>
            {
                Some("fault.status must be from 400 to 599")
            }
            Self::AmountDiffers { amount } if *amount < 1 => {
                Some("fault.amount must be at least 1 minor unit")
            }
            _ => None,
        }
    }

    /// How long what is made stays hidden from look-ups, milliseconds.
    pub(super) fn hide_ms(&self) -> u64 {
        match self {
            Self::DropResponse { hide_ms } | Self::Hide { hide_ms } => *hide_ms,
            _ => 0,
        }
    }
}
