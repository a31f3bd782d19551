use payonce::proto::v1;
use prost::Message;
use tonic::{Code, Request};

use super::desk::{Desk, Setup, by_id, charge, detail, fields, reason};
use crate::lab::database::{TestDatabase, both_databases};

both_databases!(
    bad_input_is_refused_whole_and_leaves_nothing,
    |database| async {
        let mut desk = Desk::open(database, Setup::default()).await;
        let bad = v1::CreateOperationRequest {
            order_id: "a b".to_owned(),
            amount: Some(v1::Money {
                currency_code: "ZZZ".to_owned(),
                minor_units: 0,
            }),
            ..charge("", "pm_ok")
        };
        let refused = desk.client.create_operation(bad).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert_eq!(reason(&refused), "INVALID_FIELD");
        let found = fields(&refused);
        let expected = ["order_id", "amount.currency_code", "amount.minor_units"];
        assert_eq!(found, expected);

        let card = v1::CreateOperationRequest {
            description: "4111 1111 1111 1111".to_owned(),
            ..charge("1", "pm_ok")
        };
        let refused = desk.client.create_operation(card).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert_eq!(reason(&refused), "CARD_NUMBER_REFUSED");
        assert!(!format!("{refused:?}").contains("1111"));

        for (purpose, provider, field) in [("other", "", "purpose"), ("", "other", "provider")] {
            let unlisted = v1::CreateOperationRequest {
                purpose: purpose.to_owned(),
                provider: provider.to_owned(),
                ..charge("1", "pm_ok")
            };
            let refused = desk.client.create_operation(unlisted).await.unwrap_err();
            assert_eq!(refused.code(), Code::InvalidArgument);
            assert_eq!(fields(&refused), [field]);
            assert_eq!(detail(&refused).effect(), v1::ErrorEffect::None);
        }
        let all = v1::ListOperationsRequest::default();
        let left = desk.client.list_operations(all).await.unwrap().into_inner();
        assert_eq!(left.operations, []);
        desk.close().await;
    }
);

#[tokio::test]
async fn what_is_not_there_is_not_found_by_every_rpc() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::default()).await;
    let id = uuid::Uuid::now_v7().to_string();
    let submit = v1::SubmitRequest {
        operation_id: id.clone(),
        wait: None,
    };
    let compensate = v1::CompensateRequest {
        operation_id: id.clone(),
        reason: v1::CompensationReason::Other.into(),
        label: "r".to_owned(),
        ..v1::CompensateRequest::default()
    };
    let watch = v1::WatchOperationRequest {
        operation_id: id.clone(),
        after_version: 0,
    };
    let history = v1::GetHistoryRequest {
        operation_id: id.clone(),
    };
    let client = &mut desk.client;
    let all = [
        client.get_status(by_id(&id)).await.map(drop),
        client.submit(submit).await.map(drop),
        client.compensate(compensate).await.map(drop),
        client.watch_operation(watch).await.map(drop),
        client.get_history(history).await.map(drop),
    ];
    for answer in all {
        let refused = answer.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
        assert_eq!(reason(&refused), "OPERATION_NOT_FOUND");
        assert_eq!(detail(&refused).effect(), v1::ErrorEffect::None);
    }
    desk.close().await;
}

#[tokio::test]
async fn events_are_not_streamed_yet_and_it_says_so() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::default()).await;
    let request = v1::StreamEventsRequest::default();
    let refused = desk.client.stream_events(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unimplemented);
    assert_eq!(reason(&refused), "NOT_IMPLEMENTED");
    assert!(refused.message().contains("WatchOperation"));
    desk.close().await;
}

/// Field 1 as bytes: what a broken client can put where text belongs.
#[derive(Clone, PartialEq, Message)]
struct Raw {
    #[prost(bytes = "vec", tag = "1")]
    order_id: Vec<u8>,
}

/// Sends a message that the generated client cannot make.
async fn send_raw(desk: &Desk, rpc: &'static str, message: Raw) -> tonic::Status {
    let mut client = tonic::client::Grpc::new(desk.channel.clone());
    client.ready().await.unwrap();
    let codec = tonic_prost::ProstCodec::<Raw, v1::CreateOperationResponse>::default();
    let path = http::uri::PathAndQuery::from_static(rpc);
    let answer = client.unary(Request::new(message), path, codec).await;
    answer.expect_err("must be refused")
}

#[tokio::test]
async fn what_cannot_be_read_is_the_callers_fault_and_records_nothing() {
    let desk = Desk::open(TestDatabase::sqlite(), Setup::default()).await;
    let create = "/payonce.v1.OperationService/CreateOperation";
    let no_text = Raw {
        order_id: vec![0xff, 0xfe],
    };
    let huge = Raw {
        order_id: vec![b'x'; 64 * 1024],
    };
    for message in [no_text, huge] {
        let refused = send_raw(&desk, create, message).await;
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused:?}");
        assert_eq!(reason(&refused), "INVALID_FIELD");
        assert_eq!(detail(&refused).effect(), v1::ErrorEffect::None);
    }
    let unknown = "/payonce.v1.OperationService/Unheard";
    let refused = send_raw(&desk, unknown, Raw::default()).await;
    assert_eq!(refused.code(), Code::Unimplemented);
    assert_eq!(detail(&refused).effect(), v1::ErrorEffect::None);
    desk.close().await;
}
