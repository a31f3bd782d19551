//! Sees a group of commits through: one transaction, tried again while that
//! can help, and looked up where its acknowledgement was lost.
//!
//! Guarantees:
//! - "applied" and "stale" are never guessed. Once a COMMIT went out without
//!   an answer, the ledger says what became of it: a row with our commit id
//!   means applied, with another one stale, none that the same commit is
//!   tried again with the same ids;
//! - "unavailable" is said only when nothing can have been written.

mod children;
mod judge;
mod operations;
mod transaction;

#[cfg(test)]
pub(super) mod fault;

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use sea_orm::{
    ColumnTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, EntityTrait,
    QueryFilter,
};
use tokio::time::timeout;

use super::connection::{SameFile, begin_to_write};
use super::entities::ledger;
use super::recovery::Server;
use super::trouble::{Trouble, may_surface_after_a_crash, surely_rolled_back};
use super::{Commit, StoreError, Verdict};

/// Tries after the first.
const RETRIES: usize = 4;

/// Pauses double from here: about a second in all. Longer than connections
/// are trusted without a test.
const FIRST_PAUSE: Duration = Duration::from_millis(60);

/// How long this side waits for the statements of one try, or for the answer
/// to its COMMIT. The server gives up before.
const PATIENCE: Duration = Duration::from_secs(20);

/// Writes groups of commits.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    db: DatabaseConnection,
    same_file: SameFile,
    server: Server,
    #[cfg(test)]
    pub(super) faults: fault::Faults,
}

/// Why a try did not end in a verdict.
enum Failure {
    /// Nothing was written.
    Before(Trouble),
    /// COMMIT went out, and its answer did not come or does not tell.
    InDoubt {
        said: String,
        /// Whether it can take effect after it was looked for in vain.
        may_surface: bool,
    },
    /// It was committed to a database that is not there any more.
    Astray,
}

/// What the ledger says about a commit in doubt.
enum Found {
    Ours,
    Anothers,
    Nothing,
}

impl Writer {
    pub(super) fn new(db: DatabaseConnection, same_file: SameFile, server: Server) -> Self {
        Self {
            db,
            same_file,
            server,
            #[cfg(test)]
            faults: fault::Faults::default(),
        }
    }

    /// Applies all of the group or nothing of it. Must run in a task of its
    /// own: dropped halfway, it leaves the outcome to the database.
    pub(super) async fn commit_group(&self, group: &[Commit]) -> Result<Verdict, StoreError> {
        for commit in group {
            judge::well_formed(commit)?;
        }
        let pauses = ExponentialBuilder::default()
            .with_min_delay(FIRST_PAUSE)
            .with_max_times(RETRIES)
            .build();
        let mut pauses = pauses.into_iter();
        let mut in_doubt = false;
        loop {
            let said = match self.one_try(group).await {
                Ok(refused @ (Verdict::Stale | Verdict::Displaced)) if in_doubt => {
                    match self.found(group).await {
                        Ok(Found::Ours) => return Ok(Verdict::Applied),
                        Ok(Found::Anothers | Found::Nothing) => return Ok(refused),
                        Err(error) => error.to_string(),
                    }
                }
                Ok(verdict) => return Ok(verdict),
                Err(Failure::Before(Trouble::Passing(said))) => said,
                Err(Failure::Before(Trouble::Lasting(said))) if in_doubt => said,
                Err(Failure::Before(_)) if in_doubt => return Err(StoreError::Undetermined),
                Err(Failure::Before(trouble)) => return Err(trouble.into_error()),
                Err(Failure::Astray) => return Err(StoreError::Undetermined),
                Err(Failure::InDoubt { said, may_surface }) => {
                    let before = in_doubt;
                    in_doubt = true;
                    match self.found(group).await {
                        Ok(Found::Ours) => return Ok(Verdict::Applied),
                        Ok(Found::Anothers) => return Ok(Verdict::Stale),
                        Ok(Found::Nothing) => in_doubt = before || may_surface,
                        Err(_) => {}
                    }
                    said
                }
            };
            tracing::warn!(commit = %group[0].id, in_doubt, error = %said, "a commit did not go through");
            match pauses.next() {
                Some(pause) => tokio::time::sleep(pause).await,
                None if in_doubt => return Err(StoreError::Undetermined),
                None => return Err(StoreError::Unavailable(said)),
            }
        }
    }

    async fn one_try(&self, group: &[Commit]) -> Result<Verdict, Failure> {
        self.stands()?;
        let transaction = self.begin().await?;
        let written = timeout(
            PATIENCE,
            transaction::write(&transaction, self.server, group),
        )
        .await;
        match written.map_err(|_| slow())? {
            Ok(()) => {
                self.stands()?;
                self.acknowledged(transaction).await
            }
            Err(transaction::Refused::Void(verdict)) => {
                // A failure to roll back closes the connection, which does
                // the same.
                let _ = timeout(PATIENCE, transaction.rollback()).await;
                Ok(verdict)
            }
            Err(transaction::Refused::Database(error)) => Err(self.before(&error)),
            Err(transaction::Refused::Broken(rule)) => Err(Failure::Before(Trouble::Rule(rule))),
        }
    }

    /// In a task that is never dropped: sqlx 0.9 can give a connection back
    /// inside an open transaction when its `begin` is.
    async fn begin(&self) -> Result<DatabaseTransaction, Failure> {
        let db = self.db.clone();
        let begun = tokio::spawn(async move { begin_to_write(&db).await });
        let Ok(Ok(begun)) = timeout(PATIENCE, begun).await else {
            return Err(slow());
        };
        begun.map_err(|error| self.before(&error))
    }

    fn before(&self, error: &DbErr) -> Failure {
        let trouble = Trouble::of(error);
        self.same_file.note(&trouble);
        Failure::Before(trouble)
    }

    /// Nothing is begun in a database that is not ours any more, or is
    /// damaged.
    fn stands(&self) -> Result<(), Failure> {
        let stands = self.same_file.check();
        stands.map_err(|error| Failure::Before(Trouble::Lasting(error.to_string())))
    }

    async fn acknowledged(&self, transaction: DatabaseTransaction) -> Result<Verdict, Failure> {
        #[cfg(test)]
        let committed = self.faults.around_commit(transaction);
        #[cfg(not(test))]
        let committed = transaction.commit();
        match timeout(PATIENCE, committed).await {
            Ok(Ok(())) if self.same_file.check().is_err() => Err(Failure::Astray),
            Ok(Ok(())) => Ok(Verdict::Applied),
            Ok(Err(error)) if surely_rolled_back(&error) => match Trouble::of(&error) {
                Trouble::Unique => Ok(Verdict::Stale),
                trouble => Err(Failure::Before(trouble)),
            },
            Ok(Err(error)) => {
                self.same_file.note(&Trouble::of(&error));
                Err(Failure::InDoubt {
                    may_surface: self.outlives_us() || may_surface_after_a_crash(&error),
                    said: error.to_string(),
                })
            }
            Err(_) => Err(Failure::InDoubt {
                said: "COMMIT was not answered".to_owned(),
                may_surface: true,
            }),
        }
    }

    /// Looks for the ledger row that the group's first write would have left.
    /// All of a group is written or nothing, so one row tells for all.
    async fn found(&self, group: &[Commit]) -> Result<Found, DbErr> {
        let commit = &group[0];
        let row = &commit.writes[0].ledger;
        #[cfg(test)]
        self.faults.look_up()?;
        let found = ledger::Entity::find()
            .filter(ledger::Column::Tenant.eq(row.tenant.as_str()))
            .filter(ledger::Column::OperationId.eq(row.operation_id.0))
            .filter(ledger::Column::Version.eq(row.version))
            .one(&self.db);
        let found = timeout(PATIENCE, found)
            .await
            .map_err(|_| DbErr::Custom("the ledger was not read in time".to_owned()))??;
        Ok(match found {
            Some(row) if row.commit_id == commit.id.0 => Found::Ours,
            Some(_) => Found::Anothers,
            None => Found::Nothing,
        })
    }

    /// A PostgreSQL session that lost its client can still be at its COMMIT;
    /// SQLite has none that outlives the call.
    fn outlives_us(&self) -> bool {
        self.db.get_database_backend() == DbBackend::Postgres
    }
}

fn slow() -> Failure {
    Failure::Before(Trouble::Passing(
        "the database did not answer in time".to_owned(),
    ))
}
