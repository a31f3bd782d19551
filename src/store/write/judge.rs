//! Whether a commit may be written: first by itself, then beside the rows
//! that are there.

use std::collections::BTreeMap;

use sea_orm::sea_query::{Expr, ExprTrait, LockType};
use sea_orm::{DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use crate::store::entities::operations::{Column, Entity};
use crate::store::{AttemptWrite, Commit, StoreError, Write};

/// A commit whose parts do not fit each other is a mistake in the code, and
/// is refused before anything is written.
pub(super) fn well_formed(commit: &Commit) -> Result<(), StoreError> {
    let refuse = |what: &str| {
        Err(StoreError::Invariant(format!(
            "commit {}: {what}",
            commit.id
        )))
    };
    if commit.writes.is_empty() {
        return refuse("it writes no operation");
    }
    let opened = |attempt: &AttemptWrite| match attempt {
        AttemptWrite::Open(attempt) => attempt.tenant == commit.tenant,
        AttemptWrite::Close { .. } => true,
    };
    if !commit.attempts.iter().all(opened) {
        return refuse("it opens an attempt of another tenant");
    }
    for write in &commit.writes {
        let (operation, ledger) = (&write.record.operation, &write.ledger);
        let tenants = [&operation.intent.tenant, &ledger.tenant];
        if tenants.into_iter().any(|tenant| *tenant != commit.tenant) {
            return refuse("it writes a row of another tenant");
        }
        let row = (ledger.operation_id, ledger.version, ledger.commit_id);
        if row != (operation.id, operation.version, commit.id) {
            return refuse("a ledger row is not the one of its write");
        }
        if ledger.hash != operation.ledger_head {
            return refuse("a ledger row is not the head of its operation");
        }
        if operation.version != write.expected.unwrap_or(0) + 1 {
            return refuse("a version does not follow the expected one");
        }
    }
    Ok(())
}

/// Locks, in the order of their ids, all rows that the group changes or rests
/// on, and says whether they have the versions they should. A single change
/// that rests on nothing else is judged by its own UPDATE.
pub(super) async fn rows_stand(
    transaction: &DatabaseTransaction,
    group: &[Commit],
) -> Result<bool, DbErr> {
    let writes = group
        .iter()
        .map(|commit| commit.writes.len())
        .sum::<usize>();
    let Some(wanted) = wanted(group) else {
        return Ok(false);
    };
    if wanted.is_empty() || (writes == 1 && group.iter().all(|c| c.guards.is_empty())) {
        return Ok(true);
    }
    let keys = wanted
        .keys()
        .map(|(tenant, id)| Expr::tuple([Expr::value(*tenant), Expr::value(*id)]));
    let key = Expr::tuple([Expr::col(Column::Tenant), Expr::col(Column::Id)]);
    let found: Vec<(String, Uuid, i64)> = Entity::find()
        .select_only()
        .columns([Column::Tenant, Column::Id, Column::Version])
        .filter(key.is_in(keys))
        .order_by_asc(Column::Tenant)
        .order_by_asc(Column::Id)
        .lock(LockType::NoKeyUpdate)
        .into_tuple()
        .all(transaction)
        .await?;
    let stands = |(tenant, id, version): &(String, Uuid, i64)| {
        wanted.get(&(tenant.as_str(), *id)) == Some(version)
    };
    Ok(found.len() == wanted.len() && found.iter().all(stands))
}

/// The versions that rows must have; `None` when a row would need two.
fn wanted(group: &[Commit]) -> Option<BTreeMap<(&str, Uuid), i64>> {
    let changed = |write: &Write| Some((write.record.operation.id.0, write.expected?));
    let mut wanted = BTreeMap::new();
    for commit in group {
        let guards = commit.guards.iter();
        let guarded = guards.map(|guard| (guard.operation_id.0, guard.version));
        let changed = commit.writes.iter().filter_map(changed);
        for (id, version) in guarded.chain(changed) {
            let key = (commit.tenant.as_str(), id);
            if wanted
                .insert(key, version)
                .is_some_and(|other| other != version)
            {
                return None;
            }
        }
    }
    Some(wanted)
}
