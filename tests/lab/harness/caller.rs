//! A back end that calls the service over gRPC.

use std::time::Duration;

use tonic::transport::{Channel, Endpoint};

use payonce::proto::v1::get_status_request::Target;
use payonce::proto::v1::operation_service_client::OperationServiceClient;
use payonce::proto::v1::{
    CompensateRequest, CompensateResponse, CreateOperationRequest, CreateOperationResponse,
    GetHistoryRequest, GetStatusRequest, LedgerEntry, ListOperationsRequest, Operation,
    OperationReference, OperationState, Outcome, SubmitRequest,
};

use super::refusal::Refusal;
use super::wait::eventually;

/// One connection to one replica.
#[derive(Clone)]
pub(crate) struct Caller {
    address: String,
    client: OperationServiceClient<Channel>,
}

impl Caller {
    pub(crate) async fn connect(address: &str) -> Caller {
        let endpoint = Endpoint::from_shared(format!("http://{address}"))
            .expect("an address")
            .connect_timeout(Duration::from_secs(10));
        let channel = endpoint.connect().await.expect("the service listens");
        Caller {
            address: address.to_owned(),
            client: OperationServiceClient::new(channel),
        }
    }

    /// One that connects with its first call, and again with later ones where
    /// the connection was lost.
    pub(crate) fn connect_when_needed(address: &str) -> Caller {
        let endpoint = Endpoint::from_shared(format!("http://{address}"))
            .expect("an address")
            .connect_timeout(Duration::from_secs(1));
        Caller {
            address: address.to_owned(),
            client: OperationServiceClient::new(endpoint.connect_lazy()),
        }
    }

    /// Where the service listens.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The generated client, for what is not here.
    pub(crate) fn client(&self) -> OperationServiceClient<Channel> {
        self.client.clone()
    }

    /// `CreateOperation`.
    pub(crate) async fn create(
        &self,
        request: CreateOperationRequest,
    ) -> Result<CreateOperationResponse, Refusal> {
        let answer = self.client().create_operation(request).await?;
        Ok(answer.into_inner())
    }

    /// `CreateOperation` that must be accepted.
    pub(crate) async fn pay(&self, request: CreateOperationRequest) -> Operation {
        let answer = self.create(request).await.expect("it is accepted");
        answer.operation.expect("every answer holds the operation")
    }

    /// `CreateOperation` that must end like this, sooner or later.
    pub(crate) async fn pay_until(
        &self,
        request: CreateOperationRequest,
        outcome: Outcome,
    ) -> Operation {
        let operation = self.pay(request).await;
        self.until(&operation.operation_id, outcome).await
    }

    /// `Submit`.
    pub(crate) async fn submit(&self, operation_id: &str) -> Result<Operation, Refusal> {
        let request = SubmitRequest {
            operation_id: operation_id.to_owned(),
            wait: None,
        };
        let answer = self.client().submit(request).await?.into_inner();
        Ok(answer.operation.expect("every answer holds the operation"))
    }

    /// `Compensate`.
    pub(crate) async fn compensate(
        &self,
        request: CompensateRequest,
    ) -> Result<CompensateResponse, Refusal> {
        let answer = self.client().compensate(request).await?;
        Ok(answer.into_inner())
    }

    /// `GetStatus` by id.
    pub(crate) async fn status(&self, operation_id: &str) -> Operation {
        let target = Target::OperationId(operation_id.to_owned());
        self.get(target).await.expect("the operation exists")
    }

    /// `GetStatus` by reference: the newest purchase of an order.
    pub(crate) async fn operation(&self, order: &str) -> Result<Operation, Refusal> {
        let reference = OperationReference {
            order_id: order.to_owned(),
            ..OperationReference::default()
        };
        self.get(Target::Reference(reference)).await
    }

    async fn get(&self, target: Target) -> Result<Operation, Refusal> {
        let request = GetStatusRequest {
            target: Some(target),
            ..GetStatusRequest::default()
        };
        let answer = self.client().get_status(request).await?.into_inner();
        Ok(answer.operation.expect("every answer holds the operation"))
    }

    /// `GetHistory`.
    pub(crate) async fn history(&self, operation_id: &str) -> Vec<LedgerEntry> {
        let request = GetHistoryRequest {
            operation_id: operation_id.to_owned(),
        };
        let answer = self.client().get_history(request).await;
        answer.expect("the operation exists").into_inner().entries
    }

    /// All states that an operation went through, oldest first.
    pub(crate) async fn states(&self, operation_id: &str) -> Vec<OperationState> {
        let entries = self.history(operation_id).await;
        entries.iter().map(|entry| entry.state_after()).collect()
    }

    /// All operations there are.
    pub(crate) async fn list(&self) -> Vec<Operation> {
        let mut all = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = ListOperationsRequest {
                page_size: 500,
                page_token,
                ..ListOperationsRequest::default()
            };
            let answer = self.client().list_operations(request).await;
            let page = answer.expect("operations can be listed").into_inner();
            all.extend(page.operations);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return all;
            }
        }
    }

    /// Waits for an outcome.
    pub(crate) async fn until(&self, operation_id: &str, outcome: Outcome) -> Operation {
        self.until_it(operation_id, &format!("it is {outcome:?}"), |operation| {
            operation.outcome() == outcome
        })
        .await
    }

    /// Waits until a person is asked.
    pub(crate) async fn until_review(&self, operation_id: &str) -> Operation {
        self.until_it(operation_id, "a person is asked", |operation| {
            operation.review.is_some()
        })
        .await
    }

    /// Waits for anything that can be seen at the operation.
    pub(crate) async fn until_it(
        &self,
        operation_id: &str,
        what: &str,
        holds: impl Fn(&Operation) -> bool,
    ) -> Operation {
        eventually(what, async || {
            let operation = self.status(operation_id).await;
            if holds(&operation) {
                return Ok(operation);
            }
            Err(format!("{operation:#?}"))
        })
        .await
    }
}
