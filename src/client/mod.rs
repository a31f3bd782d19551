//! Our own client of the gRPC server, as thin as the generated one allows.
//!
//! Guarantees:
//! - every call but a watch carries a deadline, so that the server knows until
//!   when it may wait with its answer;
//! - nothing is repeated here: whoever calls decides, and every call of the
//!   service may be repeated unchanged;
//! - an error is a [`ClientError`] with all that the server said about it; one
//!   that did not come from payonce reads as "undetermined", never as
//!   "nothing happened".

mod error;
mod watch;

use std::time::Duration;

use tonic::Request;
use tonic::transport::{Channel, Endpoint};

use crate::proto::v1::operation_service_client::OperationServiceClient;
use crate::proto::v1::{
    CompensateRequest, CompensateResponse, CreateOperationRequest, CreateOperationResponse,
    GetHistoryRequest, GetHistoryResponse, GetStatusRequest, GetStatusResponse,
    ListOperationsRequest, ListOperationsResponse, SubmitRequest, SubmitResponse,
    WatchOperationRequest,
};

pub use error::{ClientError, Violation};
pub use tonic::Code;
pub use watch::Watch;

/// How long a call may take where nothing else is said: above the agent
/// deadline of a server with default timings (8 s), which answers before it.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(15);

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection to one server. Clones share it.
#[derive(Clone, Debug)]
pub struct Client {
    service: OperationServiceClient<Channel>,
    deadline: Duration,
}

/// Defines one call: it sends the deadline and decodes the error.
macro_rules! call {
    ($(#[$doc:meta])* $name:ident = $rpc:ident($request:ty) -> $response:ty) => {
        $(#[$doc])*
        ///
        /// # Errors
        ///
        /// What the server refused, or that it could not be asked.
        pub async fn $name(&self, request: $request) -> Result<$response, ClientError> {
            let answered = self.service.clone().$rpc(self.with_deadline_of(request)).await;
            Ok(answered.map_err(ClientError::from_status)?.into_inner())
        }
    };
}

impl Client {
    /// Connects to `server`, for instance `http://127.0.0.1:50051`.
    ///
    /// # Errors
    ///
    /// The address is no `http` URL, or nothing answers there.
    pub async fn connect(server: &str) -> Result<Self, ClientError> {
        let endpoint = Endpoint::from_shared(server.to_owned())
            .map_err(|_| ClientError::bad_server())?
            .connect_timeout(CONNECT_TIMEOUT);
        if endpoint.uri().scheme_str() != Some("http") || endpoint.uri().host().is_none() {
            return Err(ClientError::bad_server());
        }
        let channel = endpoint.connect().await;
        let channel = channel.map_err(|_| ClientError::not_reached(server))?;
        Ok(Self {
            service: OperationServiceClient::new(channel),
            deadline: DEFAULT_DEADLINE,
        })
    }

    /// The same connection with another deadline for each call.
    #[must_use]
    pub fn within(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    call!(
        /// Records an intent; with `submit` hands it over and waits.
        create = create_operation(CreateOperationRequest) -> CreateOperationResponse
    );
    call!(
        /// Hands an operation over and waits for a settled answer.
        submit = submit(SubmitRequest) -> SubmitResponse
    );
    call!(
        /// Tells how an operation stands.
        status = get_status(GetStatusRequest) -> GetStatusResponse
    );
    call!(
        /// Gives money back, or makes sure that none is taken.
        compensate = compensate(CompensateRequest) -> CompensateResponse
    );
    call!(
        /// One page of operations, the newest first.
        list = list_operations(ListOperationsRequest) -> ListOperationsResponse
    );
    call!(
        /// The ledger of one operation.
        history = get_history(GetHistoryRequest) -> GetHistoryResponse
    );

    /// Follows one operation, for as long as that takes.
    ///
    /// # Errors
    ///
    /// As for the other calls.
    pub async fn watch(&self, request: WatchOperationRequest) -> Result<Watch, ClientError> {
        let opened = self.service.clone().watch_operation(request).await;
        Ok(Watch::new(
            opened.map_err(ClientError::from_status)?.into_inner(),
        ))
    }

    fn with_deadline_of<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.set_timeout(self.deadline);
        request
    }
}
