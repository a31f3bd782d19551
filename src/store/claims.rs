//! Leases on due operations.
//!
//! Guarantees:
//! - a due operation without a live lease is handed to one claimer only, with
//!   an epoch higher than any before it;
//! - the database's clock decides what is due and which leases live;
//! - neither version nor ledger changes: a lease is not part of what the
//!   ledger replays to.

use std::collections::BTreeMap;
use std::time::Duration;

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    Statement,
};
use uuid::Uuid;

use super::entities::operations::{Column, Entity};
use super::read::{retried, unread_records};
use super::time::now_micros;
use super::trouble::Trouble;
use super::{Store, StoreError};
use crate::domain::ids::OperationId;
use crate::domain::operation::Record;
use crate::domain::reference::TenantId;
use crate::domain::time::Instant;

/// The door to leases. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Claims {
    store: Store,
}

/// Enough rows that, but for a burst of leases, the first free one is among
/// them.
const LOOK_AHEAD: u64 = 64;

impl Store {
    /// The door to leases.
    pub fn claims(&self) -> Claims {
        Claims {
            store: self.clone(),
        }
    }
}

impl Claims {
    /// Takes up to `limit` operations whose check is due and that nobody
    /// holds, oldest due first, for `lease`. A row that cannot be read stays
    /// leased until then, is logged, and keeps nobody else waiting.
    pub async fn claim_due(
        &self,
        owner: &str,
        lease: Duration,
        limit: u32,
    ) -> Result<Vec<Record>, StoreError> {
        let taken = self.take(owner, lease, limit).await?;
        if taken.is_empty() {
            return Ok(Vec::new());
        }
        let key = Expr::tuple([
            Expr::col((Entity, Column::Tenant)),
            Expr::col((Entity, Column::Id)),
        ]);
        let keys = taken
            .keys()
            .map(|(tenant, id)| Expr::tuple([Expr::value(tenant.as_str()), Expr::value(*id)]));
        let rows = Entity::find()
            .filter(key.is_in(keys))
            .order_by_asc(Column::NextCheckAt);
        let found = unread_records(&self.store.inner.connections.read, rows).await?;
        let mut claimed = Vec::with_capacity(found.len());
        for row in found {
            let epoch = row.lease_epoch();
            match row.read() {
                Ok(record) => {
                    let tenant = record.operation.intent.tenant.to_string();
                    // Another epoch means that this lease has lapsed already.
                    if taken.get(&(tenant, record.operation.id.0)) == Some(&epoch) {
                        claimed.push(record);
                    }
                }
                Err(error) => tracing::error!(%error, "a due operation cannot be read"),
            }
        }
        Ok(claimed)
    }

    /// Sets the leases, in one statement that is a transaction by itself.
    async fn take(
        &self,
        owner: &str,
        lease: Duration,
        limit: u32,
    ) -> Result<BTreeMap<(String, Uuid), i64>, StoreError> {
        let same_file = &self.store.inner.connections.same_file;
        same_file.check()?;
        let db = &self.store.inner.connections.write;
        let lease = i64::try_from(lease.as_micros()).unwrap_or(i64::MAX / 4);
        let claim = Statement::from_sql_and_values(
            db.get_database_backend(),
            claim_sql(db.get_database_backend()),
            [
                self.store.inner.shift.into(),
                i64::from(limit).into(),
                owner.into(),
                lease.into(),
            ],
        );
        let ask = async || {
            let rows = db.query_all_raw(claim.clone()).await;
            rows.inspect_err(|error| same_file.note(&Trouble::of(error)))
        };
        let rows = retried(ask).await?;
        let taken = rows.into_iter().map(|row| {
            let tenant: String = row.try_get_by_index(0)?;
            let key = (tenant, row.try_get_by_index(1)?);
            Ok((key, row.try_get_by_index(2)?))
        });
        let taken: Result<_, sea_orm::DbErr> = taken.collect();
        taken.map_err(|error| StoreError::Invariant(error.to_string()))
    }

    /// Gives a lease back, if it is still the one of `epoch`.
    pub async fn release(
        &self,
        tenant: &TenantId,
        id: OperationId,
        epoch: i64,
    ) -> Result<(), StoreError> {
        let free = Entity::update_many()
            .col_expr(Column::LeaseOwner, Expr::value(None::<String>))
            .col_expr(Column::LeaseUntil, Expr::value(None::<i64>))
            .filter(Column::Tenant.eq(tenant.as_str()))
            .filter(Column::Id.eq(id.0))
            .filter(Column::LeaseEpoch.eq(epoch));
        let db = &self.store.inner.connections.write;
        retried(|| free.clone().exec(db)).await?;
        Ok(())
    }

    /// When there is something to claim next, by the database's clock: the
    /// first due check that nobody holds, or the end of the lease on it. It
    /// can be a little early, and never is late.
    pub async fn next_due(&self) -> Result<Option<Instant>, StoreError> {
        let first = Entity::find()
            .select_only()
            .columns([Column::NextCheckAt, Column::LeaseUntil])
            .filter(Column::NextCheckAt.is_not_null())
            .order_by_asc(Column::NextCheckAt)
            .limit(LOOK_AHEAD);
        let db = &self.store.inner.connections.read;
        let pairs = || first.clone().into_tuple::<(i64, Option<i64>)>();
        let rows = retried(|| pairs().all(db)).await?;
        let claimable = rows
            .iter()
            .map(|(due, held)| std::cmp::max(*due, held.unwrap_or(*due)));
        // Rows beyond the look-ahead are due no sooner than its last one.
        let beyond = rows.last().filter(|_| rows.len() as u64 == LOOK_AHEAD);
        Ok(claimable
            .chain(beyond.map(|(due, _)| *due))
            .min()
            .map(Instant))
    }
}

/// `$1` shift, `$2` limit, `$3` owner, `$4` length, times in microseconds.
///
/// On PostgreSQL the clock is read once, before rows are looked at, so that
/// the index can be used; and the rows are picked in a part of their own,
/// which is not run again for each row of the UPDATE.
pub(super) fn claim_sql(backend: DbBackend) -> String {
    let now = now_micros(backend);
    match backend {
        DbBackend::Postgres => format!(
            "WITH clock AS MATERIALIZED (SELECT {now} + $1 AS now), \
             due AS MATERIALIZED ( \
                 SELECT tenant, id FROM operations \
                 WHERE next_check_at <= (SELECT now FROM clock) \
                 AND (lease_until IS NULL OR lease_until <= (SELECT now FROM clock)) \
                 ORDER BY next_check_at, id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED \
             ) \
             UPDATE operations SET lease_epoch = operations.lease_epoch + 1, \
                 lease_owner = $3, lease_until = (SELECT now FROM clock) + $4 \
             FROM due WHERE operations.tenant = due.tenant AND operations.id = due.id \
             RETURNING operations.tenant, operations.id, operations.lease_epoch"
        ),
        _ => format!(
            "UPDATE operations SET lease_epoch = lease_epoch + 1, \
                 lease_owner = $3, lease_until = {now} + $1 + $4 \
             WHERE (tenant, id) IN ( \
                 SELECT tenant, id FROM operations \
                 WHERE next_check_at <= {now} + $1 \
                 AND (lease_until IS NULL OR lease_until <= {now} + $1) \
                 ORDER BY next_check_at, id LIMIT $2 \
             ) \
             RETURNING tenant, id, lease_epoch"
        ),
    }
}
