//! The table of errors of the contract, row by row.

use tonic_types::ErrorInfo;

use super::*;
use crate::domain::reference::ProviderAccount;
use crate::domain::state::State;

fn id() -> OperationId {
    OperationId(uuid::Uuid::from_u128(0x0190))
}

/// Our own detail of a status, as a client finds it.
pub(in crate::api) fn detail(status: &Status) -> ErrorDetail {
    let full = tonic_types::Status::decode(status.details()).expect("google.rpc.Status");
    assert_eq!(full.code, status.code() as i32);
    assert_eq!(full.message, status.message());
    let ours = full.details.iter().find(|any| any.type_url == DETAIL_TYPE);
    ErrorDetail::decode(ours.expect("always there").value.as_slice()).expect("ErrorDetail")
}

pub(in crate::api) fn info(status: &Status) -> ErrorInfo {
    let info = status.get_details_error_info();
    let info = info.expect("always there");
    assert_eq!(info.domain, "payonce");
    info
}

fn of(refusal: Refusal) -> Status {
    of_engine(refusal.into())
}

#[track_caller]
fn check(status: &Status, code: Code, reason: &str, effect: ErrorEffect) {
    assert_eq!(status.code(), code, "{reason}");
    assert_eq!(info(status).reason, reason);
    assert_eq!(detail(status).effect(), effect, "{reason}");
}

#[test]
fn a_refusal_about_an_operation_names_it_and_says_poll() {
    let operation_id = id();
    let fields = vec!["amount".to_owned(), "payee".to_owned()];
    let rows = [
        (
            Refusal::KeyReused {
                operation_id,
                fields,
            },
            Code::AlreadyExists,
            "KEY_REUSED_FOR_DIFFERENT_REQUEST",
        ),
        (
            Refusal::Unresolved { operation_id },
            Code::FailedPrecondition,
            "OPERATION_UNRESOLVED",
        ),
        (
            Refusal::NotSupersedable { operation_id },
            Code::FailedPrecondition,
            "NOT_SUPERSEDABLE",
        ),
        (
            Refusal::NotConfirmed { operation_id },
            Code::FailedPrecondition,
            "OUTCOME_NOT_CONFIRMED",
        ),
        (
            Refusal::ExceedsCaptured { operation_id },
            Code::FailedPrecondition,
            "REFUND_EXCEEDS_CAPTURED",
        ),
    ];
    for (refusal, code, reason) in rows {
        let status = of(refusal);
        check(&status, code, reason, ErrorEffect::ExistingOperation);
        let detail = detail(&status);
        assert_eq!(detail.operation_id, id().to_string());
        assert_eq!(detail.safe_next_action(), SafeNextAction::Poll);
        assert!(status.get_details_retry_info().is_none());
    }
}

#[test]
fn a_key_reused_names_the_fields_that_differ() {
    let status = of(Refusal::KeyReused {
        operation_id: id(),
        fields: vec!["amount".to_owned(), "payee".to_owned()],
    });
    let request = status.get_details_bad_request().expect("violations");
    let fields: Vec<&str> = request
        .field_violations
        .iter()
        .map(|it| it.field.as_str())
        .collect();
    assert_eq!(fields, ["amount", "payee"]);
}

#[test]
fn nothing_is_recorded_of_what_is_malformed_or_not_found() {
    let status = of(Refusal::NotFound);
    check(
        &status,
        Code::NotFound,
        "OPERATION_NOT_FOUND",
        ErrorEffect::None,
    );
    assert_eq!(detail(&status).operation_id, "");

    let status = of(Refusal::InvalidField {
        field: "provider",
        rule: "must name one of the configured provider accounts".to_owned(),
    });
    check(
        &status,
        Code::InvalidArgument,
        "INVALID_FIELD",
        ErrorEffect::None,
    );
    let request = status.get_details_bad_request().expect("violations");
    assert_eq!(request.field_violations[0].field, "provider");

    for (card_number, reason) in [(false, "INVALID_FIELD"), (true, "CARD_NUMBER_REFUSED")] {
        let violation = |field| Violation {
            field,
            rule: "must be given".into(),
        };
        let status = super::malformed(Malformed {
            violations: vec![violation("order_id"), violation("amount.minor_units")],
            card_number,
        });
        check(&status, Code::InvalidArgument, reason, ErrorEffect::None);
        let request = status.get_details_bad_request().expect("violations");
        assert_eq!(request.field_violations.len(), 2);
        assert_eq!(request.field_violations[1].field, "amount.minor_units");
        assert_eq!(request.field_violations[1].description, "must be given");
    }
}

#[test]
fn what_can_pass_says_when_to_come_back() {
    let unavailable = of_engine(StoreError::Unavailable("SELECT secret".to_owned()).into());
    check(
        &unavailable,
        Code::Unavailable,
        "STORE_UNAVAILABLE",
        ErrorEffect::None,
    );
    let lost = of_engine(StoreError::Undetermined.into());
    check(
        &lost,
        Code::Unavailable,
        "STORE_UNAVAILABLE",
        ErrorEffect::Undetermined,
    );
    let full = overloaded();
    check(
        &full,
        Code::ResourceExhausted,
        "OVERLOADED",
        ErrorEffect::None,
    );
    let contended = of_engine(EngineError::Contended);
    check(&contended, Code::Aborted, "CONTENDED", ErrorEffect::None);
    for status in [unavailable, lost, full, contended, stopping()] {
        let retry = status.get_details_retry_info().expect("a pause");
        assert!(retry.retry_delay.is_some_and(|pause| !pause.is_zero()));
        assert_eq!(detail(&status).safe_next_action(), SafeNextAction::Poll);
    }
}

#[test]
fn what_is_broken_claims_nothing_and_tells_nothing() {
    let secret = "relation \"operations\" password=hunter2";
    let account = ProviderAccount::parse("cards").expect("a reference");
    let all = [
        of_engine(StoreError::Invariant(secret.to_owned()).into()),
        of_engine(
            StoreError::Corrupt {
                table: "operations",
                id: secret.to_owned(),
                what: secret.to_owned(),
            }
            .into(),
        ),
        of_engine(EngineError::UnknownAccount(account)),
        of(Refusal::NoPlace(State::Created)),
        panicked(),
    ];
    for status in all {
        check(
            &status,
            Code::Internal,
            "INTERNAL",
            ErrorEffect::Undetermined,
        );
        let whole = format!("{status:?}");
        assert!(!whole.contains("hunter2") && !whole.contains("operations"));
        assert!(!String::from_utf8_lossy(status.details()).contains("hunter2"));
    }
    let unavailable = of_engine(StoreError::Unavailable(secret.to_owned()).into());
    assert!(!format!("{unavailable:?}").contains("hunter2"));
}

#[test]
fn what_the_transport_refused_was_not_recorded() {
    for (code, told, reason) in [
        (Code::OutOfRange, Code::InvalidArgument, "INVALID_FIELD"),
        (Code::Internal, Code::InvalidArgument, "INVALID_FIELD"),
        (Code::Unimplemented, Code::Unimplemented, "NOT_IMPLEMENTED"),
    ] {
        let status = unread(&Status::new(code, "tonic's own text"));
        check(&status, told, reason, ErrorEffect::None);
        assert!(!status.message().contains("tonic"));
    }
}

#[test]
fn a_call_without_a_caller_is_refused() {
    check(
        &unidentified(),
        Code::Unauthenticated,
        "SCOPE_MISSING",
        ErrorEffect::None,
    );
}
