//! `GetHistoryRequest`.

use crate::domain::ids::OperationId;
use crate::proto::v1::GetHistoryRequest;

use super::{Faults, Malformed};

/// Reads the request.
pub(in crate::api) fn history(wire: &GetHistoryRequest) -> Result<OperationId, Malformed> {
    let mut faults = Faults::default();
    let id = faults.operation_id("operation_id", &wire.operation_id);
    faults.finish(id)
}
