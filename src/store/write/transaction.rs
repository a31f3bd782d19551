//! The statements of one transaction, set by set.

use sea_orm::{DatabaseTransaction, DbErr};

use super::{children, judge, operations};
#[cfg(debug_assertions)]
use crate::store::AttemptWrite;
use crate::store::Commit;
use crate::store::trouble::Trouble;

/// Why a group was not written.
pub(super) enum Refused {
    /// A version, a fence, a guard or a unique index did not hold.
    Stale,
    /// The database would not.
    Database(DbErr),
    /// A row that nothing but this commit can write was there before.
    Broken(String),
}

/// Writes everything the group holds. Operations come first: once their rows
/// are ours, nobody else can write what hangs on them.
pub(super) async fn write(
    transaction: &DatabaseTransaction,
    group: &[Commit],
) -> Result<(), Refused> {
    if !judge::rows_stand(transaction, group).await.map_err(raced)? {
        return Err(Refused::Stale);
    }
    let written = operations::insert(transaction, group)
        .await
        .map_err(raced)?
        && operations::update(transaction, group)
            .await
            .map_err(raced)?;
    if !written {
        return Err(Refused::Stale);
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
        Trouble::Unique => Refused::Stale,
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
