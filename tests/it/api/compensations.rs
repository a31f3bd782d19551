use std::time::Duration;

use payonce::proto::v1;
use payonce::proto::v1::{Fulfilment, Outcome, SafeNextAction};

use super::desk::{Desk, Setup, charge, detail, reason, recorded, until, wait};
use crate::lab::database::{TestDatabase, both_databases};

fn compensate(id: &str, label: &str) -> v1::CompensateRequest {
    v1::CompensateRequest {
        operation_id: id.to_owned(),
        reason: v1::CompensationReason::RequestedByCustomer.into(),
        label: label.to_owned(),
        ..v1::CompensateRequest::default()
    }
}

both_databases!(
    a_refund_is_waited_for_and_both_sides_are_shown,
    |database| async {
        let mut desk = Desk::open(database, Setup::default()).await;
        let paid = desk.client.create_operation(charge("1", "pm_ok")).await;
        let paid = paid.unwrap().into_inner().operation.unwrap();
        for replayed in [false, true] {
            let request = compensate(&paid.operation_id, "r");
            let answer = desk.client.compensate(request).await.unwrap().into_inner();
            assert_eq!(answer.replayed, replayed);
            let refund = answer.compensation.unwrap();
            assert_eq!(refund.kind(), v1::OperationKind::Refund);
            assert_eq!(refund.outcome(), Outcome::Succeeded);
            assert_eq!(refund.parent_operation_id, paid.operation_id);
            let parent = answer.operation.unwrap();
            assert_eq!(parent.outcome(), Outcome::Refunded);
            assert_eq!(parent.safe_next_action(), SafeNextAction::DoNotFulfil);
            assert_eq!(parent.refunded.unwrap().minor_units, 4900);
            assert_eq!(parent.compensations.len(), 1);
            assert_eq!(parent.compensations[0].operation_id, refund.operation_id);
        }
        let over = desk
            .client
            .compensate(compensate(&paid.operation_id, "s"))
            .await;
        let over = over.unwrap_err();
        assert_eq!(reason(&over), "REFUND_EXCEEDS_CAPTURED");
        assert_eq!(detail(&over).operation_id, paid.operation_id);
        desk.close().await;
    }
);

#[tokio::test]
async fn what_was_never_dispatched_is_canceled_instead() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::default()).await;
    let created = desk.client.create_operation(recorded("2", "pm_ok")).await;
    let created = created.unwrap().into_inner().operation.unwrap();
    let request = compensate(&created.operation_id, "r");
    let answer = desk.client.compensate(request).await.unwrap().into_inner();
    assert_eq!(answer.compensation, None);
    assert_eq!(answer.operation.unwrap().outcome(), Outcome::Canceled);
    desk.close().await;
}

#[tokio::test]
async fn the_unresolved_is_refused_or_instructed() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::never_looking()).await;
    let unknown = v1::CreateOperationRequest {
        wait: wait(Duration::ZERO),
        ..charge("3", "pm_drop_response")
    };
    let unknown = desk.client.create_operation(unknown).await.unwrap();
    let unknown = unknown.into_inner().operation.unwrap();
    // It queues if a look for due work holds all slots at this moment.
    let sent = |operation: &v1::Operation| operation.attempt_count > 0;
    until(&mut desk.client, &unknown.operation_id, sent).await;
    let request = compensate(&unknown.operation_id, "r");
    let refused = desk.client.compensate(request.clone()).await.unwrap_err();
    assert_eq!(reason(&refused), "OUTCOME_NOT_CONFIRMED");

    let instruction = v1::CompensateRequest {
        when_resolved: true,
        wait: wait(Duration::ZERO),
        ..request
    };
    for replayed in [false, true] {
        let answer = desk.client.compensate(instruction.clone()).await.unwrap();
        let answer = answer.into_inner();
        assert_eq!(answer.replayed, replayed);
        assert_eq!(answer.compensation, None);
        let parent = answer.operation.unwrap();
        assert_eq!(parent.outcome(), Outcome::Pending);
        assert_eq!(parent.fulfilment(), Fulfilment::Forbidden);
        assert_eq!(parent.compensate_when_resolved.unwrap().label, "r");
    }
    desk.close().await;
}

#[tokio::test]
async fn an_instruction_is_waited_for_until_the_money_is_back() {
    let mut desk = Desk::open(TestDatabase::sqlite(), Setup::default()).await;
    // Slow enough to be unresolved still when the instruction comes.
    let unknown = v1::CreateOperationRequest {
        wait: wait(Duration::ZERO),
        ..charge("4", "pm_slow")
    };
    let unknown = desk.client.create_operation(unknown).await.unwrap();
    let unknown = unknown.into_inner().operation.unwrap();
    assert_eq!(unknown.outcome(), Outcome::Pending);
    let instruction = v1::CompensateRequest {
        when_resolved: true,
        ..compensate(&unknown.operation_id, "r")
    };
    let answer = desk.client.compensate(instruction).await.unwrap();
    let answer = answer.into_inner();
    assert_eq!(answer.operation.unwrap().outcome(), Outcome::Refunded);
    let refund = answer.compensation.expect("born of the instruction");
    assert_eq!(refund.outcome(), Outcome::Succeeded);
    desk.close().await;
}
