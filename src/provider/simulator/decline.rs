//! Decline codes: the closed list of this adapter. A code that is not on it
//! still is a decline, but its text goes no further (P16).

use crate::domain::evidence::{Decline, DeclineCategory};

const CODES: [(&str, DeclineCategory); 9] = [
    ("card_declined", DeclineCategory::CardDeclined),
    ("insufficient_funds", DeclineCategory::InsufficientFunds),
    ("expired_card", DeclineCategory::ExpiredMethod),
    ("invalid_card", DeclineCategory::InvalidMethod),
    ("fraud_suspected", DeclineCategory::FraudSuspected),
    ("limit_exceeded", DeclineCategory::LimitExceeded),
    (
        "authentication_failed",
        DeclineCategory::AuthenticationFailed,
    ),
    ("not_supported", DeclineCategory::NotSupported),
    ("amount_too_large", DeclineCategory::LimitExceeded),
];

/// What a code of the processor means; without one, `OTHER`.
pub(super) fn of_code(code: Option<&str>) -> Decline {
    let listed = CODES.iter().find(|(known, _)| Some(*known) == code);
    match listed {
        Some((known, category)) => Decline {
            category: *category,
            provider_code: Some((*known).to_owned()),
        },
        None => Decline {
            category: DeclineCategory::Other,
            provider_code: None,
        },
    }
}
