//! Test payment methods: what a token makes the processor do.

use serde::Deserialize;

use super::clock::TimeScale;
use super::fault::Fault;

/// The payment methods this processor knows; see the table in the module page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum Method {
    #[serde(rename = "pm_ok")]
    Ok,
    #[serde(rename = "pm_declined")]
    Declined,
    #[serde(rename = "pm_insufficient_funds")]
    InsufficientFunds,
    #[serde(rename = "pm_processing")]
    Processing,
    #[serde(rename = "pm_customer_action")]
    CustomerAction,
    #[serde(rename = "pm_drop_response")]
    DropResponse,
    #[serde(rename = "pm_drop_request")]
    DropRequest,
    #[serde(rename = "pm_slow")]
    Slow,
    #[serde(rename = "pm_error_captured")]
    ErrorCaptured,
    #[serde(rename = "pm_garbage")]
    Garbage,
    #[serde(rename = "pm_lagging")]
    Lagging,
}

impl Method {
    /// The fault that comes with the method.
    pub(super) fn fault(self, scale: TimeScale) -> Option<Fault> {
        let decline = |code: &str| Fault::Decline {
            code: code.to_owned(),
        };
        match self {
            Self::Ok | Self::Processing | Self::CustomerAction => None,
            Self::Declined => Some(decline("card_declined")),
            Self::InsufficientFunds => Some(decline("insufficient_funds")),
            Self::DropResponse => Some(Fault::DropResponse { hide_ms: 0 }),
            Self::DropRequest => Some(Fault::DropRequest),
            Self::Slow => Some(Fault::DelayAnswer {
                delay_ms: scale.slow_ms(),
            }),
            Self::ErrorCaptured => Some(Fault::ErrorAfter { status: 500 }),
            Self::Garbage => Some(Fault::Garbage),
            Self::Lagging => Some(Fault::DropResponse {
                hide_ms: scale.lag_ms(),
            }),
        }
    }
}
