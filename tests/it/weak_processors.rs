//! Processors that promise less: without keys nothing is ever sent twice,
//! without look-ups a person is asked.

use payonce::proto::v1::{OperationState, Outcome, ReviewReason, SafeNextAction};

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge};

both_databases!(
    without_keys_a_lost_answer_is_looked_up_and_never_resent,
    |database| async move {
        let options = WorldOptions::without_keys("no_idempotency").with_a_quick_proof();
        let world = World::start(database, options).await;
        let caller = world.caller();

        caller
            .pay_until(charge("order-1", "pm_drop_response"), Outcome::Succeeded)
            .await;

        let requests = world.judge().all_requests().await;
        let posts = requests.iter().filter(|it| it.method == "POST");
        assert_eq!(posts.count(), 1);
        assert_eq!(world.judge().all_payments().await.len(), 1);
    }
);

both_databases!(
    without_keys_an_absence_is_proven_and_never_resent,
    |database| async move {
        let options = WorldOptions::without_keys("no_idempotency").with_a_quick_proof();
        let world = World::start(database, options).await;
        let caller = world.caller();

        caller
            .pay_until(charge("order-1", "pm_drop_request"), Outcome::Canceled)
            .await;

        let requests = world.judge().all_requests().await;
        let posts = requests.iter().filter(|it| it.method == "POST");
        assert_eq!(posts.count(), 1);
    }
);

both_databases!(without_look_ups_a_person_is_asked, |database| async move {
    let options = WorldOptions {
        observation_window_s: 1,
        ..WorldOptions::without_keys("report_only")
    };
    let world = World::start(database, options).await;
    let caller = world.caller();

    let lost = caller.pay(charge("order-1", "pm_drop_response")).await;
    let asked = caller.until_review(&lost.operation_id).await;
    assert_eq!(asked.state(), OperationState::Unknown);
    assert_eq!(asked.safe_next_action(), SafeNextAction::WaitForPerson);
    let reason = asked.review.unwrap().reason();
    assert_eq!(reason, ReviewReason::ObservationWindowOver);
    caller.submit(&lost.operation_id).await.unwrap();

    assert_eq!(world.judge().all_requests().await.len(), 1);
    assert_eq!(world.judge().all_payments().await.len(), 1);
});

both_databases!(
    an_answer_of_that_moment_settles_a_resend,
    |database| async move {
        let options = WorldOptions {
            profile: "latest_status",
            ..WorldOptions::default().with_a_quick_proof()
        };
        let world = World::start(database, options).await;
        let caller = world.caller();
        let hidden = serde_json::json!({"kind": "drop_response", "hide_ms": 600_000});
        world.judge().fault("order-1", "payment", 1, hidden).await;

        caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;

        let sent = world.judge().charges("order-1").await;
        assert!(sent.len() > 1, "{sent:#?}");
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);
