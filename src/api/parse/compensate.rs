//! `CompensateRequest`.

use std::time::Duration;

use crate::domain::request::CompensateRequest;
use crate::proto::v1;

use super::{Faults, Malformed};

/// What `Compensate` asks for.
#[derive(Debug)]
pub(in crate::api) struct Compensation {
    /// What to give back.
    pub(in crate::api) request: CompensateRequest,
    /// How long to wait, if it was said.
    pub(in crate::api) wait: Option<Duration>,
}

/// Reads the request.
pub(in crate::api) fn compensate(wire: v1::CompensateRequest) -> Result<Compensation, Malformed> {
    let mut faults = Faults::default();
    let operation_id = faults.operation_id("operation_id", &wire.operation_id);
    let reason = faults.reason(wire.reason);
    let label = faults.reference("label", wire.label);
    let amount = faults.optional_amount(wire.amount);
    let provider_payment_id = faults.payment_id(&wire.provider_payment_id);
    let wait = faults.wait(wire.wait);

    let read = || {
        Some(CompensateRequest {
            operation_id: operation_id?,
            label: label?,
            reason: reason?,
            amount,
            provider_payment_id,
            when_resolved: wire.when_resolved,
        })
    };
    let request = faults.finish(read())?;
    Ok(Compensation { request, wait })
}
