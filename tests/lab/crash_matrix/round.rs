//! One round: pay until the process dies, let somebody go on, and judge.

use std::collections::HashSet;

use payonce::failpoint::Point;
use payonce::proto::v1::{Operation, Outcome};
use tokio::task::JoinHandle;

use super::Cell;
use crate::lab::database::TestDatabase;
use crate::lab::harness::{
    Caller, Judge, Refusal, Request, World, WorldOptions, broken_ledgers, charge, dies_at_start,
    eventually, give_back,
};

const ORDER: &str = "order-1";

/// SIGABRT, see signal(7).
const ABORTED: i32 = 6;

/// Plays it; returns how many requests of the dying step arrived. Panics when
/// anything is not as it has to be.
pub(super) async fn play(cell: Cell, number: u32, database: TestDatabase) -> usize {
    let armed = WorldOptions {
        fail_at: cell.point.name(),
        fail_nth: cell.nth(),
        ..WorldOptions::default().with_a_quick_proof()
    };
    if cell.point == Point::InsideMigration {
        let signal = dies_at_start(&database, &armed).await;
        assert_eq!(signal, Some(ABORTED), "the migration dies");
        let world = World::start(database, armed.disarmed()).await;
        return judge(cell, &world, None).await;
    }
    let mut world = World::start(database, armed).await;
    world.disarm();
    // In every other round the one that takes over runs already. What is due
    // it would do itself, and nobody would die.
    let early = cell.another
        && cell.postgres
        && number % 2 == 1
        && !matches!(cell.point, Point::Claimed | Point::LookedUp);
    if early {
        world.another_replica().await;
    }
    let told = pay_until_death(cell, &world).await;
    let signal = world.died(0, cell.point.name()).await;
    assert_eq!(signal, Some(ABORTED), "it dies there");
    if !early {
        // Nobody has gone on yet: before the send nothing is there.
        let there = arrived(cell, world.judge()).await;
        let sent = usize::from(cell.has_arrived());
        assert_eq!(there.len(), sent, "at the crash: {there:#?}");
    }
    let told = told.await.expect("callers do not panic");
    match (cell.another, early) {
        (false, _) => world.restart(0).await,
        (true, true) => {}
        (true, false) => {
            world.another_replica().await;
        }
    }
    judge(cell, &world, told).await
}

/// Starts what leads to the crash. The caller's answer, if there is one.
async fn pay_until_death(cell: Cell, world: &World) -> JoinHandle<Option<Operation>> {
    let caller = world.caller();
    if !cell.refund {
        let request = charge(ORDER, cell.method());
        return tokio::spawn(async move { caller.create(request).await.ok()?.operation });
    }
    let paid = caller
        .pay_until(charge(ORDER, cell.method()), Outcome::Succeeded)
        .await;
    if cell.point == Point::B4Sent {
        let slow = serde_json::json!({"kind": "delay_answer", "delay_ms": 1000});
        world.judge().fault(ORDER, "refund", 1, slow).await;
    }
    let request = give_back(&paid.operation_id, "return-1");
    tokio::spawn(async move { caller.compensate(request).await.ok()?.compensation })
}

async fn judge(cell: Cell, world: &World, told: Option<Operation>) -> usize {
    let caller = world.any_caller();
    let paid = retry_the_charge(&caller, cell).await;
    if let Some(told) = told.as_ref().filter(|_| !cell.refund) {
        assert_eq!(told.operation_id, paid.operation_id, "an acknowledged row");
    }
    if cell.refund {
        let given = retry_the_refund(&caller, &paid.operation_id).await;
        if let Some(told) = told {
            assert_eq!(told.operation_id, given.operation_id, "an acknowledged row");
        }
    }
    world.settle().await;
    let judge = world.judge();
    assert_eq!(judge.captures(ORDER).await.len(), 1, "captures");
    let refunds = judge.refunds(ORDER).await.len();
    assert_eq!(refunds, usize::from(cell.refund), "refunds");
    assert_eq!(
        broken_ledgers(world.database_url()).await,
        Vec::<String>::new()
    );
    arrivals(cell, judge).await
}

/// The requests of the dying step that arrived: one, whether the crash came
/// before the send or after it, and whatever was sent again has one key and
/// one body.
async fn arrivals(cell: Cell, judge: &Judge) -> usize {
    let posts = arrived(cell, judge).await;
    let contents: HashSet<_> = posts
        .iter()
        .map(|it| (&it.idempotency_key, &it.body_sha256))
        .collect();
    assert_eq!(contents.len(), 1, "one key, one body: {posts:#?}");
    assert_eq!(posts.len(), 1, "{posts:#?}");
    posts.len()
}

async fn arrived(cell: Cell, judge: &Judge) -> Vec<Request> {
    let mut posts = judge.posts(ORDER).await;
    posts.retain(|request| request.path.contains("refund") == cell.refund);
    posts
}

async fn retry_the_charge(caller: &Caller, cell: Cell) -> Operation {
    let accepted = until_accepted(async || caller.create(charge(ORDER, cell.method())).await).await;
    let operation = accepted.operation.expect("every answer holds it");
    if cell.refund {
        // Its refund may be on its way already.
        return caller.status(&operation.operation_id).await;
    }
    caller
        .until(&operation.operation_id, Outcome::Succeeded)
        .await
}

async fn retry_the_refund(caller: &Caller, operation_id: &str) -> Operation {
    let request = || give_back(operation_id, "return-1");
    let accepted = until_accepted(async || caller.compensate(request()).await).await;
    caller.until(operation_id, Outcome::Refunded).await;
    accepted.compensation.expect("a refund of its own")
}

/// As a client would that retries what was not accepted.
async fn until_accepted<T>(call: impl AsyncFn() -> Result<T, Refusal>) -> T {
    eventually("it is accepted", async || {
        call().await.map_err(|refused| format!("{refused:?}"))
    })
    .await
}
