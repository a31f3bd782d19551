//! `GetStatusRequest`.

use std::time::Duration;

use crate::domain::ids::OperationId;
use crate::domain::reference::{OrderId, Purpose};
use crate::proto::v1::get_status_request::Target as WireTarget;
use crate::proto::v1::{GetStatusRequest, OperationReference};

use super::field::REQUIRED;
use super::{Faults, Malformed};

/// Which operation.
#[derive(Debug)]
pub(in crate::api) enum Target {
    /// By its id.
    Id(OperationId),
    /// By its business name.
    Reference {
        /// The order.
        order_id: OrderId,
        /// Why it is paid, if it was said.
        purpose: Option<Purpose>,
        /// Which generation, if it was said; else the newest.
        generation: Option<i32>,
    },
}

/// What `GetStatus` asks for.
#[derive(Debug)]
pub(in crate::api) struct Asked {
    /// Which operation.
    pub(in crate::api) target: Target,
    /// How long to wait for news; absent: answer at once.
    pub(in crate::api) wait: Option<Duration>,
    /// News is a version above this one; 0: a settled answer.
    pub(in crate::api) after_version: i64,
}

/// Reads the request.
pub(in crate::api) fn get_status(wire: GetStatusRequest) -> Result<Asked, Malformed> {
    let mut faults = Faults::default();
    let target = match wire.target {
        Some(WireTarget::OperationId(text)) => {
            faults.operation_id("operation_id", &text).map(Target::Id)
        }
        Some(WireTarget::Reference(reference)) => by_reference(&mut faults, reference),
        None => {
            faults.add("target", REQUIRED);
            None
        }
    };
    let wait = faults.wait(wire.wait);
    let after_version = faults.not_negative("after_version", wire.after_version);
    let target = faults.finish(target)?;
    Ok(Asked {
        target,
        wait,
        after_version,
    })
}

fn by_reference(faults: &mut Faults, wire: OperationReference) -> Option<Target> {
    let order_id = faults.reference("reference.order_id", wire.order_id);
    let purpose = faults.optional_reference("reference.purpose", wire.purpose);
    let generation = faults.not_negative("reference.generation", wire.generation);
    Some(Target::Reference {
        order_id: order_id?,
        purpose,
        generation: (generation > 0).then_some(generation),
    })
}
