//! The contract as descriptors, and its JSON form.

use prost_reflect::{DescriptorPool, FileDescriptor, MessageDescriptor};
use prost_types::source_code_info::Location;
use prost_types::{Duration, Timestamp};
use serde_json::json;

use super::v1::{
    CompensationSummary, CreateOperationRequest, LedgerEntry, Money, Operation, OperationKind,
    OperationState, Outcome, get_status_request::Target,
};
use super::{FILE_DESCRIPTOR_SET, JsonError, POOL, json::prefix, to_json, v1};

fn ours(pool: &DescriptorPool) -> Vec<FileDescriptor> {
    let files: Vec<_> = pool
        .files()
        .filter(|file| file.package_name() == "payonce.v1")
        .collect();
    assert!(files.len() > 5, "the contract has more files: {files:?}");
    files
}

/// The paths of everything in a file that has a name of its own, each with
/// that name.
fn named(file: &FileDescriptor) -> Vec<(Vec<i32>, String)> {
    let mut found = Vec::new();
    for message in file.messages() {
        named_in(&message, &mut found);
    }
    for enumeration in file.enums() {
        let path = enumeration.path().to_vec();
        found.push((path, enumeration.full_name().to_owned()));
        let values = enumeration.values();
        found.extend(values.map(|v| (v.path().to_vec(), v.full_name().to_owned())));
    }
    for service in file.services() {
        let path = service.path().to_vec();
        found.push((path, service.full_name().to_owned()));
        let methods = service.methods();
        found.extend(methods.map(|m| (m.path().to_vec(), m.full_name().to_owned())));
    }
    found
}

fn named_in(message: &MessageDescriptor, found: &mut Vec<(Vec<i32>, String)>) {
    if message.is_map_entry() {
        return;
    }
    let path = message.path().to_vec();
    found.push((path, message.full_name().to_owned()));
    let fields = message.fields();
    found.extend(fields.map(|f| (f.path().to_vec(), f.full_name().to_owned())));
    let oneofs = message.oneofs();
    found.extend(oneofs.map(|o| (o.path().to_vec(), o.full_name().to_owned())));
    for child in message.child_messages() {
        named_in(&child, found);
    }
    assert_eq!(message.child_enums().count(), 0, "walk them too");
}

fn uncommented(pool: &DescriptorPool) -> Vec<String> {
    let mut missing = Vec::new();
    for file in ours(pool) {
        let info = file.file_descriptor_proto().source_code_info.as_ref();
        let locations: &[Location] = info.map_or(&[], |info| &info.location);
        for (path, name) in named(&file) {
            let comment = locations
                .iter()
                .find(|location| location.path == path)
                .map_or("", |location| location.leading_comments());
            if comment.trim().is_empty() {
                missing.push(name);
            }
        }
    }
    missing
}

#[test]
fn everything_in_the_contract_has_a_comment() {
    assert_eq!(uncommented(&POOL), Vec::<String>::new());
}

#[test]
fn a_missing_comment_is_noticed() {
    let decoded: Result<prost_types::FileDescriptorSet, _> =
        prost::Message::decode(FILE_DESCRIPTOR_SET);
    let mut set = decoded.expect("a descriptor set");
    for file in &mut set.file {
        if file.name() == "payonce/v1/money.proto" {
            let info = file.source_code_info.as_mut().expect("source info");
            // Path of the second field of the first message.
            info.location.retain(|l| l.path != [4, 0, 2, 1]);
        }
    }
    let pool = DescriptorPool::from_file_descriptor_set(set).expect("a pool");
    assert_eq!(uncommented(&pool), ["payonce.v1.Money.minor_units"]);
}

#[test]
fn the_operation_service_has_its_eight_rpcs() {
    let service = POOL
        .get_service_by_name("payonce.v1.OperationService")
        .expect("the service");
    let names: Vec<String> = service.methods().map(|m| m.name().to_owned()).collect();
    let expected = [
        "CreateOperation",
        "Submit",
        "GetStatus",
        "Compensate",
        "WatchOperation",
        "ListOperations",
        "GetHistory",
        "StreamEvents",
    ];
    assert_eq!(names, expected);
    for method in service.methods() {
        assert_eq!(
            method.input().name(),
            format!("{}Request", method.name()),
            "an rpc has a request of its own"
        );
        assert_eq!(
            method.output().name(),
            format!("{}Response", method.name()),
            "an rpc has a response of its own"
        );
    }
}

#[test]
fn every_enum_value_begins_with_the_prefix_of_its_enum() {
    for enumeration in POOL.all_enums() {
        if enumeration.package_name() != "payonce.v1" {
            continue;
        }
        let prefix = prefix(&enumeration);
        assert!(prefix.ends_with('_'), "{}", enumeration.full_name());
        for value in enumeration.values() {
            assert!(value.name().starts_with(&prefix), "{}", value.full_name());
        }
    }
}

fn operation() -> Operation {
    Operation {
        operation_id: "0193a1c0-0000-7000-8000-000000000001".into(),
        kind: OperationKind::Charge.into(),
        state: OperationState::Unknown.into(),
        outcome: Outcome::Pending.into(),
        version: 9_007_199_254_740_993,
        amount: Some(Money {
            currency_code: "USD".into(),
            minor_units: 4900,
        }),
        compensations: vec![CompensationSummary {
            kind: OperationKind::Refund.into(),
            ..CompensationSummary::default()
        }],
        created_at: Some(Timestamp {
            seconds: 1_764_547_200,
            nanos: 0,
        }),
        poll_after: Some(Duration {
            seconds: 1,
            nanos: 500_000_000,
        }),
        ..Operation::default()
    }
}

#[test]
fn json_has_snake_case_names_and_short_enum_values_at_every_depth() {
    let value = to_json(&operation()).expect("JSON");
    assert_eq!(value["kind"], "CHARGE");
    assert_eq!(value["state"], "UNKNOWN");
    assert_eq!(value["outcome"], "PENDING");
    assert_eq!(value["compensations"][0]["kind"], "REFUND");
    assert_eq!(value["compensations"][0]["outcome"], "UNSPECIFIED");
    assert_eq!(
        value["operation_id"],
        "0193a1c0-0000-7000-8000-000000000001"
    );
}

#[test]
fn json_carries_64_bit_integers_times_and_bytes_as_strings() {
    let value = to_json(&operation()).expect("JSON");
    assert_eq!(value["version"], "9007199254740993");
    assert_eq!(
        value["amount"],
        json!({"currency_code": "USD", "minor_units": "4900"})
    );
    assert_eq!(value["attempt_count"], 0);
    assert_eq!(value["created_at"], "2025-12-01T00:00:00Z");
    assert_eq!(value["poll_after"], "1.500s");
    let entry = LedgerEntry {
        hash: vec![0xff; 3],
        ..LedgerEntry::default()
    };
    assert_eq!(to_json(&entry).expect("JSON")["hash"], "////");
}

#[test]
fn json_shows_zero_scalars_and_empty_lists_but_no_absent_message() {
    let value = to_json(&operation()).expect("JSON");
    assert_eq!(value["final"], false);
    assert_eq!(value["provider_payment_id"], "");
    assert_eq!(value["safe_next_action"], "UNSPECIFIED");
    assert_eq!(value["effects"], json!([]));
    assert_eq!(value.get("decline"), None);
    assert_eq!(value.get("settled_at"), None);
}

#[test]
fn json_shows_an_unknown_enum_value_as_its_number() {
    let mut newer = operation();
    newer.outcome = 4711;
    assert_eq!(to_json(&newer).expect("JSON")["outcome"], 4711);
}

#[test]
fn json_leaves_maps_of_the_caller_as_they_are() {
    let request = CreateOperationRequest {
        labels: [("outcome".to_owned(), "OUTCOME_PENDING".to_owned())].into(),
        ..CreateOperationRequest::default()
    };
    let value = to_json(&request).expect("JSON");
    assert_eq!(value["labels"], json!({"outcome": "OUTCOME_PENDING"}));
}

#[test]
fn json_shows_only_the_chosen_member_of_a_oneof() {
    let request = v1::GetStatusRequest {
        target: Some(Target::OperationId("x".into())),
        ..v1::GetStatusRequest::default()
    };
    let value = to_json(&request).expect("JSON");
    assert_eq!(value["operation_id"], "x");
    assert_eq!(value.get("reference"), None);
}

#[test]
fn a_time_that_json_cannot_express_is_an_error() {
    let mut odd = operation();
    odd.as_of = Some(Timestamp {
        seconds: i64::MAX,
        nanos: 0,
    });
    let refused = to_json(&odd);
    assert!(
        matches!(refused, Err(JsonError::Inexpressible { .. })),
        "{refused:?}"
    );
}
