use std::time::Duration;

use payonce::proto::v1;
use payonce::proto::v1::Outcome;
use tonic::{Code, Streaming};

use super::desk::{Client, Desk, PATIENCE, Setup, charge, reason, recorded, wait};
use crate::lab::database::{TestDatabase, both_databases};

type States = Streaming<v1::WatchOperationResponse>;

async fn watch(client: &mut Client, id: &str, after_version: i64) -> States {
    let request = v1::WatchOperationRequest {
        operation_id: id.to_owned(),
        after_version,
    };
    client.watch_operation(request).await.unwrap().into_inner()
}

async fn next(states: &mut States) -> Option<v1::Operation> {
    let message = tokio::time::timeout(PATIENCE, states.message()).await;
    let message = message.expect("in time").expect("no error");
    message.map(|it| it.operation.unwrap())
}

async fn submit(client: &mut Client, id: &str) {
    let request = v1::SubmitRequest {
        operation_id: id.to_owned(),
        wait: None,
    };
    client.submit(request).await.unwrap();
}

both_databases!(
    states_come_in_order_and_end_with_the_operation,
    |database| async {
        let mut desk = Desk::open(database, Setup::default()).await;
        let created = desk.client.create_operation(recorded("1", "pm_ok")).await;
        let id = created
            .unwrap()
            .into_inner()
            .operation
            .unwrap()
            .operation_id;
        let mut states = watch(&mut desk.client, &id, 0).await;
        let first = next(&mut states).await.unwrap();
        assert_eq!(first.outcome(), Outcome::NotSubmitted);
        submit(&mut desk.client, &id).await;
        let mut last = first;
        while let Some(state) = next(&mut states).await {
            assert!(state.version > last.version);
            last = state;
        }
        assert_eq!(last.outcome(), Outcome::Succeeded);

        // Who has seen the end is told nothing; who has not, the end only.
        let mut again = watch(&mut desk.client, &id, last.version).await;
        assert_eq!(next(&mut again).await, None);
        let mut late = watch(&mut desk.client, &id, 1).await;
        assert_eq!(next(&mut late).await, Some(last));
        assert_eq!(next(&mut late).await, None);
        desk.close().await;
    }
);

#[tokio::test]
async fn a_watcher_that_goes_away_changes_nothing() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::default()).await;
    let created = desk.client.create_operation(recorded("2", "pm_ok")).await;
    let created = created.unwrap().into_inner().operation.unwrap();
    for _ in 0..50 {
        let mut states = watch(&mut desk.client, &created.operation_id, 0).await;
        assert_eq!(next(&mut states).await, Some(created.clone()));
    }
    submit(&mut desk.client, &created.operation_id).await;
    desk.close().await;
}

#[tokio::test]
async fn a_stopping_server_ends_streams_and_answers_who_waits() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::never_looking()).await;
    let unknown = v1::CreateOperationRequest {
        wait: wait(Duration::ZERO),
        ..charge("3", "pm_drop_response")
    };
    let unknown = desk.client.create_operation(unknown).await.unwrap();
    let id = unknown.into_inner().operation.unwrap().operation_id;
    let mut states = watch(&mut desk.client, &id, 0).await;
    let mut waiting = desk.client.clone();
    let request = v1::SubmitRequest {
        operation_id: id.clone(),
        wait: None,
    };
    let waiting = tokio::spawn(async move { waiting.submit(request).await });
    // Both are under way once the stream has shown a state.
    next(&mut states).await.unwrap();
    super::desk::until(&mut desk.client, &id, |it| {
        it.state() == v1::OperationState::Unknown
    })
    .await;

    desk.stop.cancel();
    let ended = loop {
        match states.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("an end without a reason reads as the end of the operation"),
            Err(ended) => break ended,
        }
    };
    assert_eq!(ended.code(), Code::Unavailable);
    assert_eq!(reason(&ended), "STOPPING");
    let answer = waiting.await.unwrap().unwrap().into_inner();
    assert_eq!(answer.operation.unwrap().outcome(), Outcome::Pending);
    desk.close().await;
}
