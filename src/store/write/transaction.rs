//! The statements of one transaction, set by set.

use sea_orm::{DatabaseTransaction, DbErr};

use super::{children, judge, operations};
#[cfg(debug_assertions)]
use crate::store::AttemptWrite;
use crate::store::recovery::{self, Server};
use crate::store::trouble::Trouble;
use crate::store::{Commit, Verdict};

/// Why a group was not written.
pub(super) enum Refused {
    /// What it rests on does not hold: stale or displaced.
    Void(Verdict),
    /// The database would not.
    Database(DbErr),
    /// A row that nothing but this commit can write was there before.
    Broken(String),
}

/// Writes everything the group holds. Operations come first: once their rows
/// are ours, nobody else can write what hangs on them.
pub(super) async fn write(
    transaction: &DatabaseTransaction,
    server: Server,
    group: &[Commit],
) -> Result<(), Refused> {
    for footing in group.iter().filter_map(|commit| commit.footing) {
        let holds = recovery::footing_holds(transaction, server, footing).await;
        if !holds.map_err(raced)? {
            return Err(Refused::Void(Verdict::Displaced));
        }
    }
    if !judge::rows_stand(transaction, group).await.map_err(raced)? {
        return Err(Refused::Void(Verdict::Stale));
    }
    let written = operations::insert(transaction, group)
        .await
        .map_err(raced)?
        && operations::update(transaction, group)
            .await
            .map_err(raced)?;
    if !written {
        return Err(Refused::Void(Verdict::Stale));
    }
    #[cfg(debug_assertions)]
    halfway(group);
    children::effects(transaction, group).await.map_err(raced)?;
    children::cases(transaction, group).await.map_err(raced)?;
    children::attempts(transaction, group)
        .await
        .map_err(alone)?;
    children::ledger(transaction, group).await.map_err(alone)?;
    children::outbox(transaction, group).await.map_err(alone)
}

/// Between the operations and what hangs on them.
#[cfg(debug_assertions)]
fn halfway(group: &[Commit]) {
    use crate::failpoint::{Point, pass};
    let mut writes = group.iter().flat_map(|commit| &commit.writes);
    let new = writes.find(|write| write.expected.is_none());
    match new.map(|write| write.record.operation.intent.kind.is_payment()) {
        Some(true) => pass(Point::InsideReserve),
        Some(false) => pass(Point::InsideRefund),
        None => {}
    }
    for attempt in group.iter().flat_map(|commit| &commit.attempts) {
        match attempt {
            AttemptWrite::Open(_) => pass(Point::InsideIntent),
            AttemptWrite::Close { .. } => pass(Point::InsideFinish),
        }
    }
}

/// Another writer can have been first.
fn raced(error: DbErr) -> Refused {
    match Trouble::of(&error) {
        Trouble::Unique => Refused::Void(Verdict::Stale),
        Trouble::Rule(_) | Trouble::Passing(_) | Trouble::Lasting(_) | Trouble::Damaged(_) => {
            Refused::Database(error)
        }
    }
}

/// Nobody else can have been first.
fn alone(error: DbErr) -> Refused {
    match Trouble::of(&error) {
        Trouble::Unique => Refused::Broken(error.to_string()),
        Trouble::Rule(_) | Trouble::Passing(_) | Trouble::Lasting(_) | Trouble::Damaged(_) => {
            Refused::Database(error)
        }
    }
}
