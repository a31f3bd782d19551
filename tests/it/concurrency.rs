//! Calls that meet each other.

use futures_util::{StreamExt, stream};
use payonce::proto::v1::{Operation, Outcome};

use crate::lab::database::{TestDatabase, both_databases};
use crate::lab::harness::{Caller, Judge, World, WorldOptions, charge, give_back};

/// How many races run side by side.
const SIDE_BY_SIDE: usize = 12;

both_databases!(
    a_cancellation_and_a_submit_never_both_win,
    |database: TestDatabase| async move {
        // Each race costs several synced commits, and SQLite has one writer.
        let races = if database.url().starts_with("sqlite") {
            200
        } else {
            1000
        };
        let options = WorldOptions {
            provider_deadline_ms: 5000,
            agent_deadline_ms: 10_000,
            ..WorldOptions::default().with_a_long_lease()
        };
        let world = World::start(database, options).await;
        let caller = world.caller();
        let results: Vec<Race> = stream::iter(0..races)
            .map(|number| race(&caller, number))
            .buffer_unordered(SIDE_BY_SIDE)
            .collect()
            .await;
        world.settle().await;

        let mut canceled = 0;
        for result in &results {
            canceled += usize::from(judge_race(&caller, world.judge(), result).await);
        }
        assert!(
            canceled > 0 && canceled < races,
            "{canceled} of {races} canceled: they never really raced"
        );
    }
);

/// What the two calls of a race said.
struct Race {
    order: String,
    created: Operation,
    compensated: Result<(), String>,
}

/// Submits and cancels one recorded operation at once, the one or the other a
/// little earlier.
async fn race(caller: &Caller, number: usize) -> Race {
    let order = format!("order-{number}");
    let mut request = charge(&order, "pm_ok");
    request.submit = false;
    let created = caller.pay(request).await;
    let submit = caller.submit(&created.operation_id);
    let cancel = caller.compensate(give_back(&created.operation_id, "canceled"));
    let (submitted, compensated) = if number.is_multiple_of(2) {
        tokio::join!(submit, cancel)
    } else {
        let (compensated, submitted) = tokio::join!(cancel, submit);
        (submitted, compensated)
    };
    submitted.expect("a submit is answered with the state");
    Race {
        order,
        created,
        compensated: compensated.map(|_| ()).map_err(|refused| refused.reason),
    }
}

/// Whether the cancellation won; whoever won, the other did not.
async fn judge_race(caller: &Caller, judge: &Judge, race: &Race) -> bool {
    let end = caller.status(&race.created.operation_id).await;
    let captures = judge.captures(&race.order).await.len();
    let refunds = judge.refunds(&race.order).await.len();
    let told = (end.outcome(), captures, refunds);
    match &race.compensated {
        // Too late to cancel, early enough to give back.
        Ok(()) if captures == 1 => assert_eq!(told, (Outcome::Refunded, 1, 1), "{}", race.order),
        Ok(()) => assert_eq!(told, (Outcome::Canceled, 0, 0), "{}", race.order),
        Err(reason) => {
            assert_eq!(reason, "OUTCOME_NOT_CONFIRMED", "{}", race.order);
            assert_eq!(told, (Outcome::Succeeded, 1, 0), "{}", race.order);
        }
    }
    captures == 0
}
