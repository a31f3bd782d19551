//! `WatchOperationRequest`.

use crate::domain::ids::OperationId;
use crate::proto::v1::WatchOperationRequest;

use super::{Faults, Malformed};

/// What `WatchOperation` asks for.
#[derive(Debug)]
pub(in crate::api) struct Watching {
    /// Which operation.
    pub(in crate::api) id: OperationId,
    /// The version that the caller has seen; 0: none.
    pub(in crate::api) after_version: i64,
}

/// Reads the request.
pub(in crate::api) fn watch(wire: &WatchOperationRequest) -> Result<Watching, Malformed> {
    let mut faults = Faults::default();
    let id = faults.operation_id("operation_id", &wire.operation_id);
    let after_version = faults.not_negative("after_version", wire.after_version);
    let id = faults.finish(id)?;
    Ok(Watching { id, after_version })
}
