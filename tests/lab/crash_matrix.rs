//! The crash matrix: the real program dies at every failure point, on both
//! databases, and either starts again or is replaced by a second replica that
//! knows nothing. Then the processor's ledger judges.

mod cell;
mod round;

use std::thread;

use futures_util::stream::{self, StreamExt};
use serde::Serialize;

pub(crate) use cell::Cell;

use crate::lab::database::TestDatabase;

/// What became of the rounds of one cell.
#[derive(Serialize)]
pub(crate) struct Row {
    point: &'static str,
    step: &'static str,
    database: &'static str,
    recovery: &'static str,
    /// How often the process died there: every round, or the round failed.
    pub(crate) hits: u32,
    /// How often the request arrived at the processor, over all rounds.
    arrivals: usize,
    pub(crate) violations: Vec<String>,
}

/// Plays every cell `rounds` times, `jobs` rounds at once, and tells `done`
/// how many rounds are over.
pub(crate) async fn play(
    cells: &[Cell],
    rounds: u32,
    jobs: usize,
    mut done: impl FnMut(usize),
) -> Vec<Row> {
    let mut rows: Vec<Row> = cells.iter().map(|cell| Row::of(*cell)).collect();
    let all = (0..rounds).flat_map(|round| {
        let numbered = cells.iter().copied().enumerate();
        numbered.map(move |(number, cell)| async move { (number, guarded(cell, round).await) })
    });
    let mut ended = stream::iter(all).buffer_unordered(jobs);
    let mut count = 0;
    while let Some((number, end)) = ended.next().await {
        count += 1;
        done(count);
        let row = &mut rows[number];
        match end {
            Ok(arrivals) => {
                row.hits += 1;
                row.arrivals += arrivals;
            }
            Err(violation) => row.violations.push(violation),
        }
    }
    rows
}

/// One round in a thread of its own, with which its processes die; a failed
/// assertion is a violation.
async fn guarded(cell: Cell, number: u32) -> Result<usize, String> {
    let round = move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let database = if cell.postgres {
                TestDatabase::postgres()
            } else {
                TestDatabase::sqlite()
            };
            round::play(cell, number, database).await
        })
    };
    let ended = tokio::task::spawn_blocking(move || thread::spawn(round).join());
    let ended = ended.await.expect("it waits for a thread");
    ended.map_err(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        said.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_else(|| "a panic without words".to_owned())
    })
}

impl Row {
    fn of(cell: Cell) -> Row {
        Row {
            point: cell.point.name(),
            step: if cell.refund { "refund" } else { "charge" },
            database: if cell.postgres { "postgres" } else { "sqlite" },
            recovery: if cell.another {
                "another takes over"
            } else {
                "the same restarts"
            },
            hits: 0,
            arrivals: 0,
            violations: Vec::new(),
        }
    }
}
