//! Questions. None of them causes an effect.

use crate::domain::ids::OperationId;
use crate::domain::ledger::LedgerRow;
use crate::domain::reference::{OrderId, Purpose, TenantId};
use crate::domain::refusal::Refusal;

pub use crate::store::{ListFilter, Page};

use super::{Engine, EngineError, View};

impl Engine {
    /// An operation by its id.
    pub async fn get(&self, tenant: &TenantId, id: OperationId) -> Result<View, EngineError> {
        let record = self.inner.store.record(tenant, id).await?;
        self.view(record.ok_or(Refusal::NotFound)?).await
    }

    /// A payment by its reference; without a generation the newest.
    pub async fn find(
        &self,
        tenant: &TenantId,
        order_id: &OrderId,
        purpose: &Purpose,
        generation: Option<i32>,
    ) -> Result<View, EngineError> {
        let store = &self.inner.store;
        let record = store.payment(tenant, order_id, purpose, generation).await?;
        self.view(record.ok_or(Refusal::NotFound)?).await
    }

    /// A page of operations, newest first.
    pub async fn list(
        &self,
        tenant: &TenantId,
        filter: &ListFilter,
        page: Page,
    ) -> Result<Vec<View>, EngineError> {
        let records = self.inner.store.list(tenant, filter, page).await?;
        let mut views = Vec::with_capacity(records.len());
        for record in records {
            views.push(self.view(record).await?);
        }
        Ok(views)
    }

    /// The ledger of one operation, oldest row first.
    pub async fn history(
        &self,
        tenant: &TenantId,
        id: OperationId,
    ) -> Result<(View, Vec<LedgerRow>), EngineError> {
        let view = self.get(tenant, id).await?;
        let rows = self.inner.store.history(tenant, id).await?;
        Ok((view, rows))
    }
}
