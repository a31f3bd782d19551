//! Names of the fields of spans and log lines, so that one thing has one name
//! wherever it is searched for.
//!
//! Use them in tracing's macros as `{ fields::OPERATION_ID } = %id`. Values are
//! our own identifiers and closed lists only: never a payment token, a provider
//! key, an amount's owner or text from outside.

/// UUIDv7 of the operation.
pub const OPERATION_ID: &str = "operation_id";
/// The merchant's reference of the order, as sent by the caller.
pub const ORDER_ID: &str = "order_id";
/// Purpose of the payment within its order.
pub const PURPOSE: &str = "purpose";
/// Kind of the operation: CHARGE, AUTHORIZE, CAPTURE, REFUND or VOID.
pub const KIND: &str = "kind";
/// Stored lifecycle state.
pub const STATE: &str = "state";
/// What the caller is told.
pub const OUTCOME: &str = "outcome";
/// Number of the attempt within its operation, from 1.
pub const ATTEMPT: &str = "attempt";
/// Name of the provider account.
pub const PROVIDER: &str = "provider";
/// Tenant the operation belongs to.
pub const TENANT: &str = "tenant";
/// Identifier of the case a person looks at.
pub const CASE_ID: &str = "case_id";
/// Label of a compensation.
pub const LABEL: &str = "label";
/// Name of the rpc that was called.
pub const RPC: &str = "rpc";
/// gRPC status code that a call ended with, by its name.
pub const CODE: &str = "code";
/// How long a call took, in milliseconds.
pub const ELAPSED_MS: &str = "elapsed_ms";
