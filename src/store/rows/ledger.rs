//! `ledger`.

use sea_orm::ActiveValue::Set;

use super::Reader;
use crate::domain::ids::{CommitId, OperationId};
use crate::domain::ledger::LedgerRow;
use crate::domain::reference::TenantId;
use crate::domain::time::Instant;
use crate::store::StoreError;
use crate::store::entities::ledger::{ActiveModel, Model};

/// The stored form of a ledger row.
pub(in crate::store) fn ledger_row(row: &LedgerRow) -> ActiveModel {
    ActiveModel {
        tenant: Set(row.tenant.as_str().to_owned()),
        operation_id: Set(row.operation_id.0),
        version: Set(row.version),
        at: Set(row.at.0),
        commit_id: Set(row.commit_id.0),
        event: Set(row.event.clone()),
        body: Set(row.body.clone()),
        foreign_strings: Set(row.foreign.clone()),
        previous: Set(row.previous.to_vec()),
        hash: Set(row.hash.to_vec()),
    }
}

/// The ledger row as it was sealed. Whether the chain holds is for
/// `domain::ledger::replay` to say.
pub(in crate::store) fn ledger_from(row: Model) -> Result<LedgerRow, StoreError> {
    let read = Reader::new(
        "ledger",
        format_args!("{} version {}", row.operation_id, row.version),
    );
    Ok(LedgerRow {
        tenant: read.take("tenant", TenantId::parse(&row.tenant).ok())?,
        operation_id: OperationId(row.operation_id),
        version: row.version,
        at: Instant(row.at),
        commit_id: CommitId(row.commit_id),
        event: row.event,
        previous: read.hash("previous", &row.previous)?,
        hash: read.hash("hash", &row.hash)?,
        body: row.body,
        foreign: row.foreign_strings,
    })
}
