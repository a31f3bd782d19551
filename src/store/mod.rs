//! The only user of SeaORM: commit, claims, reads.
//!
//! Guarantees:
//! - every change of an operation is one [`Commit`], applied as a whole or
//!   not at all, with its ledger row, and the verdict is never guessed;
//! - rows never leave: what comes out are domain types, and a row that they
//!   do not allow is [`StoreError::Corrupt`] with its id;
//! - every finder takes its tenant;
//! - the database's clock decides leases.
//!
//! `docs/store.md` shows the tables and says what each database needs.

mod commit;
mod committer;
mod connection;
mod entities;
mod error;
mod read;
mod rows;
mod schema;
mod time;
mod trouble;
mod wake_ups;
mod write;

pub mod claims;
pub mod recovery;

#[cfg(test)]
mod conformance;

use std::sync::Arc;
use std::time::Duration;

use sea_orm::{ConnectionTrait, Statement};

use crate::domain::time::Instant;
use committer::Committer;
use connection::Connections;
use wake_ups::WakeUps;
use write::Writer;

pub use commit::{
    AttemptWrite, CaseWrite, Commit, Footing, Guard, LeaseWrite, OutboxMessage, Verdict, Write,
};
pub use connection::Hold;
pub use error::StoreError;
pub use read::{ListFilter, Page, StoredAttempt};
pub use schema::MigrationReport;
pub use wake_ups::WakeUp;

/// What a store is opened with.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// One SQLite file, or PostgreSQL servers of which one can be written to.
    pub urls: Vec<String>,
    /// How many connections at most; at least 2 are used.
    pub max_connections: u32,
    /// `deployment.name`.
    pub deployment: String,
    /// Added to the database's time, to try tomorrow today. Zero in
    /// production.
    pub shift: Duration,
}

/// The operation store. Cheap to clone; clones share connections and queue.
#[derive(Clone, Debug)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    connections: Connections,
    commits: Committer,
    wake_ups: Option<WakeUps>,
    server: recovery::Server,
    /// Microseconds.
    shift: i64,
    #[cfg(test)]
    faults: write::fault::Faults,
}

impl Store {
    /// Takes the database for this process alone where it has to be: a SQLite
    /// file. Whoever dispatches from it or changes its shape holds it, and
    /// the kernel lets go when the process ends.
    ///
    /// # Errors
    /// [`StoreError::Held`] if another process has it;
    /// [`StoreError::Unusable`] if the file was there once and is gone, or
    /// lies where SQLite cannot keep its word.
    pub fn hold(urls: &[String]) -> Result<Hold, StoreError> {
        connection::hold(urls)
    }

    /// Makes the tables in the first writable database of the list, and the
    /// SQLite file if it is missing. Safe to run from several replicas at
    /// once; does nothing when everything is there.
    pub async fn migrate(urls: &[String]) -> Result<MigrationReport, StoreError> {
        schema::migrate(urls).await
    }

    /// Opens a migrated database and starts the task that commits.
    pub async fn connect(options: StoreOptions) -> Result<Store, StoreError> {
        let connections = connection::open(&options.urls, options.max_connections).await?;
        schema::check(&connections.write).await?;
        schema::claim_for_deployment(&connections.write, &options.deployment).await?;
        let server = recovery::Server::ask(&connections.write).await?;
        let writer = Writer::new(
            connections.write.clone(),
            connections.same_file.clone(),
            server,
        );
        #[cfg(test)]
        let faults = writer.faults.clone();
        let inner = Inner {
            commits: Committer::start(writer, connections.lanes),
            wake_ups: connections.hints.clone().map(WakeUps::start),
            connections,
            server,
            shift: i64::try_from(options.shift.as_micros()).unwrap_or(i64::MAX / 4),
            #[cfg(test)]
            faults,
        };
        Ok(Store {
            inner: Arc::new(inner),
        })
    }

    /// Takes no more commits, answers those that were taken, and closes the
    /// connections.
    pub async fn close(&self) {
        self.inner.commits.close().await;
        let Connections {
            write, read, hints, ..
        } = self.inner.connections.clone();
        if let Some(hints) = hints {
            hints.close().await;
        }
        for pool in [write, read] {
            if let Err(error) = pool.close().await {
                tracing::warn!(%error, "a connection pool did not close");
            }
        }
    }

    /// The database's time, shifted, in microseconds. Costs a round trip: use
    /// [`crate::clock::Clock`] for everything but sampling it.
    pub async fn now(&self) -> Result<Instant, StoreError> {
        let db = &self.inner.connections.read;
        let backend = db.get_database_backend();
        let sql = format!("SELECT {} AS now", time::now_micros(backend));
        let asked = Statement::from_string(backend, sql);
        let row = read::retried(|| db.query_one_raw(asked.clone())).await?;
        let now: Option<i64> = row.and_then(|row| row.try_get_by_index(0).ok());
        let now =
            now.ok_or_else(|| StoreError::Invariant("the clock has no reading".to_owned()))?;
        Ok(Instant(now.saturating_add(self.inner.shift)))
    }

    /// Applies a commit as a whole or not at all. Once it was taken it goes
    /// through, also when this future is dropped.
    ///
    /// # Errors
    /// [`StoreError::Undetermined`] when it may have been written; with every
    /// other error nothing was.
    pub async fn commit(&self, commit: Commit) -> Result<Verdict, StoreError> {
        self.inner.commits.commit(commit).await
    }
}
