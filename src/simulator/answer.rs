//! Answers: how they are made, and how a fault spoils them.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};

use super::fault::Fault;

const HUGE_BODY_CHUNK: usize = 64 * 1024;
const HUGE_BODY_CHUNKS: usize = 1024;

/// Marks a response of which no byte may be written: the server closes the
/// socket instead.
#[derive(Debug, Clone, Copy)]
pub(super) struct CloseSocket;

/// A refusal, in the form of this processor's errors.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    status: u16,
    kind: &'static str,
    pub(super) code: &'static str,
    message: String,
}

impl Refusal {
    fn new(status: u16, kind: &'static str, code: &'static str, message: &str) -> Self {
        Self {
            status,
            kind,
            code,
            message: message.to_owned(),
        }
    }

    pub(super) fn invalid(code: &'static str, message: &str) -> Self {
        Self::new(400, "invalid_request", code, message)
    }

    pub(super) fn not_found(what: &str) -> Self {
        Self::new(404, "not_found", "not_found", &format!("no such {what}"))
    }

    pub(super) fn no_look_ups() -> Self {
        Self::new(
            404,
            "not_found",
            "look_up_not_offered",
            "this processor offers no look-ups; wait for its report",
        )
    }

    pub(super) fn key_mismatch() -> Self {
        Self::new(
            400,
            "idempotency_mismatch",
            "idempotency_mismatch",
            "the idempotency key was first used with another path or body",
        )
    }

    pub(super) fn key_in_flight() -> Self {
        Self::new(
            409,
            "idempotency_in_progress",
            "idempotency_in_progress",
            "a request with this idempotency key is still in progress",
        )
    }

    pub(super) fn injected(status: u16) -> Self {
        let kind = match status {
            404 => "not_found",
            409 => "idempotency_in_progress",
            429 => "rate_limited",
            500.. => "server_error",
            _ => "invalid_request",
        };
        Self::new(status, kind, "fault_injected", "this error was ordered")
    }
}

/// An answer before faults.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: Value,
    /// It answers an earlier request with the same key.
    pub(super) replayed: bool,
}

impl Reply {
    pub(super) fn new(status: u16, body: Value) -> Self {
        Self {
            status,
            body,
            replayed: false,
        }
    }

    pub(super) fn ok(body: Value) -> Self {
        Self::new(200, body)
    }
}

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Self {
        Self::new(
            refusal.status,
            json!({"error": {
                "type": refusal.kind,
                "code": refusal.code,
                "message": refusal.message,
            }}),
        )
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::OK);
        let mut response = (status, axum::Json(self.body)).into_response();
        if self.replayed {
            response.headers_mut().insert(
                HeaderName::from_static("idempotent-replayed"),
                HeaderValue::from_static("true"),
            );
        }
        response
    }
}

/// Closes the socket without an answer.
pub(super) fn close_socket() -> Response {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(CloseSocket);
    response
}

/// What a fault makes of a call that was not executed, if it stops it there.
pub(super) async fn before_execution(fault: &Fault, path: &str) -> Option<Response> {
    match fault {
        Fault::DropRequest => Some(close_socket()),
        Fault::HoldRequest { delay_ms } => {
            tokio::time::sleep(Duration::from_millis(*delay_ms)).await;
            None
        }
        Fault::ErrorBefore {
            status,
            retry_after_s,
        } => {
            let mut response = Reply::from(Refusal::injected(*status)).into_response();
            if let Some(seconds) = retry_after_s {
                let headers = response.headers_mut();
                headers.insert(header::RETRY_AFTER, HeaderValue::from(*seconds));
            }
            Some(response)
        }
        Fault::InProgress => Some(Reply::from(Refusal::key_in_flight()).into_response()),
        Fault::Redirect => {
            Some((StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, path)]).into_response())
        }
        _ => None,
    }
}

/// What a fault makes of the answer to a call that was executed. `unrelated` is
/// an object that the caller never asked for.
pub(super) async fn after_execution(
    fault: &Fault,
    mut reply: Reply,
    unrelated: Option<Value>,
) -> Response {
    match fault {
        Fault::DropResponse { .. } => close_socket(),
        Fault::DelayAnswer { delay_ms } => {
            tokio::time::sleep(Duration::from_millis(*delay_ms)).await;
            reply.into_response()
        }
        Fault::ErrorAfter { status } => Reply::from(Refusal::injected(*status)).into_response(),
        Fault::Garbage => {
            axum::response::Html("<html><body>Please wait.</body></html>").into_response()
        }
        Fault::EmptyBody => StatusCode::OK.into_response(),
        Fault::TruncatedJson => {
            let text = reply.body.to_string();
            let half: String = text.chars().take(text.chars().count() / 2).collect();
            ([(header::CONTENT_TYPE, "application/json")], half).into_response()
        }
        Fault::UnknownStatus => {
            make_status_unknown(&mut reply.body);
            reply.into_response()
        }
        Fault::OtherPayment => {
            show_instead(&mut reply.body, unrelated);
            reply.into_response()
        }
        Fault::HugeBody => huge(&reply.body),
        _ => reply.into_response(),
    }
}

/// The places of an answer where an object is shown.
fn shown_objects(body: &mut Value) -> Vec<&mut Value> {
    if body.get("data").is_some() {
        let list = body.get_mut("data").and_then(Value::as_array_mut);
        list.into_iter().flatten().collect()
    } else if body.get("error").is_some() {
        body.pointer_mut("/error/payment").into_iter().collect()
    } else {
        vec![body]
    }
}

fn make_status_unknown(body: &mut Value) {
    for object in shown_objects(body) {
        object["status"] = json!("weird");
    }
}

fn show_instead(body: &mut Value, unrelated: Option<Value>) {
    let Some(unrelated) = unrelated else { return };
    for object in shown_objects(body) {
        *object = unrelated.clone();
    }
}

/// White space before JSON is legal, so only a limit protects the reader.
fn huge(body: &Value) -> Response {
    let blank = Bytes::from(vec![b' '; HUGE_BODY_CHUNK]);
    let chunks = std::iter::repeat_n(blank, HUGE_BODY_CHUNKS)
        .chain([Bytes::from(body.to_string())])
        .map(Ok::<_, Infallible>);
    let body = Body::from_stream(stream::iter(chunks));
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}
