//! The ledger as callers see it: what the hashes cover, byte for byte.

use crate::domain::evolve::evolve;
use crate::domain::ledger::{self, LedgerRow};
use crate::domain::operation::Record;
use crate::domain::state::State;
use crate::proto::v1;

use super::{named, parts};

/// The entries of one operation, oldest first. Foreign strings stay behind:
/// the bytes hold their salted digests.
pub(in crate::api) fn ledger(rows: &[LedgerRow]) -> Vec<v1::LedgerEntry> {
    let mut record = None;
    let mut before = None;
    rows.iter()
        .map(|row| {
            record = next(record.take(), row);
            let after = record.as_ref().map(|it| it.operation.state);
            let entry = entry(row, before, after);
            before = after;
            entry
        })
        .collect()
}

/// The record after a row. A ledger that does not replay is shown all the
/// same, without states: whoever asks may be looking for the damage.
fn next(record: Option<Record>, row: &LedgerRow) -> Option<Record> {
    let facts = ledger::open(row);
    let facts = facts.inspect_err(|error| tracing::error!(%error, "a ledger cannot be read"));
    let next = evolve(row.operation_id, record, row.version, row.at, &facts.ok()?);
    next.inspect_err(|error| tracing::error!(%error, "a ledger cannot be replayed"))
        .ok()
}

fn entry(row: &LedgerRow, before: Option<State>, after: Option<State>) -> v1::LedgerEntry {
    let state =
        |state: Option<State>| state.map_or(v1::OperationState::Unspecified, named::state) as i32;
    let previous = if row.version == 1 {
        Vec::new()
    } else {
        row.previous.to_vec()
    };
    v1::LedgerEntry {
        operation_id: row.operation_id.to_string(),
        version: row.version,
        recorded_at: Some(parts::timestamp(row.at)),
        event: row.event.clone(),
        state_before: state(before),
        state_after: state(after),
        commit_id: row.commit_id.to_string(),
        content: row.body.clone().into_bytes(),
        previous_hash: previous,
        hash: row.hash.to_vec(),
    }
}
