//! The statements of one transaction, set by set.

use sea_orm::{DatabaseTransaction, DbErr};

use super::{children, judge, operations};
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
    children::effects(transaction, group).await.map_err(raced)?;
    children::cases(transaction, group).await.map_err(raced)?;
    children::attempts(transaction, group)
        .await
        .map_err(alone)?;
    children::ledger(transaction, group).await.map_err(alone)?;
    children::outbox(transaction, group).await.map_err(alone)
}

/// Another writer can have been first.
fn raced(error: DbErr) -> Refused {
    match Trouble::of(&error) {
        Trouble::Unique => Refused::Void(Verdict::Stale),
        Trouble::Rule(_) | Trouble::Passing(_) | Trouble::Lasting(_) => Refused::Database(error),
    }
}

/// Nobody else can have been first.
fn alone(error: DbErr) -> Refused {
    match Trouble::of(&error) {
        Trouble::Unique => Refused::Broken(error.to_string()),
        Trouble::Rule(_) | Trouble::Passing(_) | Trouble::Lasting(_) => Refused::Database(error),
    }
}
