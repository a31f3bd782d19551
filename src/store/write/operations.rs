//! `operations`: rows that must not exist, and rows that must have a version.

use sea_orm::sea_query::{Expr, OnConflict, SimpleExpr};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter,
    UpdateMany, Value,
};

use crate::domain::operation::Lease;
use crate::store::entities::operations::{ActiveModel, Column, Entity};
use crate::store::{Commit, LeaseWrite, Write, rows};

/// Inserts the new operations. False when another row has the id or the
/// identity of one of them.
pub(super) async fn insert(
    transaction: &DatabaseTransaction,
    group: &[Commit],
) -> Result<bool, DbErr> {
    let new = group.iter().flat_map(|commit| &commit.writes);
    let new = new.filter(|write| write.expected.is_none());
    let new: Vec<ActiveModel> = new.map(new_row).collect();
    let count = new.len() as u64;
    if count == 0 {
        return Ok(true);
    }
    // Without a target: any unique index counts. Only the number of rows
    // tells; RETURNING would call a conflict an error.
    let inserted = Entity::insert_many(new)
        .on_conflict(OnConflict::new().do_nothing().to_owned())
        .exec_without_returning(transaction)
        .await?;
    Ok(inserted == count)
}

fn new_row(write: &Write) -> ActiveModel {
    let lease = match &write.lease {
        LeaseWrite::Take(lease) => lease.clone(),
        LeaseWrite::Keep | LeaseWrite::Extend { .. } | LeaseWrite::Release { .. } => {
            Lease::default()
        }
    };
    rows::inserted(&write.record.operation, &lease)
}

/// Updates the others, in the order of their ids. False when a version or a
/// fence does not hold.
pub(super) async fn update(
    transaction: &DatabaseTransaction,
    group: &[Commit],
) -> Result<bool, DbErr> {
    let of_commit = |commit: &'_ Commit| commit.tenant.clone();
    let changed = group.iter().flat_map(|commit| {
        let tenant = of_commit(commit);
        let writes = commit.writes.iter();
        writes.filter_map(move |write| Some((tenant.clone(), write, write.expected?)))
    });
    let mut changed: Vec<_> = changed.collect();
    changed.sort_by_key(|(tenant, write, _)| (tenant.clone(), write.record.operation.id));
    for (_, write, expected) in changed {
        let updated = guarded(write, expected).exec(transaction).await?;
        if updated.rows_affected != 1 {
            return Ok(false);
        }
    }
    Ok(true)
}

fn guarded(write: &Write, expected: i64) -> UpdateMany<Entity> {
    let operation = &write.record.operation;
    let mut row = rows::updated(operation);
    put_lease(&mut row, &write.lease);
    let mut update = Entity::update_many()
        .set(row)
        .filter(Column::Tenant.eq(operation.intent.tenant.as_str()))
        .filter(Column::Id.eq(operation.id.0))
        .filter(Column::Version.eq(expected));
    if let Some(epoch) = write.fence {
        update = update.filter(Column::LeaseEpoch.eq(epoch));
    }
    match &write.lease {
        LeaseWrite::Keep => update,
        LeaseWrite::Take(lease) => update.filter(Column::LeaseEpoch.eq(lease.epoch - 1)),
        LeaseWrite::Extend { .. } => update.filter(Column::LeaseOwner.is_not_null()),
        LeaseWrite::Release { epoch } => update
            .col_expr(
                Column::LeaseOwner,
                unless(*epoch, Column::LeaseOwner, Value::String(None)),
            )
            .col_expr(
                Column::LeaseUntil,
                unless(*epoch, Column::LeaseUntil, Value::BigInt(None)),
            ),
    }
}

fn put_lease(row: &mut ActiveModel, lease: &LeaseWrite) {
    match lease {
        LeaseWrite::Keep | LeaseWrite::Release { .. } => {}
        LeaseWrite::Take(lease) => {
            row.lease_epoch = Set(lease.epoch);
            row.lease_owner = Set(lease.owner.clone());
            row.lease_until = Set(lease.until.map(|until| until.0));
        }
        LeaseWrite::Extend { until } => row.lease_until = Set(Some(until.0)),
    }
}

/// Nothing, if the lease is still that of `epoch`; else what is there.
fn unless(epoch: i64, column: Column, nothing: Value) -> SimpleExpr {
    Expr::case(Column::LeaseEpoch.eq(epoch), Expr::value(nothing))
        .finally(Expr::col(column))
        .into()
}
