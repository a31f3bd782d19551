//! The sockets: accept, serve HTTP/1.1, close without an answer where a fault
//! wants it, stop within a bound.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::Options;
use super::answer::CloseSocket;
use super::clock::TimeScale;
use super::error::SimulatorError;
use super::journal::Journal;
use super::keys::KeysInFlight;
use super::processor::Processor;
use super::routes::router;

/// How long open requests may take to end after a stop.
const DRAIN: Duration = Duration::from_secs(1);
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A running simulator. Dropping it stops it too, without waiting.
#[derive(Debug)]
pub struct Simulator {
    local_addr: SocketAddr,
    stop: DropGuard,
    server: JoinHandle<()>,
}

impl Simulator {
    /// Replays the ledger, listens and serves.
    ///
    /// # Errors
    /// If the time scale makes no sense, the ledger cannot be used or is
    /// corrupt, or the address cannot be listened on.
    pub async fn start(options: Options) -> Result<Self, SimulatorError> {
        let scale = options.time_scale;
        if !(scale.is_finite() && scale > 0.0) {
            return Err(SimulatorError::TimeScale(scale));
        }
        let listen_error = |source| SimulatorError::Listen {
            address: options.listen,
            source,
        };
        let listener = TcpListener::bind(options.listen)
            .await
            .map_err(listen_error)?;
        let local_addr = listener.local_addr().map_err(listen_error)?;
        let (journal, state) = Journal::open(&options.ledger)?;
        let processor = Arc::new(Processor {
            profile: options.profile,
            scale: TimeScale(scale),
            base_url: format!("http://{local_addr}"),
            journal,
            state: Mutex::new(state),
            faults: Mutex::default(),
            wire_log: Mutex::default(),
            in_flight: KeysInFlight::default(),
            calls: TaskTracker::new(),
            kill: CancellationToken::new(),
        });
        tracing::info!(
            target: "simulator",
            address = %local_addr,
            profile = %options.profile,
            ledger = %options.ledger.display(),
            time_scale = scale,
            "the simulated processor is listening"
        );
        let stop = CancellationToken::new();
        let server = tokio::spawn(run(listener, processor, stop.clone()));
        Ok(Self {
            local_addr,
            stop: stop.drop_guard(),
            server,
        })
    }

    /// The address it listens on.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Stops: no new connections, a second for open requests to end, then their
    /// connections are dropped and their work is cut off. When this returns,
    /// the ledger file is free and holds every change ever shown.
    pub async fn stop(self) {
        drop(self.stop);
        if let Err(error) = self.server.await {
            tracing::error!(target: "simulator", %error, "the server did not stop cleanly");
        }
    }
}

async fn run(listener: TcpListener, processor: Arc<Processor>, stop: CancellationToken) {
    let router = router(Arc::clone(&processor));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream, router.clone(), stop.clone()));
                }
                Err(error) => {
                    tracing::warn!(target: "simulator", %error, "a connection was not accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    let drained = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(DRAIN, drained).await.is_err() {
        connections.shutdown().await;
    }
    processor.kill.cancel();
    processor.calls.close();
    processor.calls.wait().await;
    let closed = tokio::task::spawn_blocking(move || processor.journal.close());
    if let Err(error) = closed.await {
        tracing::error!(target: "simulator", %error, "the ledger was not closed cleanly");
    }
    tracing::info!(target: "simulator", "the simulated processor has stopped");
}

/// hyper writes nothing and closes the socket when a service fails.
#[derive(Debug, thiserror::Error)]
#[error("the socket is closed on purpose")]
struct ClosedOnPurpose;

async fn serve(stream: TcpStream, router: Router, stop: CancellationToken) {
    let service = service_fn(move |request: Request<Incoming>| answer(router.clone(), request));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new());
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(target: "simulator", %error, "a connection ended");
    }
}

async fn answer(router: Router, request: Request<Incoming>) -> Result<Response, ClosedOnPurpose> {
    let answered = router.oneshot(request.map(Body::new)).await;
    let response = answered.unwrap_or_else(|never| match never {});
    match response.extensions().get::<CloseSocket>() {
        Some(CloseSocket) => Err(ClosedOnPurpose),
        None => Ok(response),
    }
}
