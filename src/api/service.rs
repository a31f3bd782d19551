//! The rpcs of `OperationService`, each handed to its own file.

use tonic::{Request, Response, Status};

use crate::proto::v1::operation_service_server::OperationService;
use crate::proto::v1::{
    CompensateRequest, CompensateResponse, CreateOperationRequest, CreateOperationResponse,
    GetHistoryRequest, GetHistoryResponse, GetStatusRequest, GetStatusResponse,
    ListOperationsRequest, ListOperationsResponse, StreamEventsRequest, SubmitRequest,
    SubmitResponse, WatchOperationRequest,
};

use super::Api;
use super::front::Context;
use super::stream_events::{Events, stream_events};
use super::watch::States;

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl OperationService for Api {
    type WatchOperationStream = States;
    type StreamEventsStream = Events;

    async fn create_operation(
        &self,
        request: Request<CreateOperationRequest>,
    ) -> Answer<CreateOperationResponse> {
        let (context, request) = Context::of(request)?;
        self.create(&context, request).await.map(Response::new)
    }

    async fn submit(&self, request: Request<SubmitRequest>) -> Answer<SubmitResponse> {
        let (context, request) = Context::of(request)?;
        Api::submit(self, &context, request)
            .await
            .map(Response::new)
    }

    async fn get_status(&self, request: Request<GetStatusRequest>) -> Answer<GetStatusResponse> {
        let (context, request) = Context::of(request)?;
        Api::get_status(self, &context, request)
            .await
            .map(Response::new)
    }

    async fn compensate(&self, request: Request<CompensateRequest>) -> Answer<CompensateResponse> {
        let (context, request) = Context::of(request)?;
        Api::compensate(self, &context, request)
            .await
            .map(Response::new)
    }

    async fn watch_operation(&self, request: Request<WatchOperationRequest>) -> Answer<States> {
        let (context, request) = Context::of(request)?;
        self.watch(context, request).await.map(Response::new)
    }

    async fn list_operations(
        &self,
        request: Request<ListOperationsRequest>,
    ) -> Answer<ListOperationsResponse> {
        let (context, request) = Context::of(request)?;
        self.list(&context, request).await.map(Response::new)
    }

    async fn get_history(&self, request: Request<GetHistoryRequest>) -> Answer<GetHistoryResponse> {
        let (context, request) = Context::of(request)?;
        self.history(&context, request).await.map(Response::new)
    }

    async fn stream_events(&self, _request: Request<StreamEventsRequest>) -> Answer<Events> {
        stream_events().map(Response::new)
    }
}
