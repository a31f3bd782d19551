//! Errors on the wire.
//!
//! Guarantees: every error carries `google.rpc.ErrorInfo` (domain `payonce`)
//! and our `ErrorDetail`, so that a caller always learns what was recorded
//! because of its call; texts are our own and fixed, and never hold a value
//! of the request, text of the store or of a provider.

use std::time::Duration;

use prost::Message;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt};

use crate::domain::ids::OperationId;
use crate::domain::refusal::Refusal;
use crate::engine::{EngineError, StoreError};
use crate::proto::v1::{ErrorDetail, ErrorEffect, SafeNextAction};

use super::parse::{Malformed, Violation};

const DOMAIN: &str = "payonce";
const DETAIL_TYPE: &str = "type.googleapis.com/payonce.v1.ErrorDetail";

/// When to come back after the store was away or the server was full.
const RETRY_LATER: Duration = Duration::from_secs(1);
/// When to come back after others were faster.
const RETRY_SOON: Duration = Duration::from_millis(100);

/// What goes into one error.
struct Fault {
    code: Code,
    reason: &'static str,
    message: String,
    violations: Vec<FieldViolation>,
    retry_after: Option<Duration>,
    effect: ErrorEffect,
    operation: Option<OperationId>,
    next: SafeNextAction,
}

impl Fault {
    /// Nothing was recorded, and nothing is to be done about any operation.
    fn new(code: Code, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            violations: Vec::new(),
            retry_after: None,
            effect: ErrorEffect::None,
            operation: None,
            next: SafeNextAction::None,
        }
    }

    /// An operation that existed before stands as it stood.
    fn about(self, operation: OperationId) -> Self {
        Self {
            effect: ErrorEffect::ExistingOperation,
            operation: Some(operation),
            next: SafeNextAction::Poll,
            ..self
        }
    }

    fn violating(self, violations: impl IntoIterator<Item = FieldViolation>) -> Self {
        Self {
            violations: violations.into_iter().collect(),
            ..self
        }
    }

    /// The same call again may well succeed.
    fn retry_after(self, pause: Duration) -> Self {
        Self {
            retry_after: Some(pause),
            next: SafeNextAction::Poll,
            ..self
        }
    }

    fn undetermined(self) -> Self {
        Self {
            effect: ErrorEffect::Undetermined,
            next: SafeNextAction::Poll,
            ..self
        }
    }

    fn into_status(self) -> Status {
        let mut google = ErrorDetails::new();
        google.set_error_info(self.reason, DOMAIN, []);
        if !self.violations.is_empty() {
            google.set_bad_request(self.violations);
        }
        if let Some(pause) = self.retry_after {
            google.set_retry_info(Some(pause));
        }
        let ours = ErrorDetail {
            effect: self.effect.into(),
            operation_id: self.operation.map_or(String::new(), |id| id.to_string()),
            safe_next_action: self.next.into(),
        };
        with_detail(
            Status::with_error_details(self.code, self.message, google),
            &ours,
        )
    }
}

/// Adds our message to the `google.rpc.Status` that carries Google's own.
fn with_detail(status: Status, detail: &ErrorDetail) -> Status {
    let mut full = tonic_types::Status::decode(status.details())
        .expect("tonic-types has just encoded these bytes");
    full.details.push(prost_types::Any {
        type_url: DETAIL_TYPE.to_owned(),
        value: detail.encode_to_vec(),
    });
    Status::with_details(status.code(), status.message(), full.encode_to_vec().into())
}

/// A request that does not keep the rules of the contract.
pub(super) fn malformed(malformed: Malformed) -> Status {
    let Malformed {
        violations,
        card_number,
    } = malformed;
    let reason = if card_number {
        "CARD_NUMBER_REFUSED"
    } else {
        "INVALID_FIELD"
    };
    let told: Vec<String> = violations
        .iter()
        .map(|Violation { field, rule }| format!("{field} {rule}"))
        .collect();
    let message = format!("the request breaks the rules: {}", told.join("; "));
    Fault::new(Code::InvalidArgument, reason, message)
        .violating(violations.into_iter().map(|it| on(it.field, it.rule)))
        .into_status()
}

fn on(field: impl Into<String>, rule: impl Into<String>) -> FieldViolation {
    FieldViolation::new(field, rule)
}

/// What the engine could not or would not do.
pub(super) fn of_engine(error: EngineError) -> Status {
    let fault = match error {
        EngineError::Refused(refusal) => refused(refusal),
        EngineError::Store(error) => of_store(&error),
        EngineError::Contended => Fault::new(
            Code::Aborted,
            "CONTENDED",
            "the operation changed too often while it was being decided; repeat the call",
        )
        .retry_after(RETRY_SOON),
        EngineError::UnknownAccount(_) | EngineError::Unreplayable(_) => {
            tracing::error!(%error, "a call failed");
            internal()
        }
    };
    fault.into_status()
}

fn refused(refusal: Refusal) -> Fault {
    let message = refusal.to_string();
    let precondition = |reason| Fault::new(Code::FailedPrecondition, reason, message.clone());
    match refusal {
        Refusal::NotFound => Fault::new(Code::NotFound, "OPERATION_NOT_FOUND", message),
        Refusal::KeyReused {
            operation_id,
            fields,
        } => Fault::new(
            Code::AlreadyExists,
            "KEY_REUSED_FOR_DIFFERENT_REQUEST",
            message,
        )
        .about(operation_id)
        .violating(
            fields
                .into_iter()
                .map(|field| on(field, "must be as in the recorded operation")),
        ),
        Refusal::InvalidField { field, rule } => {
            Fault::new(Code::InvalidArgument, "INVALID_FIELD", message).violating([on(field, rule)])
        }
        Refusal::Unresolved { operation_id } => {
            precondition("OPERATION_UNRESOLVED").about(operation_id)
        }
        Refusal::NotSupersedable { operation_id } => {
            precondition("NOT_SUPERSEDABLE").about(operation_id)
        }
        Refusal::NotConfirmed { operation_id } => {
            precondition("OUTCOME_NOT_CONFIRMED").about(operation_id)
        }
        Refusal::ExceedsCaptured { operation_id } => {
            precondition("REFUND_EXCEEDS_CAPTURED").about(operation_id)
        }
        Refusal::NoPlace(state) => {
            tracing::error!(%state, "an event without a place reached a caller");
            internal()
        }
    }
}

fn of_store(error: &StoreError) -> Fault {
    tracing::error!(%error, "the store failed a call");
    let unavailable = |message| {
        Fault::new(Code::Unavailable, "STORE_UNAVAILABLE", message).retry_after(RETRY_LATER)
    };
    match error {
        StoreError::Unavailable(_) => {
            unavailable("the store cannot be reached; nothing was recorded")
        }
        StoreError::Undetermined => unavailable(
            "the store did not confirm; ask GetStatus by reference or repeat the call unchanged",
        )
        .undetermined(),
        StoreError::Corrupt { .. }
        | StoreError::SchemaMismatch { .. }
        | StoreError::DeploymentMismatch { .. }
        | StoreError::Invariant(_)
        | StoreError::Held(_)
        | StoreError::Unusable(_) => internal(),
    }
}

/// Something here is broken. Whether the call was recorded is not claimed.
fn internal() -> Fault {
    Fault::new(
        Code::Internal,
        "INTERNAL",
        "an internal error; ask GetStatus by reference or repeat the call unchanged",
    )
    .undetermined()
}

/// A handler panicked.
pub(super) fn panicked() -> Status {
    internal().into_status()
}

/// The server is full. Said before anything was looked at.
pub(super) fn overloaded() -> Status {
    Fault::new(
        Code::ResourceExhausted,
        "OVERLOADED",
        "too many calls are under way; nothing was recorded, try again later",
    )
    .retry_after(RETRY_LATER)
    .into_status()
}

/// A stream ends because this server stops.
pub(super) fn stopping() -> Status {
    Fault::new(
        Code::Unavailable,
        "STOPPING",
        "this server is stopping; call again to go on",
    )
    .retry_after(RETRY_SOON)
    .into_status()
}

/// The rpc is in the contract and not in this server.
pub(super) fn not_implemented(message: &'static str) -> Status {
    Fault::new(Code::Unimplemented, "NOT_IMPLEMENTED", message).into_status()
}

/// No verified caller.
pub(super) fn unidentified() -> Status {
    Fault::new(
        Code::Unauthenticated,
        "SCOPE_MISSING",
        "the caller is not known",
    )
    .into_status()
}

/// What the transport said before a handler was reached, in our terms: none of
/// our own errors is without details, so nothing was recorded.
pub(super) fn unread(status: &Status) -> Status {
    let invalid = |message| Fault::new(Code::InvalidArgument, "INVALID_FIELD", message);
    let fault = match status.code() {
        Code::OutOfRange => invalid("the request must be at most 65536 bytes"),
        Code::Internal => invalid("the request cannot be read as the message of this rpc"),
        Code::Unimplemented => Fault::new(
            Code::Unimplemented,
            "NOT_IMPLEMENTED",
            "this server has no such rpc or does not know the compression",
        ),
        code => Fault::new(code, "NOT_READ", "the request could not be read"),
    };
    fault.into_status()
}

#[cfg(test)]
pub(super) mod tests;
