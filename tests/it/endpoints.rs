//! The configuration changes while an operation is unknown: what is sent
//! again goes where it went before, byte for byte.

use payonce::proto::v1::{OperationState, Outcome};
use serde_json::json;

use crate::lab::database::both_databases;
use crate::lab::harness::{GoBetween, World, WorldOptions, charge};

both_databases!(
    a_resend_goes_to_the_address_of_the_first_attempt,
    |database| async move {
        let (first, second) = (GoBetween::start().await, GoBetween::start().await);
        let options = WorldOptions {
            bank: Some(first.addr()),
            visibility_lag_ms: 6000,
            ..WorldOptions::default()
        };
        let mut world = World::start(database, options).await;
        first.lead_to(world.judge().address());
        second.lead_to(world.judge().address());
        // Nothing arrives, so that it has to be sent again.
        let lost = json!({"kind": "drop_request"});
        world.judge().fault("order-1", "payment", 1, lost).await;
        let unknown = world.caller().pay(charge("order-1", "pm_ok")).await;
        let id = &unknown.operation_id;
        world
            .caller()
            .until_it(id, "its answer is lost", |it| {
                it.state() == OperationState::Unknown
            })
            .await;

        world.move_bank(second.addr());
        world.kill9(0);
        world.restart(0).await;
        let caller = world.caller();
        caller
            .until(&unknown.operation_id, Outcome::Succeeded)
            .await;
        caller
            .pay_until(charge("order-2", "pm_ok"), Outcome::Succeeded)
            .await;

        let posts = |between: &GoBetween| {
            let heard = between.heard();
            heard.iter().filter(|it| it.starts_with("POST ")).count()
        };
        assert_eq!(posts(&first), 2, "{:?}", first.heard());
        assert_eq!(
            posts(&second),
            1,
            "only the new order: {:?}",
            second.heard()
        );
        let sent = world.judge().charges("order-1").await;
        assert_eq!(sent.len(), 2, "{sent:#?}");
        assert_eq!(sent[0].body_sha256, sent[1].body_sha256);
        assert_eq!(sent[0].idempotency_key, sent[1].idempotency_key);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);
