//! What a call that failed says: code, reason, effect, fields and rules.

use std::fmt;
use std::time::Duration;

use prost::{Message, Name};
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::proto::v1::{ErrorDetail, ErrorEffect, SafeNextAction};

/// One field of a request and the rule that it breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Path of the field, such as `amount.minor_units`.
    pub field: String,
    /// The rule. Never holds the value.
    pub rule: String,
}

/// A call that was not answered with an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientError {
    /// The gRPC code.
    pub code: Code,
    /// The reason from the closed list of the contract; empty where the error
    /// did not come from payonce.
    pub reason: String,
    /// What is recorded because of the call.
    pub effect: ErrorEffect,
    /// The operation concerned; empty where there is none or none is known.
    pub operation_id: String,
    /// What may safely be done next about that operation.
    pub safe_next_action: SafeNextAction,
    /// Fields and rules.
    pub violations: Vec<Violation>,
    /// When a repeat may help.
    pub retry_after: Option<Duration>,
    /// A sentence for people.
    pub message: String,
}

impl ClientError {
    /// The address of the server is not usable. Nothing was sent.
    pub(super) fn bad_server() -> Self {
        Self {
            violations: vec![Violation {
                field: "--server".to_owned(),
                rule: "must be a URL such as http://127.0.0.1:50051".to_owned(),
            }],
            ..Self::before_sending(Code::InvalidArgument, "the server's address is not usable")
        }
    }

    /// Nothing answers at the address. Nothing was sent.
    pub(super) fn not_reached(server: &str) -> Self {
        let message = format!("no payonce server answers at {server}; start one: payonce serve");
        Self::before_sending(Code::Unavailable, &message)
    }

    fn before_sending(code: Code, message: &str) -> Self {
        Self {
            code,
            reason: String::new(),
            effect: ErrorEffect::None,
            operation_id: String::new(),
            safe_next_action: SafeNextAction::None,
            violations: Vec::new(),
            retry_after: None,
            message: message.to_owned(),
        }
    }

    /// Reads the details of a status. Unknown values read as the contract says:
    /// the effect as UNDETERMINED, the action as POLL.
    pub(super) fn from_status(status: Status) -> Self {
        let details = status.get_error_details();
        let ours = own_detail(&status);
        let known_effect = ours.as_ref().map(ErrorDetail::effect);
        let effect = known_effect.filter(|effect| *effect != ErrorEffect::Unspecified);
        let known_action = ours.as_ref().map(ErrorDetail::safe_next_action);
        let action = known_action.filter(|action| *action != SafeNextAction::Unspecified);
        let violations = details.bad_request().map(|bad| &bad.field_violations[..]);
        let violation = |violation: &tonic_types::FieldViolation| Violation {
            field: violation.field.clone(),
            rule: violation.description.clone(),
        };
        Self {
            code: status.code(),
            reason: details
                .error_info()
                .map_or_else(String::new, |info| info.reason.clone()),
            effect: effect.unwrap_or(ErrorEffect::Undetermined),
            operation_id: ours.map_or_else(String::new, |detail| detail.operation_id),
            safe_next_action: action.unwrap_or(SafeNextAction::Poll),
            violations: violations
                .unwrap_or_default()
                .iter()
                .map(violation)
                .collect(),
            retry_after: details.retry_info().and_then(|retry| retry.retry_delay),
            message: status.message().to_owned(),
        }
    }

    /// The code's name as gRPC writes it, such as `ALREADY_EXISTS`.
    pub fn code_name(&self) -> &'static str {
        match self.code {
            Code::Ok => "OK",
            Code::Cancelled => "CANCELLED",
            Code::Unknown => "UNKNOWN",
            Code::InvalidArgument => "INVALID_ARGUMENT",
            Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Code::NotFound => "NOT_FOUND",
            Code::AlreadyExists => "ALREADY_EXISTS",
            Code::PermissionDenied => "PERMISSION_DENIED",
            Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Code::FailedPrecondition => "FAILED_PRECONDITION",
            Code::Aborted => "ABORTED",
            Code::OutOfRange => "OUT_OF_RANGE",
            Code::Unimplemented => "UNIMPLEMENTED",
            Code::Internal => "INTERNAL",
            Code::Unavailable => "UNAVAILABLE",
            Code::DataLoss => "DATA_LOSS",
            Code::Unauthenticated => "UNAUTHENTICATED",
        }
    }
}

/// Our own detail among those of a status.
fn own_detail(status: &Status) -> Option<ErrorDetail> {
    let details = tonic_types::pb::Status::decode(status.details())
        .ok()?
        .details;
    let name = ErrorDetail::full_name();
    let ours = details
        .iter()
        .find(|any| any.type_url.rsplit('/').next() == Some(name.as_str()))?;
    ErrorDetail::decode(ours.value.as_slice()).ok()
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = if self.reason.is_empty() {
            self.code_name()
        } else {
            &self.reason
        };
        write!(f, "{reason}: {}", self.message)?;
        for violation in &self.violations {
            write!(f, "\n  {}: {}", violation.field, violation.rule)?;
        }
        Ok(())
    }
}

impl std::error::Error for ClientError {}

#[cfg(test)]
mod tests {
    use prost_types::Any;
    use tonic_types::{ErrorDetails, pb};

    use super::*;

    /// A status as the server makes them: google's details and our own.
    fn status(effect: i32) -> Status {
        let mut details = ErrorDetails::new();
        details
            .set_error_info("INVALID_FIELD", "payonce", [])
            .add_bad_request_violation("amount.minor_units", "must be 1 to 999999999999999")
            .set_retry_info(Some(Duration::from_millis(1500)));
        let google = Status::with_error_details(Code::InvalidArgument, "not accepted", details);
        let mut all = pb::Status::decode(google.details()).expect("details just encoded");
        let ours = ErrorDetail {
            effect,
            operation_id: "0199".to_owned(),
            safe_next_action: SafeNextAction::None.into(),
        };
        all.details.push(Any {
            type_url: ErrorDetail::type_url(),
            value: ours.encode_to_vec(),
        });
        Status::with_details(
            Code::InvalidArgument,
            "not accepted",
            all.encode_to_vec().into(),
        )
    }

    #[test]
    fn every_detail_is_read() {
        let error = ClientError::from_status(status(ErrorEffect::None.into()));
        let expected = ClientError {
            code: Code::InvalidArgument,
            reason: "INVALID_FIELD".to_owned(),
            effect: ErrorEffect::None,
            operation_id: "0199".to_owned(),
            safe_next_action: SafeNextAction::None,
            violations: vec![Violation {
                field: "amount.minor_units".to_owned(),
                rule: "must be 1 to 999999999999999".to_owned(),
            }],
            retry_after: Some(Duration::from_millis(1500)),
            message: "not accepted".to_owned(),
        };
        assert_eq!(error, expected);
        assert_eq!(
            error.to_string(),
            "INVALID_FIELD: not accepted\n  amount.minor_units: must be 1 to 999999999999999"
        );
    }

    #[test]
    fn an_error_from_elsewhere_leaves_the_effect_undetermined() {
        for foreign in [
            Status::cancelled("Timeout expired"),
            Status::with_details(Code::Unknown, "proxy", vec![0xff, 0xff].into()),
            status(0),
            status(99),
        ] {
            let error = ClientError::from_status(foreign);
            assert_eq!(error.effect, ErrorEffect::Undetermined, "{error}");
        }
        let cut = ClientError::from_status(Status::unavailable("connection reset"));
        assert_eq!(cut.safe_next_action, SafeNextAction::Poll);
        assert_eq!(cut.reason, "");
        assert_eq!(cut.to_string(), "UNAVAILABLE: connection reset");
    }

    #[tokio::test]
    async fn an_address_that_is_none_or_answers_nothing_sends_nothing() {
        for (server, code) in [
            ("nonsense", Code::InvalidArgument),
            ("https://127.0.0.1:1", Code::InvalidArgument),
            ("http://127.0.0.1:1", Code::Unavailable),
        ] {
            let error = super::super::Client::connect(server)
                .await
                .expect_err("nobody is there");
            assert_eq!((error.code, error.effect), (code, ErrorEffect::None));
        }
    }
}
