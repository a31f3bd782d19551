//! One business operation, one key; what makes two requests the same.

use std::collections::HashSet;
use std::time::Duration;

use payonce::proto::v1::{ErrorEffect, Operation, Outcome};
use serde_json::json;
use tonic::Code;

use crate::lab::database::both_databases;
use crate::lab::harness::{Caller, World, WorldOptions, charge, give_back, money};

both_databases!(trace_and_deadline_change_nothing, |database| async move {
    let world = World::start(database, WorldOptions::default()).await;
    let caller = world.caller();
    let first = caller
        .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
        .await;

    let mut request = tonic::Request::new(charge("order-1", "pm_ok"));
    request.set_timeout(Duration::from_secs(3));
    for (name, value) in [
        (
            "traceparent",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ),
        ("idempotency-key", "another"),
        ("x-request-id", "r-2"),
        ("user-agent", "another agent"),
    ] {
        request.metadata_mut().insert(name, value.parse().unwrap());
    }
    let mut client = caller.client();
    let again = client.create_operation(request).await.unwrap().into_inner();
    assert!(again.replayed);
    assert_eq!(again.operation.unwrap().operation_id, first.operation_id);

    let sent = world.judge().charges("order-1").await;
    assert_eq!(sent.len(), 1);
    assert_ne!(sent[0].idempotency_key.as_deref(), Some("another"));
});

both_databases!(
    another_amount_is_a_conflict_before_during_and_after,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let hidden = json!({"kind": "drop_response", "hide_ms": 2500});
        world.judge().fault("order-1", "payment", 1, hidden).await;
        let mut request = charge("order-1", "pm_ok");
        request.amount = Some(money(1212, "USD"));
        request.submit = false;

        let created = caller.pay(request).await;
        assert_eq!(created.outcome(), Outcome::NotSubmitted);
        refuses_another_amount(&caller, &created).await;

        let lost = caller.submit(&created.operation_id).await.unwrap();
        assert_eq!(lost.outcome(), Outcome::Pending);
        refuses_another_amount(&caller, &created).await;

        let paid = caller.until(&lost.operation_id, Outcome::Succeeded).await;
        refuses_another_amount(&caller, &created).await;

        assert_eq!(
            caller.status(&paid.operation_id).await.version,
            paid.version
        );
        assert_eq!(caller.list().await.len(), 1);
        assert_eq!(world.judge().charges("order-1").await.len(), 1);
        let captures = world.judge().captures("order-1").await;
        let amounts: Vec<_> = captures.iter().map(|it| it.amount).collect();
        assert_eq!(amounts, [1212]);
    }
);

async fn refuses_another_amount(caller: &Caller, created: &Operation) {
    for submit in [false, true] {
        let mut request = charge("order-1", "pm_ok");
        request.amount = Some(money(1213, "USD"));
        request.submit = submit;
        let refused = caller.create(request).await.unwrap_err();
        assert_eq!(refused.code, Code::AlreadyExists);
        assert_eq!(refused.reason, "KEY_REUSED_FOR_DIFFERENT_REQUEST");
        assert_eq!(refused.fields, ["amount"]);
        assert_eq!(refused.effect, ErrorEffect::ExistingOperation);
        assert_eq!(refused.operation_id, created.operation_id);
    }
}

both_databases!(every_differing_field_is_named, |database| async move {
    let world = World::start(database, WorldOptions::default()).await;
    let caller = world.caller();
    let mut request = charge("order-1", "pm_ok");
    request.submit = false;
    caller.pay(request.clone()).await;

    request.amount = Some(money(4900, "EUR"));
    request.payee = "shop-2".to_owned();
    request.payment_method = "pm_declined".to_owned();
    let refused = caller.create(request).await.unwrap_err();
    let fields: HashSet<_> = refused.fields.iter().map(String::as_str).collect();
    assert_eq!(fields, HashSet::from(["amount", "payee", "payment_method"]));
});

both_databases!(
    charge_and_refunds_of_one_order_have_keys_of_their_own,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let paid = caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;
        let mut deposit = charge("order-1", "pm_ok");
        deposit.purpose = "deposit".to_owned();
        caller.pay_until(deposit, Outcome::Succeeded).await;
        for label in ["one", "other"] {
            let mut request = give_back(&paid.operation_id, label);
            request.amount = Some(money(100, "USD"));
            let answer = caller.compensate(request).await.unwrap();
            let refund = answer.compensation.unwrap().operation_id;
            caller.until(&refund, Outcome::Succeeded).await;
        }

        let sent = world.judge().posts("order-1").await;
        assert_eq!(sent.len(), 4);
        let keys: HashSet<_> = sent
            .iter()
            .map(|it| it.idempotency_key.clone().unwrap())
            .collect();
        assert_eq!(keys.len(), 4, "{keys:?}");
        for key in keys {
            assert!(key.starts_with("po") && key.len() == 34, "{key}");
        }
    }
);
