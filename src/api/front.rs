//! What every call of the service passes before its handler.
//!
//! Guarantees: a call is admitted or refused at once, before anything of it is
//! read; it knows its caller and its arrival; it runs in a span with its ids;
//! a panic of a handler is an answer; and no error leaves without details.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;
use tonic::body::Body;
use tonic::server::NamedService;
use tonic::{Code, Status};
use tower::Service;
use tracing::{Instrument, Span};

use crate::telemetry::fields;

use super::deadline::Arrival;
use super::status;
use super::tenant::{self, Caller};

type HttpRequest = http::Request<Body>;
type HttpResponse = http::Response<Body>;

/// What a handler knows about its call beside the request.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// Who calls.
    pub(super) caller: Caller,
    /// When, and with which deadline.
    pub(super) arrival: Arrival,
}

impl Context {
    /// Takes a request apart.
    pub(super) fn of<T>(request: tonic::Request<T>) -> Result<(Self, T), Status> {
        let (_, mut extensions, message) = request.into_parts();
        let context = extensions.remove::<Self>();
        Ok((context.ok_or_else(status::unidentified)?, message))
    }
}

/// The service with all that stands before it. Health checks do not pass here:
/// a server that is full is still alive.
#[derive(Clone)]
pub(super) struct Front<S> {
    inner: S,
    places: Arc<Semaphore>,
}

impl<S> Front<S> {
    /// At most `places` calls at once, over all connections.
    pub(super) fn new(inner: S, places: usize) -> Self {
        Self {
            inner,
            places: Arc::new(Semaphore::new(places)),
        }
    }
}

impl<S: NamedService> NamedService for Front<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<HttpRequest> for Front<S>
where
    S: Service<HttpRequest, Response = HttpResponse, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send,
{
    type Response = HttpResponse;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<HttpResponse, Infallible>>;

    fn poll_ready(&mut self, task: &mut TaskContext<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(task)
    }

    fn call(&mut self, mut request: HttpRequest) -> Self::Future {
        let arrival = Arrival::now(request.headers());
        let span = span_of(&request);
        let place = Arc::clone(&self.places).try_acquire_owned();
        if let Some(caller) = tenant::identify(request.headers()) {
            span.record(fields::TENANT, caller.tenant.as_str());
            request.extensions_mut().insert(Context { caller, arrival });
        }
        // The one that was polled ready; the clone waits for its own turn.
        let next = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, next);
        let answer = async move {
            let response = match place {
                Err(_) => status::overloaded().into_http(),
                Ok(_held) => guarded(async move { inner.call(request).await }).await,
            };
            let response = with_details(response);
            note(&response, arrival);
            Ok(response)
        };
        Box::pin(answer.instrument(span))
    }
}

/// The ids are filled in by the handlers, who read them.
fn span_of(request: &HttpRequest) -> Span {
    let method = request.uri().path().rsplit('/').next().unwrap_or_default();
    // A path is text from outside: only what can be the name of an rpc is shown.
    let is_name = method.len() <= 64 && method.bytes().all(|byte| byte.is_ascii_alphanumeric());
    tracing::info_span!(
        "call",
        { fields::RPC } = if is_name { method } else { "" },
        { fields::TENANT } = tracing::field::Empty,
        { fields::OPERATION_ID } = tracing::field::Empty,
        { fields::ORDER_ID } = tracing::field::Empty,
    )
}

/// A panic says nothing about what was recorded. Its message stays in the log
/// of the panic hook.
async fn guarded(answer: impl Future<Output = Result<HttpResponse, Infallible>>) -> HttpResponse {
    match AssertUnwindSafe(answer).catch_unwind().await {
        Ok(Ok(response)) => response,
        Ok(Err(never)) => match never {},
        Err(_) => {
            tracing::error!("a handler panicked");
            status::panicked().into_http()
        }
    }
}

/// Errors that tonic made itself, before a handler, get details as well.
fn with_details(response: HttpResponse) -> HttpResponse {
    match Status::from_header_map(response.headers()) {
        Some(found) if found.code() != Code::Ok && found.details().is_empty() => {
            status::unread(&found).into_http()
        }
        Some(_) | None => response,
    }
}

fn note(response: &HttpResponse, arrival: Arrival) {
    let code = Status::from_header_map(response.headers()).map_or(Code::Ok, |it| it.code());
    let elapsed = u64::try_from(arrival.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::debug!(
        { fields::CODE } = ?code,
        { fields::ELAPSED_MS } = elapsed,
        "call answered"
    );
}

#[cfg(test)]
mod tests;
