//! Ids for the span of a call, once a handler has read them.

use tracing::Span;

use crate::domain::ids::OperationId;
use crate::domain::reference::OrderId;
use crate::telemetry::fields;

/// The operation that the call is about.
pub(super) fn operation(id: OperationId) {
    Span::current().record(fields::OPERATION_ID, tracing::field::display(id));
}

/// The order that the call is about.
pub(super) fn order(id: &OrderId) {
    Span::current().record(fields::ORDER_ID, id.as_str());
}
