use std::time::Duration;

use prost_types::{Duration as WireDuration, Timestamp};

use super::super::{Target, compensate, get_status, history, list, submit, watch};
use super::{CARD, ID, fields};
use crate::api::page_token;
use crate::domain::ids::OperationId;
use crate::domain::reference::TenantId;
use crate::domain::request::CompensationReason;
use crate::domain::state::State;
use crate::domain::time::Instant;
use crate::engine::ListFilter;
use crate::proto::v1;
use crate::proto::v1::get_status_request::Target as WireTarget;

fn tenant() -> TenantId {
    TenantId::parse("default").expect("a reference")
}

fn wait_of(seconds: i64, nanos: i32) -> Result<Option<Duration>, Vec<&'static str>> {
    let read = submit(v1::SubmitRequest {
        operation_id: ID.to_owned(),
        wait: Some(WireDuration { seconds, nanos }),
    });
    match read {
        Ok(read) => Ok(read.wait),
        Err(malformed) => Err(fields(Err::<(), _>(malformed))),
    }
}

#[test]
fn a_wait_is_zero_or_more() {
    assert_eq!(wait_of(0, 0), Ok(Some(Duration::ZERO)));
    assert_eq!(wait_of(1, 500), Ok(Some(Duration::new(1, 500))));
    assert_eq!(
        wait_of(i64::MAX, 999_999_999),
        Ok(Some(Duration::new(i64::MAX.unsigned_abs(), 999_999_999)))
    );
    for (seconds, nanos) in [
        (-1, 0),
        (0, -1),
        (1, -1),
        (0, 1_000_000_000),
        (i64::MIN, i32::MIN),
    ] {
        assert_eq!(
            wait_of(seconds, nanos),
            Err(vec!["wait"]),
            "{seconds} {nanos}"
        );
    }
}

#[test]
fn every_request_about_one_operation_needs_its_id() {
    for text in ["", "x", CARD] {
        let id = || text.to_owned();
        let all = [
            fields(submit(v1::SubmitRequest {
                operation_id: id(),
                wait: None,
            })),
            fields(history(&v1::GetHistoryRequest { operation_id: id() })),
            fields(watch(&v1::WatchOperationRequest {
                operation_id: id(),
                after_version: 0,
            })),
            fields(get_status(v1::GetStatusRequest {
                target: Some(WireTarget::OperationId(id())),
                ..v1::GetStatusRequest::default()
            })),
        ];
        for found in all {
            assert_eq!(found, ["operation_id"], "{text:?}");
        }
    }
}

#[test]
fn status_is_asked_by_id_or_by_reference() {
    assert_eq!(
        fields(get_status(v1::GetStatusRequest::default())),
        ["target"]
    );
    let by = |generation, purpose: &str| v1::GetStatusRequest {
        target: Some(WireTarget::Reference(v1::OperationReference {
            order_id: "8472".to_owned(),
            purpose: purpose.to_owned(),
            generation,
        })),
        ..v1::GetStatusRequest::default()
    };
    for (generation, read) in [(0, None), (2, Some(2))] {
        let asked = get_status(by(generation, "")).expect("good");
        let Target::Reference {
            order_id,
            purpose,
            generation,
        } = asked.target
        else {
            panic!("by reference");
        };
        assert_eq!(order_id.as_str(), "8472");
        assert_eq!((purpose, generation), (None, read));
    }
    let bad = get_status(v1::GetStatusRequest {
        after_version: -1,
        ..by(-1, "a b")
    });
    assert_eq!(
        fields(bad),
        ["reference.purpose", "reference.generation", "after_version"]
    );
}

#[test]
fn a_negative_version_is_refused_by_watch() {
    let bad = watch(&v1::WatchOperationRequest {
        operation_id: ID.to_owned(),
        after_version: i64::MIN,
    });
    assert_eq!(fields(bad), ["after_version"]);
}

#[test]
fn a_compensation_has_a_reason_and_a_label() {
    let empty = compensate(v1::CompensateRequest::default());
    assert_eq!(fields(empty), ["operation_id", "reason", "label"]);
    let good = v1::CompensateRequest {
        operation_id: ID.to_owned(),
        reason: v1::CompensationReason::Duplicate.into(),
        label: "refund-1".to_owned(),
        provider_payment_id: "pay_1".to_owned(),
        when_resolved: true,
        ..v1::CompensateRequest::default()
    };
    let request = compensate(good.clone()).expect("good").request;
    assert_eq!(request.reason, CompensationReason::Duplicate);
    assert_eq!((request.amount, request.when_resolved), (None, true));
    let payment = request.provider_payment_id.expect("given");
    assert_eq!(payment.as_str(), "pay_1");
    let bad = compensate(v1::CompensateRequest {
        reason: 99,
        label: CARD.to_owned(),
        amount: Some(v1::Money::default()),
        provider_payment_id: "pay 1".to_owned(),
        ..good
    });
    assert_eq!(
        fields(bad),
        [
            "reason",
            "label",
            "amount.currency_code",
            "amount.minor_units",
            "provider_payment_id"
        ]
    );
}

#[test]
fn a_page_has_a_size_within_bounds() {
    for (asked, size) in [(0, 50), (1, 1), (500, 500), (501, 500), (i32::MAX, 500)] {
        let request = v1::ListOperationsRequest {
            page_size: asked,
            ..v1::ListOperationsRequest::default()
        };
        let read = list(&tenant(), request).expect("good");
        assert_eq!(read.size, size, "{asked}");
    }
    let negative = v1::ListOperationsRequest {
        page_size: -1,
        ..v1::ListOperationsRequest::default()
    };
    assert_eq!(fields(list(&tenant(), negative)), ["page_size"]);
}

#[test]
fn filters_are_read_whatever_their_order() {
    let request = v1::ListOperationsRequest {
        states: vec![10, 4, 4],
        order_id: "8472".to_owned(),
        created_from: Some(at(1, 1)),
        created_before: Some(at(-1, 999_999_999)),
        ..v1::ListOperationsRequest::default()
    };
    let filter = list(&tenant(), request).expect("good").filter;
    assert_eq!(filter.states, [State::Unknown, State::Canceled]);
    assert_eq!(filter.created_from, Some(Instant(1_000_001)));
    assert_eq!(filter.created_before, Some(Instant(0)));
    let bad = v1::ListOperationsRequest {
        states: vec![0, 12, -1],
        order_id: "a b".to_owned(),
        created_from: Some(at(i64::MAX, 0)),
        created_before: Some(at(0, -1)),
        ..v1::ListOperationsRequest::default()
    };
    assert_eq!(
        fields(list(&tenant(), bad)),
        ["states", "order_id", "created_from", "created_before"]
    );
}

fn at(seconds: i64, nanos: i32) -> Timestamp {
    Timestamp { seconds, nanos }
}

#[test]
fn a_token_goes_on_in_its_own_list_only() {
    let place = (Instant(5), OperationId(uuid::Uuid::from_u128(7)));
    let filter = ListFilter {
        states: vec![State::Unknown, State::Canceled],
        ..ListFilter::default()
    };
    let token = page_token::write(place, &tenant(), &filter);
    let with_states = |states: Vec<i32>| v1::ListOperationsRequest {
        states,
        page_token: token.clone(),
        ..v1::ListOperationsRequest::default()
    };
    let read = list(&tenant(), with_states(vec![10, 4])).expect("the same list");
    assert_eq!(read.after, Some(place));
    let other = list(&tenant(), with_states(vec![10]));
    assert_eq!(fields(other), ["page_token"]);
}
