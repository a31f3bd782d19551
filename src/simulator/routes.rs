//! Which address does what.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use super::answer::{Refusal, Reply};
use super::call::{Call, Operation, Work};
use super::command::Command;
use super::control;
use super::look_up::{Filter, LookUp};
use super::processor::Processor;

type Shared = State<Arc<Processor>>;
type FilterQuery = Result<Query<Filter>, QueryRejection>;

/// The whole HTTP face.
pub(super) fn router(processor: Arc<Processor>) -> Router {
    Router::new()
        .route("/v1/payments", post(pay).get(list_payments))
        .route("/v1/payments/{id}", get(get_payment))
        .route("/v1/payments/{id}/capture", post(capture))
        .route("/v1/payments/{id}/void", post(void))
        .route("/v1/payments/{id}/refunds", post(refund))
        .route("/v1/refunds", get(list_refunds))
        .route("/v1/refunds/{id}", get(get_refund))
        .route("/healthz", get(|| async { "ok" }))
        .merge(control::router())
        .fallback(|| async { Reply::from(Refusal::not_found("address")) })
        .with_state(processor)
}

/// The parts of a POST that every handler needs.
struct Posted {
    path: String,
    key: Option<String>,
    body: Bytes,
}

impl Posted {
    fn new(uri: &Uri, headers: &HeaderMap, body: Bytes) -> Self {
        // A key that is not text must be refused, never taken for no key.
        let key = headers.get("idempotency-key");
        Self {
            path: path(uri),
            key: key.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
            body,
        }
    }

    async fn serve(
        self,
        processor: Arc<Processor>,
        operation: Operation,
        command: Result<Command, Refusal>,
    ) -> Response {
        let call = Call {
            operation,
            method: "POST",
            path: self.path,
            key: self.key,
            body: self.body,
            work: command.map(Work::Change),
        };
        processor.serve(call).await
    }
}

fn path(uri: &Uri) -> String {
    uri.path_and_query()
        .map_or_else(|| uri.path().to_owned(), ToString::to_string)
}

async fn pay(State(it): Shared, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let command = Command::pay(&body, it.profile);
    let posted = Posted::new(&uri, &headers, body);
    posted.serve(it, Operation::Payment, command).await
}

async fn capture(
    State(it): Shared,
    Path(id): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let command = Command::capture(id, &body);
    let posted = Posted::new(&uri, &headers, body);
    posted.serve(it, Operation::Capture, command).await
}

async fn void(
    State(it): Shared,
    Path(id): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let command = Command::void(id, &body);
    let posted = Posted::new(&uri, &headers, body);
    posted.serve(it, Operation::Void, command).await
}

async fn refund(
    State(it): Shared,
    Path(id): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let command = Command::refund(id, &body, it.profile);
    let posted = Posted::new(&uri, &headers, body);
    posted.serve(it, Operation::Refund, command).await
}

async fn look_up(it: Arc<Processor>, uri: &Uri, work: Result<LookUp, Refusal>) -> Response {
    let call = Call {
        operation: Operation::LookUp,
        method: "GET",
        path: path(uri),
        key: None,
        body: Bytes::new(),
        work: work.map(Work::LookUp),
    };
    it.serve(call).await
}

async fn get_payment(State(it): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    look_up(it, &uri, Ok(LookUp::Payment(id))).await
}

async fn get_refund(State(it): Shared, Path(id): Path<String>, uri: Uri) -> Response {
    look_up(it, &uri, Ok(LookUp::Refund(id))).await
}

async fn list_payments(State(it): Shared, uri: Uri, filter: FilterQuery) -> Response {
    look_up(it, &uri, read_filter(filter).map(LookUp::Payments)).await
}

async fn list_refunds(State(it): Shared, uri: Uri, filter: FilterQuery) -> Response {
    look_up(it, &uri, read_filter(filter).map(LookUp::Refunds)).await
}

fn read_filter(filter: FilterQuery) -> Result<Filter, Refusal> {
    filter
        .map(|Query(filter)| filter)
        .map_err(|error| Refusal::invalid("query_invalid", &error.body_text()))
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        Reply::from(self).into_response()
    }
}
