//! Finding and opening the database.
//!
//! Guarantees:
//! - of several PostgreSQL servers the one that can be written to is used,
//!   also for reads: a decision never rests on a standby;
//! - writing and reading have connections of their own, so that readers
//!   cannot keep a commit waiting for one.
//!
//! Addresses can hold passwords, so errors speak of "url 2 of 3".

mod postgres;
mod same_file;
mod sqlite;

use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::postgres::PgPool;
use sea_orm::{ConnectOptions, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr};
use sea_orm::{SqliteTransactionMode, TransactionOptions, TransactionTrait};

use super::StoreError;
use super::trouble::Trouble;

pub(super) use same_file::SameFile;

/// How many commits PostgreSQL takes at once from one process, at most.
const MOST_LANES: u32 = 8;

/// How long anything waits for a connection.
const ACQUIRE: Duration = Duration::from_secs(3);

/// Connections that were idle for longer are tried before they are used.
/// Shorter than the pause before a second try: after a restart of the server
/// all idle ones are dead, and a commit must not use its tries up on them.
const TRUSTED_IDLE: Duration = Duration::from_millis(50);

/// The database, opened.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    /// For commits and claims.
    pub(super) write: DatabaseConnection,
    /// For everything else.
    pub(super) read: DatabaseConnection,
    /// How many commits may run at once.
    pub(super) lanes: usize,
    /// For wake-ups between replicas, where there can be several.
    pub(super) hints: Option<PgPool>,
    /// Follows the writable server while anybody holds it.
    #[expect(dead_code, reason = "it is there to be dropped")]
    watch: Arc<postgres::Watch>,
    /// Whether it is still the database that was opened.
    pub(super) same_file: SameFile,
}

/// How many connections are for what.
#[derive(Clone, Copy)]
struct Shares {
    lanes: u32,
    write: u32,
    read: u32,
}

/// Opens an existing store.
pub(super) async fn open(urls: &[String], max_connections: u32) -> Result<Connections, StoreError> {
    match only_kind(urls)? {
        Kind::Sqlite(url) => {
            let shares = Shares {
                lanes: 1,
                write: 1,
                read: max_connections.saturating_sub(1).max(1),
            };
            sqlite::open(url, shares).await
        }
        Kind::Postgres => {
            let lanes = (max_connections / 2).clamp(1, MOST_LANES);
            let write = lanes + u32::from(max_connections > lanes * 2);
            let shares = Shares {
                lanes,
                write,
                read: max_connections.saturating_sub(write).max(1),
            };
            postgres::open(urls, shares).await
        }
    }
}

/// Opens one connection to a database that may be empty or, for SQLite, not
/// exist yet.
pub(super) async fn open_to_migrate(urls: &[String]) -> Result<DatabaseConnection, StoreError> {
    match only_kind(urls)? {
        Kind::Sqlite(url) => sqlite::create(url).await,
        Kind::Postgres => postgres::open_to_migrate(urls).await,
    }
}

/// A database that no other process of payonce dispatches from, until this is
/// dropped. PostgreSQL has any number of replicas, and is never held.
#[derive(Debug)]
pub struct Hold(Option<sqlite::Held>);

/// Takes the database for this process alone, where it has to be.
pub(super) fn hold(urls: &[String]) -> Result<Hold, StoreError> {
    match only_kind(urls)? {
        Kind::Sqlite(url) => Ok(Hold(Some(sqlite::Held::take(url)?))),
        Kind::Postgres => Ok(Hold(None)),
    }
}

impl Hold {
    /// Remembers that the database exists now: if it is gone at a later
    /// start, it is not made anew.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if that cannot be written down.
    pub fn remember(&mut self) -> Result<(), StoreError> {
        self.0.as_mut().map_or(Ok(()), sqlite::Held::remember)
    }
}

enum Kind<'a> {
    Sqlite(&'a str),
    Postgres,
}

fn only_kind(urls: &[String]) -> Result<Kind<'_>, StoreError> {
    let is_postgres = |url: &&String| {
        let url = url.as_str();
        url.starts_with("postgres:") || url.starts_with("postgresql:")
    };
    let postgres = urls.iter().filter(is_postgres).count();
    let refuse = |rule: &str| Err(StoreError::Unusable(rule.to_owned()));
    match urls {
        [] => refuse("must name a database"),
        [url] if url.starts_with("sqlite:") && url.contains(":memory:") => {
            refuse("must name a file: a database in memory does not outlive its connection")
        }
        [url] if url.starts_with("sqlite:") => Ok(Kind::Sqlite(url)),
        _ if postgres == urls.len() => Ok(Kind::Postgres),
        [_] => refuse("must begin with sqlite: or postgres:"),
        _ => refuse("must be one sqlite: file, or a list of postgres: servers"),
    }
}

/// What SQLite is opened with.
fn options(url: &str, max_connections: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url.to_owned());
    options
        .max_connections(max_connections)
        .min_connections(0)
        .acquire_timeout(ACQUIRE)
        .connect_timeout(ACQUIRE)
        .sqlx_logging(false)
        .record_stmt_in_spans(false)
        .test_before_acquire_if_idle_for(TRUSTED_IDLE);
    options
}

/// A failure to open or to check a database.
fn unavailable(error: &DbErr) -> StoreError {
    Trouble::of(error).into_error()
}

/// Begins a transaction that will write. On SQLite it takes the write lock
/// at once: a reader that wants to become a writer cannot wait for it.
pub(super) async fn begin_to_write(db: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let immediate = db.get_database_backend() == DbBackend::Sqlite;
    db.begin_with_options(TransactionOptions {
        sqlite_transaction_mode: immediate.then_some(SqliteTransactionMode::Immediate),
        ..Default::default()
    })
    .await
}
