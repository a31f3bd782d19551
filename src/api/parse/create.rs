//! `CreateOperationRequest`.

use std::time::Duration;

use crate::domain::ids::OperationId;
use crate::domain::kind::Kind;
use crate::domain::request::{CreateRequest, PaymentMethod};
use crate::proto::v1::CreateOperationRequest;

use super::field::REQUIRED;
use super::{Faults, Malformed};

/// What `CreateOperation` asks for.
#[derive(Debug)]
pub(in crate::api) struct Creation {
    /// The fields of the operation.
    pub(in crate::api) request: CreateRequest,
    /// Hand it over in the same commit.
    pub(in crate::api) submit: bool,
    /// How long to wait then, if it was said.
    pub(in crate::api) wait: Option<Duration>,
}

/// Reads the request.
pub(in crate::api) fn create(wire: CreateOperationRequest) -> Result<Creation, Malformed> {
    let mut faults = Faults::default();
    let order_id = faults.reference("order_id", wire.order_id);
    let purpose = faults.optional_reference("purpose", wire.purpose);
    let kind = faults.kind(wire.kind);
    let amount = faults.amount(wire.amount);
    let payment_method = method_of(&mut faults, kind, &wire.payment_method);
    let payee = faults.optional_reference("payee", wire.payee);
    let customer_ref = faults.optional_reference("customer_ref", wire.customer_ref);
    let agent = faults.optional_reference("agent", wire.agent);
    let provider = faults.optional_reference("provider", wire.provider);
    let parent = parent_of(&mut faults, kind, &wire.parent_operation_id);
    let supersedes =
        faults.optional_operation_id("supersedes_operation_id", &wire.supersedes_operation_id);
    refuse_mandate(&mut faults, &wire.authorization);
    let description = faults.description(wire.description);
    let labels = faults.labels(wire.labels);
    let wait = faults.wait(wire.wait);

    let read = || {
        Some(CreateRequest {
            order_id: order_id?,
            purpose,
            kind: kind?,
            amount: amount?,
            payment_method,
            payee,
            customer_ref,
            agent,
            provider,
            parent,
            supersedes,
            description,
            labels,
        })
    };
    let request = faults.finish(read())?;
    Ok(Creation {
        request,
        submit: wire.submit,
        wait,
    })
}

/// Required for what makes a payment of its own; a CAPTURE uses its parent's.
fn method_of(faults: &mut Faults, kind: Option<Kind>, text: &str) -> Option<PaymentMethod> {
    let read = faults.payment_method(text);
    if let Some(kind) = kind {
        if kind.is_payment() && text.is_empty() {
            faults.add("payment_method", REQUIRED);
        } else if !kind.is_payment() && !text.is_empty() {
            faults.add("payment_method", "must be empty for a CAPTURE");
        }
    }
    read
}

/// Required for a CAPTURE, and for nothing else.
fn parent_of(faults: &mut Faults, kind: Option<Kind>, text: &str) -> Option<OperationId> {
    let read = faults.optional_operation_id("parent_operation_id", text);
    if let Some(kind) = kind {
        if kind.is_payment() && !text.is_empty() {
            faults.add("parent_operation_id", "must be empty but for a CAPTURE");
        } else if !kind.is_payment() && text.is_empty() {
            faults.add("parent_operation_id", REQUIRED);
        }
    }
    read
}

/// A mandate limits what may be created. One that is not checked must not look
/// as if it were.
fn refuse_mandate(faults: &mut Faults, authorization: &str) {
    if !authorization.is_empty() && faults.free_of_cards("authorization", authorization) {
        faults.add(
            "authorization",
            "mandates are not accepted by this server yet",
        );
    }
}
