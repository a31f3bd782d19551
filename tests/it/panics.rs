//! A task of the worker panics: its operation waits for its lease and is taken
//! up again, and everybody else goes on.

use payonce::proto::v1::Outcome;

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge};

/// Every attempt to send dies, after the first.
fn poisoned() -> WorldOptions {
    WorldOptions {
        fail_at: "b2-intended",
        fail_nth: 2,
        fail_how: "panic",
        observation_window_s: 6,
        ..WorldOptions::default().with_a_quick_proof()
    }
}

both_databases!(
    a_panic_costs_neither_the_process_nor_the_others,
    |database| async move {
        let mut world = World::start(database, poisoned()).await;
        let caller = world.caller();
        caller
            .pay_until(charge("before", "pm_ok"), Outcome::Succeeded)
            .await;
        let poisoned = caller.pay(charge("poisoned", "pm_ok")).await;
        // It is tried under a new lease each time, until a person is asked:
        // not in a tight loop, and not for ever.
        let asked = caller.until_review(&poisoned.operation_id).await;
        assert!(asked.attempt_count <= 5, "{asked:#?}");
        assert!(world.judge().posts("poisoned").await.is_empty());
        let status = caller.operation("before").await.unwrap();
        assert_eq!(status.outcome(), Outcome::Succeeded);

        world.disarm();
        world.kill9(0);
        world.restart(0).await;
        let caller = world.caller();
        caller
            .pay_until(charge("after", "pm_ok"), Outcome::Succeeded)
            .await;
        assert!(world.judge().captures("poisoned").await.is_empty());
    }
);
