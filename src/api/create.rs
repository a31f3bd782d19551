//! `CreateOperation`.

use tonic::Status;

use crate::proto::v1::{CreateOperationRequest, CreateOperationResponse};

use super::front::Context;
use super::{Api, parse, render, span, status};

impl Api {
    /// Records the operation; with `submit` hands it over in the same commit
    /// and waits.
    pub(super) async fn create(
        &self,
        context: &Context,
        request: CreateOperationRequest,
    ) -> Result<CreateOperationResponse, Status> {
        let parse::Creation {
            request,
            submit,
            wait,
        } = parse::create(request).map_err(status::malformed)?;
        span::order(&request.order_id);
        let tenant = &context.caller.tenant;
        let created = self.engine.create(tenant, request, submit).await;
        let created = created.map_err(status::of_engine)?;
        span::operation(created.record.operation.id);
        let view = if submit {
            self.settled(context, wait, created.record).await
        } else {
            self.known(created.record).await
        };
        Ok(CreateOperationResponse {
            operation: Some(render::operation(&view)),
            replayed: created.replayed,
        })
    }
}
