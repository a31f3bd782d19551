//! The only user of SeaORM: commit, claims, inbox, reads. (placeholder)
#![allow(missing_docs, clippy::unimplemented, unused_variables)]
pub mod claims;
use crate::domain::{
    attempt::*, ids::*, ledger::LedgerRow, operation::*, reference::*, state::State, time::Instant,
};
use std::time::Duration;
#[derive(Clone)]
pub struct Store;
#[derive(Clone, Debug)]
pub struct StoreOptions {
    pub urls: Vec<String>,
    pub max_connections: u32,
    pub deployment: String,
    pub shift: Duration,
}
#[derive(Debug)]
pub struct MigrationReport;
#[derive(Clone, Debug, Default)]
pub struct ListFilter {
    pub states: Vec<State>,
    pub order_id: Option<OrderId>,
    pub created_from: Option<Instant>,
    pub created_before: Option<Instant>,
}
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub after: Option<(Instant, OperationId)>,
    pub size: u32,
}
#[derive(Clone, Debug)]
pub struct Commit {
    pub id: CommitId,
    pub tenant: TenantId,
    pub writes: Vec<Write>,
    pub guards: Vec<Guard>,
    pub attempts: Vec<AttemptWrite>,
    pub outbox: Vec<OutboxMessage>,
}
#[derive(Clone, Debug)]
pub struct Write {
    pub expected: Option<i64>,
    pub record: Record,
    pub fence: Option<i64>,
    pub lease: LeaseWrite,
    pub ledger: LedgerRow,
    pub cases: Vec<CaseWrite>,
}
#[derive(Clone, Debug)]
pub enum CaseWrite {
    Open {
        case_id: CaseId,
        reason: ReviewReason,
        opened_at: Instant,
    },
    Close {
        case_id: CaseId,
        closed_at: Instant,
    },
}
#[derive(Clone, Debug)]
pub enum LeaseWrite {
    Keep,
    Take(Lease),
    Extend { until: Instant },
    Release { epoch: i64 },
}
#[derive(Clone, Debug)]
pub struct Guard {
    pub operation_id: OperationId,
    pub version: i64,
}
#[derive(Clone, Debug)]
pub enum AttemptWrite {
    Open(Attempt),
    Close {
        id: AttemptId,
        result: AttemptResult,
        ended_at: Instant,
    },
}
#[derive(Clone, Debug)]
pub struct OutboxMessage {
    pub id: uuid::Uuid,
    pub operation_id: OperationId,
    pub version: i64,
    pub kind: &'static str,
    pub created_at: Instant,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Applied,
    Stale,
}
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("unavailable {0}")]
    Unavailable(String),
    #[error("undetermined")]
    Undetermined,
}
#[derive(Clone, Debug)]
pub struct StoredAttempt {
    pub attempt: Attempt,
    pub result: Option<AttemptResult>,
    pub ended_at: Option<Instant>,
}
impl Store {
    pub async fn migrate(urls: &[String]) -> Result<MigrationReport, StoreError> {
        unimplemented!()
    }
    pub async fn connect(options: StoreOptions) -> Result<Store, StoreError> {
        unimplemented!()
    }
    pub async fn close(&self) {}
    pub async fn now(&self) -> Result<Instant, StoreError> {
        unimplemented!()
    }
    pub async fn commit(&self, commit: Commit) -> Result<Verdict, StoreError> {
        unimplemented!()
    }
    pub async fn record(
        &self,
        tenant: &TenantId,
        id: OperationId,
    ) -> Result<Option<Record>, StoreError> {
        unimplemented!()
    }
    pub async fn payment(
        &self,
        tenant: &TenantId,
        order: &OrderId,
        purpose: &Purpose,
        generation: Option<i32>,
    ) -> Result<Option<Record>, StoreError> {
        unimplemented!()
    }
    pub async fn payments_of_order(
        &self,
        tenant: &TenantId,
        order: &OrderId,
    ) -> Result<Vec<Record>, StoreError> {
        unimplemented!()
    }
    pub async fn compensation(
        &self,
        tenant: &TenantId,
        parent: OperationId,
        label: &Label,
    ) -> Result<Option<Record>, StoreError> {
        unimplemented!()
    }
    pub async fn compensations(
        &self,
        tenant: &TenantId,
        parent: OperationId,
    ) -> Result<Vec<Operation>, StoreError> {
        unimplemented!()
    }
    pub async fn list(
        &self,
        tenant: &TenantId,
        filter: &ListFilter,
        page: Page,
    ) -> Result<Vec<Record>, StoreError> {
        unimplemented!()
    }
    pub async fn history(
        &self,
        tenant: &TenantId,
        id: OperationId,
    ) -> Result<Vec<LedgerRow>, StoreError> {
        unimplemented!()
    }
    pub async fn attempts(
        &self,
        tenant: &TenantId,
        id: OperationId,
    ) -> Result<Vec<StoredAttempt>, StoreError> {
        unimplemented!()
    }
    pub fn claims(&self) -> claims::Claims {
        claims::Claims
    }
}
