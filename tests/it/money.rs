//! Amounts reach the processor as they were meant.

use payonce::proto::v1::Outcome;
use tonic::Code;

use crate::lab::database::both_databases;
use crate::lab::harness::{MINOR_UNITS_MAX, World, WorldOptions, charge, give_back, money};

both_databases!(
    minor_units_reach_the_processor_unchanged,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        for (order, minor_units, currency) in [
            ("yen", 100, "JPY"),
            ("dinar", 18_600, "KWD"),
            ("dong", 4_999_000_000, "VND"),
            ("smallest", 1, "USD"),
            ("largest", MINOR_UNITS_MAX, "USD"),
        ] {
            let mut request = charge(order, "pm_ok");
            request.amount = Some(money(minor_units, currency));
            let paid = caller.pay_until(request, Outcome::Succeeded).await;

            let payment = &world.judge().payments(order).await[0];
            assert_eq!(payment.amount, minor_units, "{order}");
            assert_eq!(payment.currency, currency);
            assert_eq!(payment.captures[0].amount, minor_units);
            assert_eq!(paid.captured, Some(money(minor_units, currency)));

            caller
                .compensate(give_back(&paid.operation_id, "returned"))
                .await
                .unwrap();
            caller.until(&paid.operation_id, Outcome::Refunded).await;
            assert_eq!(world.judge().refunds(order).await[0].amount, minor_units);
        }
    }
);

both_databases!(a_currency_has_no_case, |database| async move {
    let world = World::start(database, WorldOptions::default()).await;
    let caller = world.caller();
    let mut request = charge("order-1", "pm_ok");
    request.amount = Some(money(4900, "usd"));
    let paid = caller.pay_until(request, Outcome::Succeeded).await;
    assert_eq!(paid.amount, Some(money(4900, "USD")));

    let again = caller.create(charge("order-1", "pm_ok")).await.unwrap();
    assert!(again.replayed);
    assert_eq!(again.operation.unwrap().operation_id, paid.operation_id);
    let payments = world.judge().payments("order-1").await;
    assert_eq!(payments.len(), 1);
    assert_eq!(payments[0].currency, "USD");
});

both_databases!(
    amounts_beyond_the_bounds_are_refused,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        for minor_units in [0, -1, MINOR_UNITS_MAX + 1, i64::MAX, i64::MIN] {
            let mut request = charge("order-1", "pm_ok");
            request.amount = Some(money(minor_units, "VND"));
            let refused = caller.create(request).await.unwrap_err();
            assert_eq!(refused.code, Code::InvalidArgument);
            assert_eq!(refused.fields, ["amount.minor_units"]);
        }

        let mut request = charge("order-1", "pm_ok");
        request.amount = Some(money(MINOR_UNITS_MAX, "VND"));
        let paid = caller.pay_until(request, Outcome::Succeeded).await;
        let mut most = give_back(&paid.operation_id, "most");
        most.amount = Some(money(MINOR_UNITS_MAX - 1, "VND"));
        caller.compensate(most).await.unwrap();
        caller
            .until(&paid.operation_id, Outcome::PartiallyRefunded)
            .await;
        let mut whole = give_back(&paid.operation_id, "whole");
        whole.amount = Some(money(MINOR_UNITS_MAX, "VND"));
        let refused = caller.compensate(whole).await.unwrap_err();
        assert_eq!(refused.reason, "REFUND_EXCEEDS_CAPTURED");

        let back = caller.status(&paid.operation_id).await.refunded.unwrap();
        assert_eq!(back.minor_units, MINOR_UNITS_MAX - 1);
    }
);
