//! `Submit`.

use tonic::Status;

use crate::proto::v1::{SubmitRequest, SubmitResponse};

use super::front::Context;
use super::{Api, parse, render, span, status};

impl Api {
    /// Hands the operation over, then waits for a settled answer.
    pub(super) async fn submit(
        &self,
        context: &Context,
        request: SubmitRequest,
    ) -> Result<SubmitResponse, Status> {
        let parse::Submission { id, wait } = parse::submit(request).map_err(status::malformed)?;
        span::operation(id);
        let submitted = self.engine.submit(&context.caller.tenant, id).await;
        let record = submitted.map_err(status::of_engine)?;
        let view = self.settled(context, wait, record).await;
        Ok(SubmitResponse {
            operation: Some(render::operation(&view)),
        })
    }
}
