//! SQLite.

use std::time::Duration;

use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DbBackend, QueryResult, Statement};

use super::postgres::Watch;
use super::{Connections, Shares, options, unavailable};
use crate::store::StoreError;

/// How long a statement waits for another process's write lock.
const BUSY: Duration = Duration::from_secs(5);

/// Older ones can lose committed rows when a WAL is reset
/// (<https://sqlite.org/releaselog/3_51_3.html>).
const OLDEST: [u32; 3] = [3, 51, 3];

/// Opens an existing file: one connection that writes, others that cannot.
pub(super) async fn open(url: &str, shares: Shares) -> Result<Connections, StoreError> {
    let write = connect(url, shares.write, settings).await?;
    check(&write).await?;
    let read = connect(url, shares.read, |file| {
        settings(file).pragma("query_only", "1")
    })
    .await?;
    check(&read).await?;
    Ok(Connections {
        write,
        read,
        lanes: shares.lanes as usize,
        hints: None,
        watch: Watch::nothing(),
    })
}

/// Opens a file to migrate it, and makes it if it is missing.
pub(super) async fn create(url: &str) -> Result<DatabaseConnection, StoreError> {
    let db = connect(url, 1, |file| settings(file).create_if_missing(true)).await?;
    check(&db).await?;
    Ok(db)
}

async fn connect(
    url: &str,
    max_connections: u32,
    settings: impl Fn(SqliteConnectOptions) -> SqliteConnectOptions + Send + Sync + 'static,
) -> Result<DatabaseConnection, StoreError> {
    let mut options = options(url, max_connections);
    options.map_sqlx_sqlite_opts(settings);
    Database::connect(options)
        .await
        .map_err(|e| unavailable(&e))
}

fn settings(file: SqliteConnectOptions) -> SqliteConnectOptions {
    file.journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY)
        .pragma("mmap_size", "0")
}

/// Reads back what was set: a setting that did not take is found here, not
/// after a crash.
async fn check(db: &DatabaseConnection) -> Result<(), StoreError> {
    let version: String = ask(db, "SELECT sqlite_version()").await?;
    let parts: Vec<u32> = version.split('.').map_while(|n| n.parse().ok()).collect();
    if parts.as_slice() < OLDEST.as_slice() {
        return Err(StoreError::Unusable(format!(
            "SQLite must be 3.51.3 or newer, and is {version}"
        )));
    }
    let journal: String = ask(db, "PRAGMA journal_mode").await?;
    expect("journal_mode", "wal", journal)?;
    let busy = i64::try_from(BUSY.as_millis()).unwrap_or(i64::MAX);
    let numbers = [
        ("synchronous", 2),
        ("foreign_keys", 1),
        ("busy_timeout", busy),
        ("mmap_size", 0),
    ];
    for (pragma, wanted) in numbers {
        let found: i64 = ask(db, &format!("PRAGMA {pragma}")).await?;
        expect(pragma, wanted, found)?;
    }
    Ok(())
}

fn expect<W: ToString, F: ToString>(pragma: &str, wanted: W, found: F) -> Result<(), StoreError> {
    let (wanted, found) = (wanted.to_string(), found.to_string());
    if wanted == found {
        return Ok(());
    }
    Err(StoreError::Unusable(format!(
        "the file does not take {pragma} = {wanted}, it stays {found} (is it on a network drive?)"
    )))
}

async fn ask<T: sea_orm::TryGetable>(db: &DatabaseConnection, sql: &str) -> Result<T, StoreError> {
    let asked = Statement::from_string(DbBackend::Sqlite, sql.to_owned());
    let row = db.query_one_raw(asked).await.map_err(|e| unavailable(&e))?;
    let value = |row: QueryResult| row.try_get_by_index(0).ok();
    row.and_then(value)
        .ok_or_else(|| StoreError::Unusable(format!("SQLite does not answer {sql}")))
}
