//! Reads. Every finder takes its tenant.
//!
//! Guarantees:
//! - an operation and its effects come from one statement, and so from one
//!   state of the database;
//! - a read is tried again while that can help, within its time.

mod accounts;
mod filter;
mod records;

use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, DatabaseConnection, DbErr, EntityTrait, QueryFilter, QueryOrder};
use sea_orm::{QuerySelect, Select};

use super::entities::{attempts, ledger, operations};
use super::trouble::Trouble;
use super::{Store, StoreError, rows};
use crate::domain::attempt::{Attempt, AttemptResult};
use crate::domain::ids::OperationId;
use crate::domain::ledger::LedgerRow;
use crate::domain::operation::{Operation, Record};
use crate::domain::reference::{OrderId, Purpose, TenantId};
use crate::domain::time::Instant;

pub use filter::{ListFilter, Page};
pub(super) use records::{records_of, unread_records};

/// How long a read may take, tries and all.
const PATIENCE: Duration = Duration::from_secs(15);

/// An attempt and how it ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredAttempt {
    /// As it was opened.
    pub attempt: Attempt,
    /// How it ended; `None` while that is not known.
    pub result: Option<AttemptResult>,
    /// When it ended.
    pub ended_at: Option<Instant>,
}

/// A payment, in the words of the partial indexes: bound values would keep
/// SQLite from using them.
pub(super) const IS_PAYMENT: &str = "kind IN ('CHARGE', 'AUTHORIZE')";

/// A compensation, in the words of the partial indexes.
pub(super) const IS_COMPENSATION: &str = "kind IN ('REFUND', 'VOID')";

pub(super) fn payments(tenant: &TenantId, order: &OrderId) -> Select<operations::Entity> {
    use operations::{Column, Entity};
    Entity::find()
        .filter(Column::Tenant.eq(tenant.as_str()))
        .filter(Column::OrderId.eq(order.as_str()))
        .filter(Expr::cust(IS_PAYMENT))
}

impl Store {
    /// One operation.
    pub async fn record(
        &self,
        tenant: &TenantId,
        id: OperationId,
    ) -> Result<Option<Record>, StoreError> {
        use operations::{Column, Entity};
        let one = Entity::find()
            .filter(Column::Tenant.eq(tenant.as_str()))
            .filter(Column::Id.eq(id.0));
        Ok(records_of(self.reading(), one).await?.pop())
    }

    /// The CHARGE or AUTHORIZE of that identity; without a generation the
    /// newest one.
    pub async fn payment(
        &self,
        tenant: &TenantId,
        order: &OrderId,
        purpose: &Purpose,
        generation: Option<i32>,
    ) -> Result<Option<Record>, StoreError> {
        use operations::Column;
        let of_purpose = payments(tenant, order).filter(Column::Purpose.eq(purpose.as_str()));
        let one = match generation {
            Some(generation) => of_purpose.filter(Column::Generation.eq(generation)),
            None => {
                let newest = of_purpose.clone().select_only();
                let newest = newest.column_as(Column::Generation.max(), "newest");
                let newest = sea_orm::QueryTrait::into_query(newest);
                of_purpose.filter(Column::Generation.in_subquery(newest))
            }
        };
        Ok(records_of(self.reading(), one).await?.pop())
    }

    /// Every CHARGE and AUTHORIZE of an order, oldest first.
    pub async fn payments_of_order(
        &self,
        tenant: &TenantId,
        order: &OrderId,
    ) -> Result<Vec<Record>, StoreError> {
        use operations::Column;
        let all = payments(tenant, order)
            .order_by_asc(Column::CreatedAt)
            .order_by_asc(Column::Id);
        records_of(self.reading(), all).await
    }

    /// Every compensation of an operation, oldest first.
    pub async fn compensations(
        &self,
        tenant: &TenantId,
        parent: OperationId,
    ) -> Result<Vec<Operation>, StoreError> {
        use operations::Column;
        let all = compensations(tenant, parent)
            .order_by_asc(Column::CreatedAt)
            .order_by_asc(Column::Id);
        let found = retried(|| all.clone().all(self.reading())).await?;
        found.into_iter().map(rows::operation_from).collect()
    }

    /// One page of a tenant's operations, newest first by
    /// (`created_at`, `id`).
    pub async fn list(
        &self,
        tenant: &TenantId,
        filter: &ListFilter,
        page: Page,
    ) -> Result<Vec<Record>, StoreError> {
        records_of(self.reading(), filter::one_page(tenant, filter, page)).await
    }

    /// The ledger of an operation, first row first.
    pub async fn history(
        &self,
        tenant: &TenantId,
        id: OperationId,
    ) -> Result<Vec<LedgerRow>, StoreError> {
        use ledger::{Column, Entity};
        let all = Entity::find()
            .filter(Column::Tenant.eq(tenant.as_str()))
            .filter(Column::OperationId.eq(id.0))
            .order_by_asc(Column::Version);
        let found = retried(|| all.clone().all(self.reading())).await?;
        found.into_iter().map(rows::ledger_from).collect()
    }

    /// The attempts of an operation, first one first.
    pub async fn attempts(
        &self,
        tenant: &TenantId,
        id: OperationId,
    ) -> Result<Vec<StoredAttempt>, StoreError> {
        use attempts::{Column, Entity};
        let all = Entity::find()
            .filter(Column::Tenant.eq(tenant.as_str()))
            .filter(Column::OperationId.eq(id.0))
            .order_by_asc(Column::Number);
        let found = retried(|| all.clone().all(self.reading())).await?;
        found.into_iter().map(rows::attempt_from).collect()
    }

    fn reading(&self) -> &DatabaseConnection {
        &self.inner.connections.read
    }
}

pub(super) fn compensations(tenant: &TenantId, parent: OperationId) -> Select<operations::Entity> {
    use operations::{Column, Entity};
    Entity::find()
        .filter(Column::Tenant.eq(tenant.as_str()))
        .filter(Column::Parent.eq(parent.0))
        .filter(Expr::cust(IS_COMPENSATION))
}

/// Runs a query that changes nothing, or whose change may happen twice.
pub(super) async fn retried<T, F>(query: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, DbErr>>,
{
    let policy = ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(30))
        .with_max_times(2);
    let passing = |error: &DbErr| matches!(Trouble::of(error), Trouble::Passing(_));
    let asked = tokio::time::timeout(PATIENCE, query.retry(policy).when(passing));
    match asked.await {
        Ok(answer) => answer.map_err(|error| Trouble::of(&error).into_error()),
        Err(_) => Err(StoreError::Unavailable(
            "the database did not answer in time".to_owned(),
        )),
    }
}
