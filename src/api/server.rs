//! Listening, limits, health and reflection; start and end of the server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tonic::transport::server::{Router, TcpIncoming};
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::engine::Engine;
use crate::proto::FILE_DESCRIPTOR_SET;
use crate::proto::v1::operation_service_server::OperationServiceServer;

use super::deadline::Limits;
use super::front::Front;
use super::{Api, tenant};

/// Largest request, in bytes. The largest that keeps the rules has about 14
/// kilobytes.
const MAX_REQUEST_BYTES: usize = 64 * 1024;
/// Calls at once, over all connections; one that waits is cheap.
const MAX_CALLS: usize = 4096;
/// Streams at once, over all connections.
const MAX_WATCHERS: usize = 1024;
/// Calls and streams at once on one connection.
const MAX_STREAMS: u32 = 256;
/// tonic leaves the next two without a bound unless they are set: streams that
/// a peer may make us reset before its connection is closed (the second is
/// "rapid reset", CVE-2023-44487).
const MAX_LOCAL_RESETS: usize = 1024;
const MAX_PENDING_RESETS: usize = 20;
/// Largest sum of a request's headers, in bytes.
const MAX_HEADER_BYTES: u32 = 16 * 1024;
/// A connection that is silent for so long is asked whether it is still there.
const KEEPALIVE_EVERY: Duration = Duration::from_secs(30);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(20);

/// What the server is configured with.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where to listen. Loopback only; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Serve gRPC reflection.
    pub reflection: bool,
    /// Longest wait of a call for a settled answer.
    pub agent_deadline: Duration,
    /// Taken off the caller's own deadline, so that the answer comes before.
    pub caller_margin: Duration,
}

/// Why the server does not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// There are no credentials, so that everybody who reaches the server is
    /// trusted.
    #[error("grpc.listen must be a loopback address while there are no credentials, not {0}")]
    NotLoopback(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The configured address.
        address: SocketAddr,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The descriptors of the contract cannot be served.
    #[error("cannot serve reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The transport failed.
    #[error("the gRPC server failed: {0}")]
    Transport(#[from] tonic::transport::Error),
}

/// A server that listens and does not answer yet. Connections wait.
pub struct Bound {
    incoming: TcpIncoming,
    address: SocketAddr,
    options: Options,
}

/// Starts listening.
///
/// # Errors
/// [`ServerError::NotLoopback`] and [`ServerError::Listen`].
pub async fn bind(options: Options) -> Result<Bound, ServerError> {
    tenant::check_listen(options.listen)?;
    let listen_error = |source| ServerError::Listen {
        address: options.listen,
        source,
    };
    let listener = TcpListener::bind(options.listen)
        .await
        .map_err(listen_error)?;
    let address = listener.local_addr().map_err(listen_error)?;
    Ok(Bound {
        // Answers are small and waited for.
        incoming: TcpIncoming::from(listener).with_nodelay(Some(true)),
        address,
        options,
    })
}

impl Bound {
    /// Where it listens, with the port that was taken.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` completes; then health says NOT_SERVING, no
    /// call is accepted any more, whoever waits is answered with the present
    /// state, streams end with UNAVAILABLE, and this returns once every call
    /// has ended. That time is not bounded here: a health watch ends with its
    /// client only.
    ///
    /// # Errors
    /// [`ServerError::Reflection`] and [`ServerError::Transport`].
    pub async fn serve(
        self,
        engine: Engine,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), ServerError> {
        let stopping = CancellationToken::new();
        let api = Api {
            engine,
            limits: Limits {
                agent_deadline: self.options.agent_deadline,
                caller_margin: self.options.caller_margin,
            },
            stopping: stopping.clone(),
            watchers: Arc::new(Semaphore::new(MAX_WATCHERS)),
        };
        let health = HealthReporter::new();
        let router = router(api, &health, self.options.reflection)?;
        set_health(&health, ServingStatus::Serving).await;
        let stop = async move {
            shutdown.await;
            set_health(&health, ServingStatus::NotServing).await;
            stopping.cancel();
        };
        router
            .serve_with_incoming_shutdown(self.incoming, stop)
            .await?;
        Ok(())
    }
}

fn router(api: Api, health: &HealthReporter, reflection: bool) -> Result<Router, ServerError> {
    let operations = OperationServiceServer::new(api).max_decoding_message_size(MAX_REQUEST_BYTES);
    let health = tonic_health::server::HealthService::from_health_reporter(health.clone());
    let health = tonic_health::pb::health_server::HealthServer::new(health);
    let router = Server::builder()
        .max_concurrent_streams(MAX_STREAMS)
        .http2_max_local_error_reset_streams(Some(MAX_LOCAL_RESETS))
        .http2_max_pending_accept_reset_streams(Some(MAX_PENDING_RESETS))
        .http2_max_header_list_size(MAX_HEADER_BYTES)
        .http2_keepalive_interval(Some(KEEPALIVE_EVERY))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .add_service(Front::new(operations, MAX_CALLS))
        .add_service(health);
    if !reflection {
        return Ok(router);
    }
    // The older one is what most tools still ask for.
    Ok(router
        .add_service(describing().build_v1()?)
        .add_service(describing().build_v1alpha()?))
}

fn describing() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

/// Health of the one service, and of the server as a whole.
async fn set_health(health: &HealthReporter, status: ServingStatus) {
    let service = <OperationServiceServer<Api> as tonic::server::NamedService>::NAME;
    for name in [service, ""] {
        health.set_service_status(name, status).await;
    }
}
