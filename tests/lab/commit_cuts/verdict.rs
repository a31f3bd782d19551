//! Judges a cut commit by what is really in the database.

use std::collections::HashSet;

use payonce::domain::ledger;
use payonce::domain::operation::{Lease, Record};
use payonce::domain::reference::OrderId;
use payonce::engine::{EngineError, StoreError};
use payonce::store::{ListFilter, Page};

use super::Ending;
use super::kinds::Kind;
use super::world::{World, tenant};

/// What there was before the cut.
pub(super) struct Counts {
    commits: usize,
    cuts: usize,
    ledger: usize,
    operations: usize,
}

impl Counts {
    /// Of the proxy, and of the rows of one order, which are all that the
    /// commit under test may change.
    pub(super) async fn of(world: &World, order: &str) -> Counts {
        let rows = Rows::of(world, order).await;
        Counts {
            commits: world.proxy.commits(),
            cuts: world.proxy.cuts(),
            ledger: rows.ledger_rows(),
            operations: rows.operations.len(),
        }
    }
}

/// The rows of one order, each operation with its ledger and the number of
/// its attempts.
struct Rows {
    operations: Vec<(Record, Vec<ledger::LedgerRow>, usize)>,
}

impl Rows {
    async fn of(world: &World, order: &str) -> Rows {
        let filter = ListFilter {
            order_id: OrderId::parse(order).ok(),
            ..ListFilter::default()
        };
        let page = Page {
            after: None,
            size: 100,
        };
        let records = world.truth.list(&tenant(), &filter, page).await;
        let mut operations = Vec::new();
        for record in records.expect("the database can be asked") {
            let id = record.operation.id;
            let history = world.truth.history(&tenant(), id).await;
            let attempts = world.truth.attempts(&tenant(), id).await;
            let attempts = attempts.expect("the attempts are there").len();
            operations.push((record, history.expect("the ledger is there"), attempts));
        }
        Rows { operations }
    }

    fn ledger_rows(&self) -> usize {
        self.operations.iter().map(|(_, rows, _)| rows.len()).sum()
    }

    /// What is wrong with the rows, whatever was said about them.
    fn faults(&self) -> Vec<String> {
        self.operations.iter().flat_map(faults_of).collect()
    }
}

fn faults_of((record, rows, attempts): &(Record, Vec<ledger::LedgerRow>, usize)) -> Vec<String> {
    let mut faults = Vec::new();
    match ledger::replay(rows) {
        Ok(Some(replayed)) if replayed == without_lease(record.clone()) => {}
        other => faults.push(format!(
            "its ledger leads to {other:?}, the row is {record:?}"
        )),
    }
    let commits: HashSet<_> = rows.iter().map(|row| row.commit_id).collect();
    if commits.len() != rows.len() {
        faults.push("one commit stands in two of its ledger rows".to_owned());
    }
    if usize::try_from(record.operation.progress.attempts) != Ok(*attempts) {
        faults.push(format!("it has {attempts} rows of attempts: {record:?}"));
    }
    faults
}

/// The ledger does not tell of leases.
fn without_lease(mut record: Record) -> Record {
    record.operation.lease = Lease::default();
    record
}

/// How the cut ended, and what is wrong about that.
pub(super) async fn judge(
    world: &mut World,
    kind: Kind,
    order: &str,
    before: Counts,
    said: Result<Record, EngineError>,
) -> (Ending, Vec<String>) {
    let mut faults = Vec::new();
    if world.proxy.disarm() || world.proxy.cuts() != before.cuts + 1 {
        faults.push("no connection was cut".to_owned());
    }
    let rows = Rows::of(world, order).await;
    faults.extend(rows.faults());
    let written = rows.ledger_rows() - before.ledger;
    let made = rows.operations.len() - before.operations;
    let wanted = (kind.ledger_rows(), usize::from(kind.makes_an_operation()));
    let ending = match said {
        Ok(acknowledged) => {
            if (written, made) != wanted {
                faults.push(format!(
                    "acknowledged, and it wrote {written} rows, {made} new"
                ));
            }
            let acknowledged = without_lease(acknowledged);
            let mut stored = rows.operations.into_iter().map(|(record, ..)| record);
            if !stored.any(|record| without_lease(record) == acknowledged) {
                faults.push(format!("acknowledged, and not there: {acknowledged:?}"));
            }
            match world.proxy.commits() - before.commits {
                1 => Ending::Applied,
                _ => Ending::Retried,
            }
        }
        Err(EngineError::Store(StoreError::Undetermined)) => Ending::Undetermined,
        Err(error) => {
            if (written, made) != (0, 0) {
                faults.push(format!("{error}, and it wrote {written} rows, {made} new"));
            } else {
                faults.push(format!("refused although the database was there: {error}"));
            }
            Ending::Refused
        }
    };
    world.forget_dispatches();
    (ending, faults)
}
