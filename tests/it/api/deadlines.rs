use std::time::Duration;

use payonce::proto::v1;
use payonce::proto::v1::{Outcome, SafeNextAction};
use tonic::Request;

use super::desk::{Desk, Setup, by_id, charge, recorded, until, wait};
use crate::lab::database::TestDatabase;

#[track_caller]
fn pending(operation: Option<v1::Operation>) -> v1::Operation {
    let operation = operation.expect("always there");
    assert_eq!(operation.outcome(), Outcome::Pending);
    assert_eq!(operation.safe_next_action(), SafeNextAction::Poll);
    assert!(operation.poll_after.is_some());
    operation
}

/// tonic answers CANCELLED at the caller's deadline; ours comes before.
#[tokio::test]
async fn the_callers_deadline_ends_in_a_state_and_not_in_an_error() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::never_looking()).await;
    let mut request = Request::new(charge("1", "pm_drop_response"));
    request.set_timeout(Duration::from_secs(3));
    let answer = desk.client.create_operation(request).await.unwrap();
    pending(answer.into_inner().operation);
    desk.close().await;
}

#[tokio::test]
async fn a_deadline_within_the_margin_is_answered_at_once() {
    let setup = Setup {
        caller_margin: Duration::from_secs(20),
        ..Setup::never_looking()
    };
    let mut desk = Desk::open(TestDatabase::sqlite(), setup).await;
    let created = desk
        .client
        .create_operation(recorded("2", "pm_drop_response"));
    let created = created.await.unwrap().into_inner().operation.unwrap();
    let submit = v1::SubmitRequest {
        operation_id: created.operation_id.clone(),
        wait: None,
    };
    let mut request = Request::new(submit);
    request.set_timeout(Duration::from_secs(15));
    pending(
        desk.client
            .submit(request)
            .await
            .unwrap()
            .into_inner()
            .operation,
    );

    let poll = v1::GetStatusRequest {
        wait: wait(Duration::from_secs(60)),
        ..by_id(&created.operation_id)
    };
    let mut request = Request::new(poll);
    request.set_timeout(Duration::from_secs(15));
    pending(
        desk.client
            .get_status(request)
            .await
            .unwrap()
            .into_inner()
            .operation,
    );
    desk.close().await;
}

#[tokio::test]
async fn the_agent_deadline_and_the_requests_own_wait_end_a_call() {
    let setup = Setup {
        agent_deadline: Duration::from_secs(1),
        ..Setup::never_looking()
    };
    let mut desk = Desk::open(TestDatabase::sqlite(), setup).await;
    let answer = desk
        .client
        .create_operation(charge("3", "pm_drop_response"));
    let operation = pending(answer.await.unwrap().into_inner().operation);
    for span in [Duration::ZERO, Duration::from_millis(1), Duration::MAX / 4] {
        let submit = v1::SubmitRequest {
            operation_id: operation.operation_id.clone(),
            wait: wait(span.min(Duration::from_secs(3600))),
        };
        pending(
            desk.client
                .submit(submit)
                .await
                .unwrap()
                .into_inner()
                .operation,
        );
    }
    desk.close().await;
}

#[tokio::test]
async fn a_caller_that_goes_away_changes_nothing() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::default()).await;
    let created = desk.client.create_operation(recorded("4", "pm_slow")).await;
    let created = created.unwrap().into_inner().operation.unwrap();
    let mut gone = desk.client.clone();
    let submit = v1::SubmitRequest {
        operation_id: created.operation_id.clone(),
        wait: None,
    };
    let call = tokio::spawn(async move { gone.submit(submit).await });
    let handed_over = |it: &v1::Operation| it.outcome() == Outcome::Pending;
    until(&mut desk.client, &created.operation_id, handed_over).await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    let settled = |it: &v1::Operation| it.outcome() == Outcome::Succeeded;
    let paid = until(&mut desk.client, &created.operation_id, settled).await;
    assert_eq!(paid.attempt_count, 1);
    desk.close().await;
}

#[tokio::test]
async fn a_long_poll_ends_with_news() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::default()).await;
    let created = desk.client.create_operation(recorded("5", "pm_ok")).await;
    let created = created.unwrap().into_inner().operation.unwrap();
    let poll = v1::GetStatusRequest {
        wait: wait(Duration::from_secs(60)),
        after_version: created.version,
        ..by_id(&created.operation_id)
    };
    let mut waiting = desk.client.clone();
    let waiting = tokio::spawn(async move { waiting.get_status(poll).await });
    let submit = v1::SubmitRequest {
        operation_id: created.operation_id,
        wait: None,
    };
    desk.client.submit(submit).await.unwrap();
    let news = waiting.await.unwrap().unwrap().into_inner();
    assert!(news.operation.unwrap().version > created.version);
    desk.close().await;
}

/// P14: the store goes away while a call waits for what is durable already.
#[tokio::test]
async fn after_a_durable_accept_a_lost_store_is_no_error_about_the_operation() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::never_looking()).await;
    let created = desk
        .client
        .create_operation(recorded("6", "pm_drop_response"));
    let created = created.await.unwrap().into_inner().operation.unwrap();
    let mut waiting = desk.client.clone();
    let submit = v1::SubmitRequest {
        operation_id: created.operation_id.clone(),
        wait: None,
    };
    let call = tokio::spawn(async move { waiting.submit(submit).await });
    let unknown = |it: &v1::Operation| it.state() == v1::OperationState::Unknown;
    until(&mut desk.client, &created.operation_id, unknown).await;
    desk.store.close().await;
    pending(call.await.unwrap().unwrap().into_inner().operation);

    let blind = desk.client.get_status(by_id(&created.operation_id)).await;
    let blind = blind.unwrap_err();
    assert_eq!(blind.code(), tonic::Code::Unavailable, "{blind:?}");
    assert_eq!(super::desk::reason(&blind), "STORE_UNAVAILABLE");
    desk.close().await;
}
