//! `GetHistory`.

use tonic::Status;

use crate::proto::v1::{GetHistoryRequest, GetHistoryResponse};

use super::front::Context;
use super::{Api, parse, render, span, status};

impl Api {
    /// The ledger of one operation.
    pub(super) async fn history(
        &self,
        context: &Context,
        request: GetHistoryRequest,
    ) -> Result<GetHistoryResponse, Status> {
        let id = parse::history(&request).map_err(status::malformed)?;
        span::operation(id);
        let found = self.engine.history(&context.caller.tenant, id).await;
        let (view, mut rows) = found.map_err(status::of_engine)?;
        // The rows were read after the operation and may run ahead of it.
        rows.retain(|row| row.version <= view.record.operation.version);
        Ok(GetHistoryResponse {
            operation: Some(render::operation(&view)),
            entries: render::ledger(&rows),
        })
    }
}
