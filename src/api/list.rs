//! `ListOperations`.

use tonic::Status;

use crate::domain::reference::TenantId;
use crate::engine::{ListFilter, Page, View};
use crate::proto::v1::{ListOperationsRequest, ListOperationsResponse};

use super::front::Context;
use super::{Api, page_token, parse, render, status};

impl Api {
    /// One page of the tenant's operations, the newest first.
    pub(super) async fn list(
        &self,
        context: &Context,
        request: ListOperationsRequest,
    ) -> Result<ListOperationsResponse, Status> {
        let tenant = &context.caller.tenant;
        let parse::Listing {
            filter,
            size,
            after,
        } = parse::list(tenant, request).map_err(status::malformed)?;
        // One more than is shown tells whether there is a next page.
        let page = Page {
            after,
            size: size + 1,
        };
        let views = self.engine.list(tenant, &filter, page).await;
        let mut views = views.map_err(status::of_engine)?;
        let more = views.len() > size as usize;
        views.truncate(size as usize);
        let next_page_token = next_page(more, &views, tenant, &filter);
        Ok(ListOperationsResponse {
            operations: views.iter().map(render::operation).collect(),
            next_page_token,
        })
    }
}

fn next_page(more: bool, shown: &[View], tenant: &TenantId, filter: &ListFilter) -> String {
    let last = shown.last().filter(|_| more);
    last.map_or(String::new(), |view| {
        let operation = &view.record.operation;
        page_token::write((operation.created_at, operation.id), tenant, filter)
    })
}
