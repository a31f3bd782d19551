//! SIGTERM under load: the process ends within its bound, and nothing is lost.

use payonce::proto::v1::Outcome;

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge, eventually};

both_databases!(
    a_stop_does_not_wait_for_the_processor,
    |database| async move {
        let options = WorldOptions {
            // The processor answers after 20 s.
            time_scale: 1.0,
            provider_deadline_ms: 25_000,
            lease_ms: 45_000,
            drain_ms: 1000,
            ..WorldOptions::default()
        };
        let mut world = World::start(database, options).await;
        let caller = world.caller();
        for number in 0..10 {
            let mut slow = charge(&format!("slow-{number}"), "pm_slow");
            slow.wait = Some(prost_types::Duration::default());
            caller.pay(slow).await;
        }
        let calls: Vec<_> = (0..30)
            .map(|number| {
                let caller = caller.clone();
                let request = charge(&format!("quick-{number}"), "pm_ok");
                tokio::spawn(async move { caller.create(request).await })
            })
            .collect();
        eventually("all slow requests have arrived", async || {
            let arrived = world.judge().all_requests().await;
            let slow = arrived.iter().filter(|it| it.answer.is_none()).count();
            (slow >= 10).then_some(()).ok_or_else(|| slow.to_string())
        })
        .await;

        assert_eq!(world.stop(0).await, Some(0));
        for number in 0..10 {
            let sent = world.judge().charges(&format!("slow-{number}")).await;
            assert_eq!(sent.len(), 1);
            assert_eq!(sent[0].answer, None, "the processor had not answered yet");
        }
        for call in calls {
            if let Ok(answer) = call.await.unwrap() {
                assert!(!answer.operation.unwrap().operation_id.is_empty());
            }
        }

        // The leases of what was left have lapsed.
        world.restart_later(0, 90).await;
        let caller = world.caller();
        for number in 0..30 {
            let order = format!("quick-{number}");
            caller
                .pay_until(charge(&order, "pm_ok"), Outcome::Succeeded)
                .await;
            assert_eq!(world.judge().captures(&order).await.len(), 1, "{order}");
        }
        for number in 0..10 {
            let order = format!("slow-{number}");
            let operation = caller.operation(&order).await.unwrap();
            caller
                .until(&operation.operation_id, Outcome::Succeeded)
                .await;
            assert_eq!(world.judge().charges(&order).await.len(), 1, "{order}");
            assert_eq!(world.judge().captures(&order).await.len(), 1, "{order}");
        }
    }
);
