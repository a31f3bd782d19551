//! Requests as bytes.
//!
//! Pure: the bytes come from fields of the operation's digest and from the key
//! that follows from its identity, are made once and are stored; a resend sends
//! what was stored.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use super::profile::KeyField;
use crate::domain::attempt::PreparedRequest;
use crate::domain::kind::Kind;
use crate::domain::operation::Operation;
use crate::domain::profile::BuildRequest;
use crate::domain::provider_key::ProviderKey;
use crate::http::{Method, Request};

/// Everything but the characters that provider ids are made of. A dot is
/// escaped so that no id can climb out of its path.
const NOT_IN_A_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-');

/// The order of the fields is the order on the wire.
#[derive(Serialize)]
struct NewPayment<'a> {
    amount: i64,
    currency: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_method: Option<&'a str>,
    capture: bool,
    reference: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Metadata<'a>>,
}

#[derive(Serialize)]
struct NewRefund<'a> {
    amount: i64,
    reference: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Metadata<'a>>,
}

#[derive(Serialize)]
struct Metadata<'a> {
    payonce_key: &'a str,
}

/// The function that builds requests with the key in that field.
pub(super) fn builder(key_field: KeyField) -> BuildRequest {
    match key_field {
        KeyField::Metadata => |endpoint, operation| build(endpoint, operation, KeyField::Metadata),
        KeyField::Reference => {
            |endpoint, operation| build(endpoint, operation, KeyField::Reference)
        }
    }
}

/// The merchant reference that the operation has at the processor.
pub(super) fn reference(operation: &Operation, key_field: KeyField) -> &str {
    match key_field {
        KeyField::Metadata => operation.intent.order_id.as_str(),
        KeyField::Reference => operation.intent.provider_key.as_str(),
    }
}

fn build(endpoint: &str, operation: &Operation, key_field: KeyField) -> PreparedRequest {
    let intent = &operation.intent;
    let reference = reference(operation, key_field);
    let metadata = (key_field == KeyField::Metadata).then(|| Metadata {
        payonce_key: intent.provider_key.as_str(),
    });
    let amount = intent.amount.minor_units;
    let (path, body) = match intent.kind {
        Kind::Charge | Kind::Authorize => {
            let body = bytes(&NewPayment {
                amount,
                currency: intent.amount.currency.code(),
                payment_method: intent.payment_method.as_ref().map(|it| it.as_str()),
                capture: intent.kind == Kind::Charge,
                reference,
                metadata,
            });
            ("/v1/payments".to_owned(), body)
        }
        Kind::Refund => {
            let target = intent.target.as_ref().map_or("", |it| it.as_str());
            let body = bytes(&NewRefund {
                amount,
                reference,
                metadata,
            });
            (format!("/v1/payments/{}/refunds", segment(target)), body)
        }
        // Not offered: a request without a place, which is never sent.
        Kind::Capture | Kind::Void => (String::new(), Vec::new()),
    };
    PreparedRequest {
        endpoint: endpoint.to_owned(),
        method: Method::POST.as_str().to_owned(),
        path,
        body,
    }
}

fn bytes(body: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(body).expect("text, whole numbers and flags always become JSON")
}

/// A text as one segment of a path, or one value of a query.
pub(super) fn segment(text: &str) -> String {
    utf8_percent_encode(text, NOT_IN_A_SEGMENT).to_string()
}

/// Whether a path leads where it was meant to: a missing id, or one of dots,
/// would lead to another address.
pub(super) fn names_a_place(path: &str) -> bool {
    let wanders = |part: &str| matches!(part, "" | "." | ".." | "%2E" | "%2E%2E");
    path.strip_prefix('/')
        .is_some_and(|rest| !rest.split('/').any(wanders))
}

/// Whether a stored request is one that [`builder`] makes for an offered step.
pub(super) fn can_go_out(request: &PreparedRequest) -> bool {
    request.method == Method::POST.as_str() && names_a_place(&request.path)
}

/// An address below an endpoint.
pub(super) fn url(endpoint: &str, path: &str) -> String {
    format!("{}{path}", endpoint.trim_end_matches('/'))
}

/// The stored request on its way out, with its key.
pub(super) fn post(request: &PreparedRequest, key: &ProviderKey) -> Request {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Request {
        method: Method::POST,
        url: url(&request.endpoint, &request.path),
        headers: vec![
            header("accept", "application/json"),
            header("content-type", "application/json"),
            header("idempotency-key", key.as_str()),
        ],
        body: request.body.clone(),
    }
}

/// A question, which changes nothing.
pub(super) fn get(endpoint: &str, path_and_query: &str) -> Request {
    Request {
        method: Method::GET,
        url: url(endpoint, path_and_query),
        headers: vec![("accept".to_owned(), "application/json".to_owned())],
        body: Vec::new(),
    }
}
