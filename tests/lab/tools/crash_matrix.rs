//! `lab crash-matrix`: die at every failure point.

use std::process::ExitCode;

use serde::Serialize;

use super::{outcome, progress};
use crate::lab::crash_matrix::{Cell, Row, play};
use crate::lab::harness::built_commit;

/// Let the program die at every failure point, on both databases, and see who
/// goes on
///
/// In each round the real program aborts at one point; then the same replica
/// starts again, or another one that has nothing but the database takes over.
/// Exits with 1 if in any round it did not die there, if money moved twice, if
/// an acknowledged row is gone, if anything is not at rest, or if a ledger does
/// not replay to its row.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Rounds of each cell
    #[arg(long, default_value_t = 2)]
    rounds: u32,
    /// Rounds at the same time
    #[arg(long, default_value_t = 4)]
    jobs: usize,
    /// Only the points whose names contain this
    #[arg(long, default_value = "")]
    point: String,
    /// One line of JSON instead of an indented report
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    commit: String,
    points: usize,
    rounds: u32,
    crashes: u32,
    violations: usize,
    cells: Vec<Row>,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut cells = Cell::all();
    cells.retain(|cell| cell.point.name().contains(&args.point));
    let line = progress::line();
    let total = cells.len() * args.rounds as usize;
    let done = |count| line.set_message(format!("{count} of {total} rounds"));
    let rows = play(&cells, args.rounds, args.jobs, done).await;
    line.finish();
    let mut points: Vec<_> = cells.iter().map(|cell| cell.point.name()).collect();
    points.dedup();
    let report = Report {
        commit: built_commit(),
        points: points.len(),
        rounds: args.rounds,
        crashes: rows.iter().map(|row| row.hits).sum(),
        violations: rows.iter().map(|row| row.violations.len()).sum(),
        cells: rows,
    };
    let violated = report.violations > 0 || report.crashes as usize != total;
    outcome::show("crash-matrix", args.json, &report, violated)
}
