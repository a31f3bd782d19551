//! However often a payment is asked for, the processor captures it once.

use futures_util::future::join_all;
use payonce::proto::v1::{Outcome, SafeNextAction};

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge, give_back};

both_databases!(
    a_slow_answer_reads_pending_and_repeats_join_it,
    |database| async move {
        let options = WorldOptions::with_a_visible_pending();
        let world = World::start(database, options).await;
        let caller = world.caller();

        let first = caller.pay(charge("order-1", "pm_slow")).await;
        assert_eq!(first.outcome(), Outcome::Pending);
        assert_eq!(first.safe_next_action(), SafeNextAction::Poll);
        assert!(first.poll_after.is_some());
        for _ in 0..3 {
            let again = caller.create(charge("order-1", "pm_slow")).await.unwrap();
            assert!(again.replayed);
            let again = again.operation.unwrap();
            assert_eq!(again.operation_id, first.operation_id);
            caller.submit(&again.operation_id).await.unwrap();
        }
        caller.until(&first.operation_id, Outcome::Succeeded).await;

        assert_eq!(world.judge().captures("order-1").await.len(), 1);
        assert_eq!(world.judge().charges("order-1").await.len(), 1);
    }
);

both_databases!(two_runs_of_an_agent_pay_once, |database| async move {
    let world = World::start(database, WorldOptions::default()).await;
    let caller = world.caller();

    let run = async |trace: &str| {
        let mut request = tonic::Request::new(charge("order-1", "pm_ok"));
        let trace = format!("00-{trace}-00f067aa0ba902b7-01");
        request
            .metadata_mut()
            .insert("traceparent", trace.parse().unwrap());
        request
            .metadata_mut()
            .insert("x-request-id", trace.parse().unwrap());
        let mut client = caller.client();
        client.create_operation(request).await.unwrap().into_inner()
    };
    let (one, other) = tokio::join!(
        run("4bf92f3577b34da6a3ce929d0e0e4736"),
        run("0af7651916cd43dd8448eb211c80319c")
    );
    let (one, other) = (one.operation.unwrap(), other.operation.unwrap());
    assert_eq!(one.operation_id, other.operation_id);
    caller.until(&one.operation_id, Outcome::Succeeded).await;

    assert_eq!(caller.list().await.len(), 1);
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
    assert_eq!(world.judge().charges("order-1").await.len(), 1);
});

both_databases!(
    notes_and_labels_make_no_other_payment,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let first = caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;

        let mut with_notes = charge("order-1", "pm_ok");
        with_notes.description = "second try, new key please".to_owned();
        with_notes.labels = [("idempotency_key".to_owned(), "k-2".to_owned())].into();
        let again = caller.create(with_notes).await.unwrap();
        assert!(again.replayed);
        assert_eq!(again.operation.unwrap().operation_id, first.operation_id);

        let sent = world.judge().charges("order-1").await;
        assert_eq!(sent.len(), 1);
        assert_ne!(sent[0].idempotency_key.as_deref(), Some("k-2"));
    }
);

both_databases!(
    three_equal_compensations_are_one_refund,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let paid = caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;

        let mut ids = Vec::new();
        for _ in 0..3 {
            let answer = caller
                .compensate(give_back(&paid.operation_id, "returned"))
                .await
                .unwrap();
            assert_eq!(answer.replayed, !ids.is_empty());
            ids.push(answer.compensation.unwrap().operation_id);
        }
        ids.dedup();
        assert_eq!(ids.len(), 1);
        caller.until(&paid.operation_id, Outcome::Refunded).await;

        assert_eq!(world.judge().refunds("order-1").await.len(), 1);
    }
);

both_databases!(
    an_hour_later_the_stored_result_comes_back,
    |database| async move {
        let mut world = World::start(database, WorldOptions::default()).await;
        let paid = world
            .caller()
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;
        let arrived = world.judge().all_requests().await.len();

        world.let_time_pass(3600).await;
        let caller = world.caller();
        let again = caller.create(charge("order-1", "pm_ok")).await.unwrap();
        assert!(again.replayed);
        let submitted = caller.submit(&paid.operation_id).await.unwrap();
        assert_eq!(submitted.outcome(), Outcome::Succeeded);
        assert_eq!(submitted.version, paid.version);

        assert_eq!(world.judge().all_requests().await.len(), arrived);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

both_databases!(fifty_submits_at_once_send_once, |database| async move {
    let world = World::start(database, WorldOptions::default()).await;
    let caller = world.caller();
    let mut request = charge("order-1", "pm_ok");
    request.submit = false;
    let created = caller.pay(request).await;
    assert_eq!(created.outcome(), Outcome::NotSubmitted);

    let submits = (0..50).map(|_| caller.submit(&created.operation_id));
    for answer in join_all(submits).await {
        assert_eq!(answer.unwrap().operation_id, created.operation_id);
    }
    caller
        .until(&created.operation_id, Outcome::Succeeded)
        .await;

    assert_eq!(world.judge().charges("order-1").await.len(), 1);
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
});
