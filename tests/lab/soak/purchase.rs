//! What a buyer buys, and what goes wrong with it at the processor.

use payonce::proto::v1::CreateOperationRequest;
use serde_json::{Value, json};

use crate::lab::harness::charge;

/// A request and the fault that will befall it.
pub(super) struct Purchase {
    pub(super) request: CreateOperationRequest,
    /// For the next so many payments of the order at `bank`.
    pub(super) fault: Option<(u32, Value)>,
}

/// Draws one. Two thirds go to `bank`, which keeps keys; at `plain` the order
/// is not what the processor knows a payment by, so that only payment methods
/// bring faults there.
pub(super) fn draw(rng: &mut fastrand::Rng, order: &str) -> Purchase {
    if rng.u8(0..3) == 0 {
        let method = weighted(rng, &PLAIN);
        let mut request = charge(order, method);
        request.provider = "plain".to_owned();
        return Purchase {
            request,
            fault: None,
        };
    }
    let what = weighted(rng, &BANK);
    let fault = fault(rng, what);
    let method = if fault.is_some() { "pm_ok" } else { what };
    Purchase {
        request: charge(order, method),
        fault,
    }
}

/// What must not be left to chance in a short run: a request that is lost
/// where it may be sent again, and one where it may not.
pub(super) fn certain(order: &str, may_resend: bool) -> Purchase {
    if may_resend {
        let lost = json!({"kind": "drop_request"});
        return Purchase {
            request: charge(order, "pm_ok"),
            fault: Some((1, lost)),
        };
    }
    let mut request = charge(order, "pm_drop_request");
    request.provider = "plain".to_owned();
    Purchase {
        request,
        fault: None,
    }
}

/// Payment methods and faults with their weights.
const BANK: [(&str, u32); 13] = [
    ("pm_ok", 34),
    ("pm_declined", 8),
    ("pm_insufficient_funds", 3),
    ("pm_drop_response", 8),
    ("pm_drop_request", 2),
    ("pm_slow", 5),
    ("pm_error_captured", 5),
    ("pm_garbage", 4),
    ("pm_processing", 4),
    ("drop_request", 8),
    ("hold_request", 12),
    ("hidden", 4),
    ("error_before", 3),
];

const PLAIN: [(&str, u32); 6] = [
    ("pm_ok", 40),
    ("pm_declined", 8),
    ("pm_drop_response", 16),
    ("pm_drop_request", 18),
    ("pm_slow", 9),
    ("pm_error_captured", 9),
];

fn weighted<'a>(rng: &mut fastrand::Rng, table: &[(&'a str, u32)]) -> &'a str {
    let all: u32 = table.iter().map(|(_, weight)| weight).sum();
    let mut drawn = rng.u32(0..all);
    for (name, weight) in table {
        match drawn.checked_sub(*weight) {
            None => return name,
            Some(left) => drawn = left,
        }
    }
    unreachable!("what is drawn is less than the sum of the weights")
}

/// A request held for this long takes effect within D of its arrival.
pub(super) fn hold(rng: &mut fastrand::Rng) -> Value {
    json!({"kind": "hold_request", "delay_ms": rng.u32(300..2700)})
}

fn fault(rng: &mut fastrand::Rng, name: &str) -> Option<(u32, Value)> {
    match name {
        "drop_request" => Some((rng.u32(1..4), json!({"kind": "drop_request"}))),
        "hold_request" => Some((1, hold(rng))),
        "hidden" => {
            let hidden = json!({"kind": "drop_response", "hide_ms": rng.u32(100..700)});
            Some((1, hidden))
        }
        "error_before" => {
            let status = *rng.choice(&[429, 500, 503]).expect("three of them");
            let refused = json!({"kind": "error_before", "status": status});
            Some((rng.u32(1..3), refused))
        }
        _ => None,
    }
}
