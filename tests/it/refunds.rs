//! Giving money back: only what is confirmed, and never more than was taken.

use payonce::proto::v1::{ErrorEffect, Fulfilment, OperationState, Outcome, SafeNextAction};
use serde_json::json;
use tonic::Code;

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge, give_back, money};

both_databases!(
    two_parallel_refunds_of_60_on_100_are_one,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let mut request = charge("order-1", "pm_ok");
        request.amount = Some(money(10_000, "USD"));
        let paid = caller.pay_until(request, Outcome::Succeeded).await;

        let part = |label: &str| {
            let mut request = give_back(&paid.operation_id, label);
            request.amount = Some(money(6000, "USD"));
            caller.compensate(request)
        };
        let (one, other) = tokio::join!(part("one"), part("other"));
        let (accepted, refused) = if one.is_ok() {
            (one, other)
        } else {
            (other, one)
        };
        accepted.unwrap();
        let refused = refused.unwrap_err();
        assert_eq!(refused.code, Code::FailedPrecondition);
        let reasons = ["OPERATION_UNRESOLVED", "REFUND_EXCEEDS_CAPTURED"];
        assert!(reasons.contains(&refused.reason.as_str()), "{refused:?}");

        let rest = caller
            .until(&paid.operation_id, Outcome::PartiallyRefunded)
            .await;
        assert_eq!(rest.fulfilment(), Fulfilment::Hold);
        assert_eq!(rest.refunded.unwrap().minor_units, 6000);
        let refunds = world.judge().refunds("order-1").await;
        assert_eq!(refunds.len(), 1);
        assert_eq!(refunds[0].amount, 6000);

        let beyond = part("beyond").await.unwrap_err();
        assert_eq!(beyond.reason, "REFUND_EXCEEDS_CAPTURED");
    }
);

both_databases!(a_refund_is_at_least_one_minor_unit, |database| async move {
    let world = World::start(database, WorldOptions::default()).await;
    let caller = world.caller();
    let paid = caller
        .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
        .await;

    for minor_units in [-1, 0, i64::MIN, i64::MAX] {
        let mut request = give_back(&paid.operation_id, "returned");
        request.amount = Some(money(minor_units, "USD"));
        let refused = caller.compensate(request).await.unwrap_err();
        assert_eq!(refused.code, Code::InvalidArgument, "{minor_units}");
        assert_eq!(refused.fields, ["amount.minor_units"]);
    }
    let mut request = give_back(&paid.operation_id, "returned");
    request.amount = Some(money(100, "EUR"));
    let refused = caller.compensate(request).await.unwrap_err();
    assert_eq!(refused.fields, ["amount.currency_code"]);

    assert_eq!(caller.list().await.len(), 1);
    assert!(world.judge().refunds("order-1").await.is_empty());
});

both_databases!(
    two_identical_refunds_at_once_are_one,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        for round in 0..10 {
            let order = format!("order-{round}");
            let paid = caller
                .pay_until(charge(&order, "pm_ok"), Outcome::Succeeded)
                .await;
            let refund = || caller.compensate(give_back(&paid.operation_id, "returned"));
            let (one, other) = tokio::join!(refund(), refund());
            let (one, other) = (one.unwrap(), other.unwrap());
            assert_ne!(one.replayed, other.replayed);
            let ids = [one, other].map(|it| it.compensation.unwrap().operation_id);
            assert_eq!(ids[0], ids[1]);
            caller.until(&paid.operation_id, Outcome::Refunded).await;
            assert_eq!(world.judge().refunds(&order).await.len(), 1);
        }
    }
);

both_databases!(
    parts_add_up_to_the_whole_and_no_further,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let paid = caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;
        for (label, minor_units, outcome) in [
            ("part-1", 900, Outcome::PartiallyRefunded),
            ("part-2", 1000, Outcome::PartiallyRefunded),
            ("part-3", 3000, Outcome::Refunded),
        ] {
            let mut request = give_back(&paid.operation_id, label);
            request.amount = Some(money(minor_units, "USD"));
            let answer = caller.compensate(request).await.unwrap();
            let refund = answer.compensation.unwrap().operation_id;
            let refund = caller.until(&refund, Outcome::Succeeded).await;
            assert_eq!(refund.fulfilment(), Fulfilment::Forbidden);
            caller.until(&paid.operation_id, outcome).await;
        }
        let more = caller
            .compensate(give_back(&paid.operation_id, "part-4"))
            .await;
        assert_eq!(more.unwrap_err().reason, "REFUND_EXCEEDS_CAPTURED");

        let back = caller.status(&paid.operation_id).await;
        assert_eq!(back.safe_next_action(), SafeNextAction::DoNotFulfil);
        assert_eq!(back.compensations.len(), 3);
        let refunds = world.judge().refunds("order-1").await;
        let amounts: Vec<_> = refunds.iter().map(|it| it.amount).collect();
        assert_eq!(amounts, [900, 1000, 3000]);
    }
);

both_databases!(
    one_label_with_another_amount_is_a_conflict,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let paid = caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;
        let mut request = give_back(&paid.operation_id, "returned");
        request.amount = Some(money(1000, "USD"));
        caller.compensate(request.clone()).await.unwrap();

        request.amount = Some(money(1001, "USD"));
        let refused = caller.compensate(request).await.unwrap_err();
        assert_eq!(refused.code, Code::AlreadyExists);
        assert_eq!(refused.reason, "KEY_REUSED_FOR_DIFFERENT_REQUEST");
        assert_eq!(refused.fields, ["amount"]);

        caller
            .until(&paid.operation_id, Outcome::PartiallyRefunded)
            .await;
        assert_eq!(world.judge().refunds("order-1").await.len(), 1);
    }
);

both_databases!(
    what_is_pending_cannot_be_given_back,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let lost = caller.pay(charge("order-1", "pm_lagging")).await;
        assert_eq!(lost.outcome(), Outcome::Pending);

        let refused = caller
            .compensate(give_back(&lost.operation_id, "returned"))
            .await
            .unwrap_err();
        assert_eq!(refused.code, Code::FailedPrecondition);
        assert_eq!(refused.reason, "OUTCOME_NOT_CONFIRMED");
        assert_eq!(refused.effect, ErrorEffect::ExistingOperation);
        assert_eq!(refused.operation_id, lost.operation_id);

        caller.until(&lost.operation_id, Outcome::Succeeded).await;
        assert!(world.judge().refunds("order-1").await.is_empty());
    }
);

both_databases!(what_was_never_sent_is_canceled, |database| async move {
    let world = World::start(database, WorldOptions::default()).await;
    let caller = world.caller();
    let mut request = charge("order-1", "pm_ok");
    request.submit = false;
    let created = caller.pay(request).await;

    let answer = caller
        .compensate(give_back(&created.operation_id, "changed-my-mind"))
        .await
        .unwrap();
    assert!(answer.compensation.is_none());
    assert_eq!(answer.operation.unwrap().outcome(), Outcome::Canceled);
    let late = caller.submit(&created.operation_id).await.unwrap();
    assert_eq!(late.outcome(), Outcome::Canceled);

    assert!(world.judge().all_requests().await.is_empty());
});

both_databases!(
    a_pending_refund_is_reserved_until_it_is_through,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let paid = caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;
        let slow = json!({"kind": "refund_pending"});
        world.judge().fault("order-1", "refund", 1, slow).await;

        let answer = caller
            .compensate(give_back(&paid.operation_id, "returned"))
            .await
            .unwrap();
        let refund = answer.compensation.unwrap().operation_id;
        caller
            .until_it(&refund, "the bank works on it", |operation| {
                operation.state() == OperationState::Pending
            })
            .await;
        let parent = caller.status(&paid.operation_id).await;
        assert_eq!(parent.outcome(), Outcome::RefundPending);
        assert_eq!(parent.refund_pending.unwrap().minor_units, 4900);

        let at_the_bank = &world.judge().refunds("order-1").await[0];
        assert_eq!(at_the_bank.status, "pending");
        world
            .judge()
            .move_refund(&at_the_bank.id, "succeeded")
            .await;
        caller.until(&refund, Outcome::Succeeded).await;
        caller.until(&paid.operation_id, Outcome::Refunded).await;
    }
);
