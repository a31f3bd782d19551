use payonce::proto::v1;
use payonce::proto::v1::{Fulfilment, Outcome, SafeNextAction};

use super::desk::{Desk, Setup, by_id, charge, detail, fields, reason, recorded};
use crate::lab::database::{TestDatabase, both_databases};

both_databases!(
    one_round_trip_pays_and_a_repeat_only_tells,
    |database| async {
        let mut desk = Desk::open(database, Setup::default()).await;
        let request = charge("8472", "pm_ok");
        let first = desk.client.create_operation(request.clone()).await.unwrap();
        let first = first.into_inner();
        assert!(!first.replayed);
        let paid = first.operation.unwrap();
        assert_eq!(paid.outcome(), Outcome::Succeeded);
        assert_eq!(paid.safe_next_action(), SafeNextAction::FulfilOnce);
        assert_eq!(paid.fulfilment(), Fulfilment::Allowed);
        assert_eq!(paid.captured.as_ref().unwrap().minor_units, 4900);
        assert!(paid.r#final && paid.poll_after.is_none());

        let again = desk.client.create_operation(request).await.unwrap();
        let again = again.into_inner();
        assert!(again.replayed);
        assert_eq!(again.operation, Some(paid));
        desk.close().await;
    }
);

#[tokio::test]
async fn create_records_submit_pays_status_tells() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::default()).await;
    let created = desk.client.create_operation(recorded("1", "pm_ok")).await;
    let created = created.unwrap().into_inner().operation.unwrap();
    assert_eq!(created.outcome(), Outcome::NotSubmitted);
    assert_eq!(created.safe_next_action(), SafeNextAction::Submit);
    assert_eq!((created.version, created.attempt_count), (1, 0));

    let submit = v1::SubmitRequest {
        operation_id: created.operation_id.clone(),
        wait: None,
    };
    let paid = desk.client.submit(submit).await.unwrap().into_inner();
    let paid = paid.operation.unwrap();
    assert_eq!(paid.outcome(), Outcome::Succeeded);
    assert_eq!(paid.operation_id, created.operation_id);

    let found = desk.client.get_status(by_id(&created.operation_id)).await;
    assert_eq!(found.unwrap().into_inner().operation.unwrap(), paid);
    for (purpose, generation) in [("", 0), ("purchase", 1)] {
        let reference = v1::OperationReference {
            order_id: "1".to_owned(),
            purpose: purpose.to_owned(),
            generation,
        };
        let request = v1::GetStatusRequest {
            target: Some(v1::get_status_request::Target::Reference(reference)),
            ..v1::GetStatusRequest::default()
        };
        let found = desk.client.get_status(request).await.unwrap().into_inner();
        assert_eq!(found.operation.unwrap(), paid);
    }
    desk.close().await;
}

#[tokio::test]
async fn a_decline_is_an_answer_and_the_next_generation_is_linked() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::default()).await;
    let declined = desk
        .client
        .create_operation(charge("2", "pm_declined"))
        .await;
    let declined = declined.unwrap().into_inner().operation.unwrap();
    assert_eq!(declined.outcome(), Outcome::Declined);
    let next = declined.safe_next_action();
    assert_eq!(next, SafeNextAction::OfferAnotherMethod);
    assert_ne!(declined.decline.unwrap().category, 0);

    let again = v1::CreateOperationRequest {
        supersedes_operation_id: declined.operation_id.clone(),
        ..charge("2", "pm_ok")
    };
    let paid = desk.client.create_operation(again).await.unwrap();
    let paid = paid.into_inner().operation.unwrap();
    assert_eq!((paid.outcome(), paid.generation), (Outcome::Succeeded, 2));
    assert_eq!(paid.supersedes, declined.operation_id);
    let old = desk.client.get_status(by_id(&declined.operation_id)).await;
    let old = old.unwrap().into_inner().operation.unwrap();
    assert_eq!(old.superseded_by, paid.operation_id);
    assert_eq!(old.safe_next_action(), SafeNextAction::None);
    desk.close().await;
}

#[tokio::test]
async fn other_terms_under_one_name_are_refused_by_field() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::default()).await;
    let first = desk.client.create_operation(recorded("3", "pm_ok")).await;
    let first = first.unwrap().into_inner().operation.unwrap();
    let mut other = charge("3", "pm_ok");
    other.amount.as_mut().unwrap().minor_units = 4901;
    let refused = desk.client.create_operation(other).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::AlreadyExists);
    assert_eq!(reason(&refused), "KEY_REUSED_FOR_DIFFERENT_REQUEST");
    assert_eq!(fields(&refused), ["amount"]);
    let detail = detail(&refused);
    assert_eq!(detail.effect(), v1::ErrorEffect::ExistingOperation);
    assert_eq!(detail.operation_id, first.operation_id);
    let stands = desk.client.get_status(by_id(&first.operation_id)).await;
    assert_eq!(stands.unwrap().into_inner().operation.unwrap(), first);
    desk.close().await;
}

both_databases!(the_history_is_a_chain_of_all_changes, |database| async {
    let mut desk = Desk::open(database, Setup::default()).await;
    let paid = desk.client.create_operation(charge("4", "pm_ok")).await;
    let paid = paid.unwrap().into_inner().operation.unwrap();
    let request = v1::GetHistoryRequest {
        operation_id: paid.operation_id.clone(),
    };
    let history = desk.client.get_history(request).await.unwrap().into_inner();
    assert_eq!(history.operation.unwrap(), paid);
    let versions: Vec<i64> = history.entries.iter().map(|entry| entry.version).collect();
    assert_eq!(versions, (1..=paid.version).collect::<Vec<_>>());
    let last = history.entries.last().unwrap();
    assert_eq!(last.state_after(), v1::OperationState::Succeeded);
    for pair in history.entries.windows(2) {
        assert_eq!(pair[1].previous_hash, pair[0].hash);
        assert_eq!(pair[1].state_before, pair[0].state_after);
    }
    desk.close().await;
});
