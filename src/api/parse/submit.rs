//! `SubmitRequest`.

use std::time::Duration;

use crate::domain::ids::OperationId;
use crate::proto::v1::SubmitRequest;

use super::{Faults, Malformed};

/// What `Submit` asks for.
#[derive(Debug)]
pub(in crate::api) struct Submission {
    /// Which operation.
    pub(in crate::api) id: OperationId,
    /// How long to wait, if it was said.
    pub(in crate::api) wait: Option<Duration>,
}

/// Reads the request.
pub(in crate::api) fn submit(wire: SubmitRequest) -> Result<Submission, Malformed> {
    let mut faults = Faults::default();
    let id = faults.operation_id("operation_id", &wire.operation_id);
    let wait = faults.wait(wire.wait);
    let id = faults.finish(id)?;
    Ok(Submission { id, wait })
}
