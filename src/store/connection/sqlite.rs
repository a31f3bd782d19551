//! SQLite.
//!
//! Guarantees:
//! - settings that durability rests on are read back, not believed;
//! - a connection whose last transaction went wrong is never used again. When
//!   a COMMIT fails on a full or broken disk, SQLite has rolled back by itself;
//!   sqlx 0.9 still counts the transaction, and would run the next ones as
//!   savepoints inside one that nobody ever commits;
//! - a file that is not payonce's, is damaged, or lies where SQLite cannot
//!   keep its word is refused, and never changed.

mod hold;
mod place;

use std::time::Duration;

use payonce_migrations::SQLITE_APPLICATION_ID;
use sea_orm::sqlx::Connection;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sea_orm::{
    ConnectionTrait, Database, DatabaseConnection, DbBackend, DbErr, QueryResult, Statement, sqlx,
};

use super::postgres::Watch;
use super::{Connections, SameFile, Shares, options, unavailable};
use crate::store::StoreError;
use crate::store::trouble::Trouble;

pub(in crate::store) use hold::Held;

/// How long a statement waits for another process's write lock. With its
/// retries a commit gives up well within the time that a caller waits.
const BUSY: Duration = Duration::from_millis(500);

/// The same for a migration, which is not tried again.
const BUSY_MIGRATING: Duration = Duration::from_secs(10);

/// Pages in the log after which it is written back into the database.
const CHECKPOINT_EVERY: i64 = 1000;

/// The log is cut to this length, in bytes, once a reader that held it up is
/// gone.
const LONGEST_LOG: i64 = 4 * 1024 * 1024;

/// Older ones can lose committed rows when a WAL is reset
/// (<https://sqlite.org/releaselog/3_51_3.html>).
const OLDEST: [u32; 3] = [3, 51, 3];

/// Opens an existing file: one connection that writes, others that cannot.
pub(super) async fn open(url: &str, shares: Shares) -> Result<Connections, StoreError> {
    let named = place::named(url)?;
    place::check(&place::itself(&named)?)?;
    if !named.exists() {
        return Err(StoreError::Unusable(format!(
            "there is no file {}: `payonce migrate` makes it, and so does `payonce serve` \
             without --no-migrate",
            named.display()
        )));
    }
    let same_file = SameFile::on_file(&named);
    let write = connect(url, shares.write, &same_file, |file| settings(file, BUSY)).await?;
    check(&write, BUSY).await?;
    // The checks have read the file, so its log is there too.
    same_file.settle();
    let read = connect(url, shares.read, &same_file, |file| {
        settings(file, BUSY).pragma("query_only", "1")
    })
    .await?;
    check(&read, BUSY).await?;
    Ok(Connections {
        write,
        read,
        lanes: shares.lanes as usize,
        hints: None,
        watch: Watch::nothing(),
        same_file,
    })
}

/// Opens a file to migrate it, and makes it if it is missing.
pub(super) async fn create(url: &str) -> Result<DatabaseConnection, StoreError> {
    place::check(&place::itself(&place::named(url)?)?)?;
    let db = connect(url, 1, &SameFile::default(), |file| {
        settings(file, BUSY_MIGRATING).create_if_missing(true)
    })
    .await?;
    check(&db, BUSY_MIGRATING).await?;
    Ok(db)
}

async fn connect(
    url: &str,
    max_connections: u32,
    same_file: &SameFile,
    settings: impl Fn(SqliteConnectOptions) -> SqliteConnectOptions + Send + Sync + 'static,
) -> Result<DatabaseConnection, StoreError> {
    let mut options = options(url, max_connections);
    // The last connection that closes takes the log with it: while the store
    // is open there is always one.
    options
        .idle_timeout(None::<Duration>)
        .max_lifetime(None::<Duration>);
    options.map_sqlx_sqlite_opts(settings);
    options.map_sqlx_sqlite_before_acquire(|connection, _| {
        let clean = !connection.is_in_transaction();
        Box::pin(async move { Ok(clean) })
    });
    let same_file = same_file.clone();
    options.map_sqlx_sqlite_pool_opts(move |pool| {
        let same_file = same_file.clone();
        pool.after_connect(move |_, _| {
            let stands = same_file.check();
            Box::pin(async move { stands.map_err(|error| sqlx::Error::Io(other(error))) })
        })
    });
    Database::connect(options).await.map_err(|e| refusal(&e))
}

fn other(error: StoreError) -> std::io::Error {
    std::io::Error::other(error)
}

fn settings(file: SqliteConnectOptions, busy: Duration) -> SqliteConnectOptions {
    file.journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(busy)
        .pragma("mmap_size", "0")
        .pragma("wal_autocheckpoint", CHECKPOINT_EVERY.to_string())
        .pragma("journal_size_limit", LONGEST_LOG.to_string())
}

/// Reads back what was set: a setting that did not take is found here, not
/// after a crash.
async fn check(db: &DatabaseConnection, busy: Duration) -> Result<(), StoreError> {
    new_enough(&ask::<String>(db, "SELECT sqlite_version()").await?)?;
    let journal: String = ask(db, "PRAGMA journal_mode").await?;
    expect("journal_mode", "wal", journal)?;
    let busy = i64::try_from(busy.as_millis()).unwrap_or(i64::MAX);
    let numbers = [
        ("synchronous", 2),
        ("foreign_keys", 1),
        ("busy_timeout", busy),
        ("mmap_size", 0),
        ("wal_autocheckpoint", CHECKPOINT_EVERY),
        ("journal_size_limit", LONGEST_LOG),
    ];
    for (pragma, wanted) in numbers {
        let found: i64 = ask(db, &format!("PRAGMA {pragma}")).await?;
        expect(pragma, wanted, found)?;
    }
    ours_or_nobodys(ask(db, "PRAGMA application_id").await?)
}

fn new_enough(version: &str) -> Result<(), StoreError> {
    let parts: Vec<u32> = version.split('.').map_while(|n| n.parse().ok()).collect();
    if parts.as_slice() < OLDEST.as_slice() {
        return Err(StoreError::Unusable(format!(
            "SQLite must be 3.51.3 or newer, and is {version}"
        )));
    }
    Ok(())
}

/// A file without a mark is empty, or of an older shape, which the schema's
/// checksum tells.
fn ours_or_nobodys(mark: i64) -> Result<(), StoreError> {
    if mark == 0 || mark == i64::from(SQLITE_APPLICATION_ID) {
        return Ok(());
    }
    Err(StoreError::Unusable(format!(
        "the file is the database of another program (its application_id is {mark})"
    )))
}

/// Damage and strange files do not pass by themselves.
fn refusal(error: &DbErr) -> StoreError {
    match Trouble::of(error) {
        Trouble::Damaged(said) => StoreError::Unusable(format!(
            "the file is damaged or is no database, and was left as it is: {said}"
        )),
        _ => unavailable(error),
    }
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
    let row = db.query_one_raw(asked).await.map_err(|e| refusal(&e))?;
    let value = |row: QueryResult| row.try_get_by_index(0).ok();
    row.and_then(value)
        .ok_or_else(|| StoreError::Unusable(format!("SQLite does not answer {sql}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_library_is_refused() {
        for old in ["3.51.2", "3.40.1", "2.8.17", "3.51", "", "new"] {
            assert!(new_enough(old).is_err(), "{old}");
        }
        for new in ["3.51.3", "3.52.0", "4.0.0"] {
            assert!(new_enough(new).is_ok(), "{new}");
        }
    }

    #[test]
    fn the_file_of_another_program_is_refused() {
        assert!(ours_or_nobodys(0).is_ok());
        assert!(ours_or_nobodys(SQLITE_APPLICATION_ID.into()).is_ok());
        assert!(ours_or_nobodys(252_006_673).is_err(), "Fossil's");
    }
}
