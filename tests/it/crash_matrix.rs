//! The program dies at every failure point, and whoever goes on brings
//! everything to rest with one payment. `tests/crash-matrix` plays more rounds.

use std::collections::HashSet;

use payonce::failpoint::Point;

use crate::lab::crash_matrix::{Cell, play};

const ROUNDS: u32 = 2;
const JOBS: usize = 2;

async fn every_point(postgres: bool, another: bool) {
    let mut cells = Cell::all();
    cells.retain(|cell| (cell.postgres, cell.another) == (postgres, another));
    let rows = play(&cells, ROUNDS, JOBS, |_| {}).await;
    let visited: HashSet<Point> = cells.iter().map(|cell| cell.point).collect();
    assert_eq!(visited, Point::ALL.iter().copied().collect());
    for (cell, row) in cells.iter().zip(rows) {
        assert_eq!(row.violations, Vec::<String>::new(), "{cell:?}");
        assert_eq!(row.hits, ROUNDS, "{cell:?}");
    }
}

#[tokio::test]
async fn on_sqlite_the_same_replica_starts_again() {
    every_point(false, false).await;
}

#[tokio::test]
async fn on_sqlite_another_process_takes_over() {
    every_point(false, true).await;
}

#[tokio::test]
async fn on_postgres_the_same_replica_starts_again() {
    every_point(true, false).await;
}

#[tokio::test]
async fn on_postgres_another_replica_takes_over() {
    every_point(true, true).await;
}
