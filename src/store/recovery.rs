//! Whether the database is still what it was, and the recovery that stands.
//!
//! Guarantees:
//! - a beat is counted only in a database that has every beat its caller
//!   knows of, and only on the server that the row names; otherwise nothing
//!   is written, so that what the row says about the loss stays readable;
//! - of several that begin, confirm or end a recovery at the same time one
//!   wins, and the others see what it did.

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, QueryResult, Statement};

use super::commit::Footing;
use super::read::retried;
use super::time::now_micros;
use super::trouble::{Trouble, is_unknown_to_the_server};
use super::{Store, StoreError};
use crate::domain::recovery::{Recovery, RecoveryState, Standing};
use crate::domain::time::Instant;

/// What tells one server of a database from another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Server {
    /// A PostgreSQL timeline: a promotion and a point-in-time recovery begin
    /// a new one.
    Timeline,
    /// Nothing.
    Nameless,
}

impl Server {
    /// Asks once whether the server has timelines.
    pub(super) async fn ask(db: &DatabaseConnection) -> Result<Self, StoreError> {
        if db.get_database_backend() != DbBackend::Postgres {
            return Ok(Self::Nameless);
        }
        let sql = format!("SELECT {}", Self::Timeline.named());
        match db
            .query_one_raw(Statement::from_string(DbBackend::Postgres, sql))
            .await
        {
            Ok(_) => Ok(Self::Timeline),
            Err(error) if is_unknown_to_the_server(&error) => {
                tracing::warn!(
                    %error,
                    "this engine has no timelines: a failover that loses rows is noticed only \
                     by a beat that went back"
                );
                Ok(Self::Nameless)
            }
            Err(error) => Err(Trouble::of(&error).into_error()),
        }
    }

    /// Its name, in SQL.
    fn named(self) -> &'static str {
        match self {
            Self::Timeline => "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)",
            Self::Nameless => "CAST(NULL AS TEXT)",
        }
    }

    /// The row names this server, or none yet, in SQL.
    fn unchanged(self) -> String {
        let named = self.named();
        format!("(timeline IS NULL OR timeline = {named})")
    }
}

/// What the database says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Present {
    /// The newest beat; 0 before the first.
    pub beat: i64,
    /// When that was.
    pub beat_at: Option<Instant>,
    /// The recorded timeline.
    pub timeline: Option<String>,
    /// The timeline of the server that answers.
    pub server_timeline: Option<String>,
    /// The newest recovery epoch; 0 before the first.
    pub epoch: i64,
    /// How far that recovery has come.
    pub state: RecoveryState,
    /// From when rows may be missing, while a recovery stands.
    pub lost_since: Option<Instant>,
    /// When it was noticed, while a recovery stands.
    pub since: Option<Instant>,
    /// Who began, confirmed or ended it last.
    pub by: Option<String>,
    /// Now.
    pub now: Instant,
}

impl Present {
    /// What a replica has to know.
    pub fn standing(&self) -> Standing {
        let times = self.lost_since.zip(self.since);
        Standing {
            epoch: self.epoch,
            beat: self.beat,
            recovery: times.map(|(lost_since, since)| Recovery {
                epoch: self.epoch,
                confirmed: self.state == RecoveryState::Held,
                lost_since,
                since,
            }),
        }
    }
}

/// A recovery as it is to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Begin {
    /// Its epoch, greater than any before.
    pub epoch: i64,
    /// The beat to go on from.
    pub beat: i64,
    /// Where it begins.
    pub state: RecoveryState,
    /// From when rows may be missing.
    pub lost_since: Instant,
    /// Who says so; absent where it was noticed.
    pub by: Option<String>,
}

/// The door to the recovery. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Recoveries {
    store: Store,
}

const COLUMNS: &str = "beat, beat_at, timeline, recovery_epoch, recovery_state, \
                       recovery_lost_since, recovery_since, recovery_by";

impl Store {
    /// The door to the recovery.
    pub fn recoveries(&self) -> Recoveries {
        Recoveries {
            store: self.clone(),
        }
    }
}

impl Recoveries {
    /// Counts a beat. `None`: the database lacks a beat or an epoch that is
    /// known, or another server answers. Nothing was written then.
    pub async fn beat(&self, known: Standing) -> Result<Option<Present>, StoreError> {
        let (server, now) = (self.store.inner.server, self.now());
        let sql = format!(
            "UPDATE deployment SET beat = beat + 1, beat_at = {now}, timeline = {} \
             WHERE id = 1 AND beat >= $2 AND recovery_epoch >= $3 AND {} \
             RETURNING {COLUMNS}, {}, {now}",
            server.named(),
            server.unchanged(),
            server.named(),
        );
        self.one(&sql, vec![known.beat.into(), known.epoch.into()])
            .await
    }

    /// Reads it and changes nothing.
    pub async fn present(&self) -> Result<Present, StoreError> {
        let named = self.store.inner.server.named();
        let now = self.now();
        let sql = format!("SELECT {COLUMNS}, {named}, {now} FROM deployment WHERE id = 1");
        let found = self.one(&sql, Vec::new()).await?;
        found.ok_or_else(|| StoreError::Invariant("the database has no deployment".to_owned()))
    }

    /// Begins a recovery where `seen` still holds, and records the server.
    pub async fn begin(&self, seen: &Present, begin: Begin) -> Result<bool, StoreError> {
        let now = self.now();
        let named = self.store.inner.server.named();
        let sql = format!(
            "UPDATE deployment SET recovery_epoch = $2, recovery_state = $3, \
                 recovery_lost_since = $4, recovery_since = {now}, recovery_by = $5, \
                 beat = $6, beat_at = {now}, timeline = {named} \
             WHERE id = 1 AND recovery_epoch = $7 AND beat = $8 RETURNING {COLUMNS}, {named}, {now}"
        );
        let values = vec![
            begin.epoch.into(),
            begin.state.name().into(),
            begin.lost_since.0.into(),
            begin.by.into(),
            begin.beat.into(),
            seen.epoch.into(),
            seen.beat.into(),
        ];
        Ok(self.one(&sql, values).await?.is_some())
    }

    /// Records a beat that is at least `beat`, and the server, where `seen`
    /// still holds: what changed is no loss, or is in `seen.epoch` already.
    pub async fn accept(&self, seen: &Present, beat: i64) -> Result<bool, StoreError> {
        let now = self.now();
        let named = self.store.inner.server.named();
        let sql = format!(
            "UPDATE deployment SET beat = $2, beat_at = {now}, timeline = {named} \
             WHERE id = 1 AND recovery_epoch = $3 AND beat = $4 RETURNING {COLUMNS}, {named}, {now}"
        );
        let values = vec![
            beat.max(seen.beat).into(),
            seen.epoch.into(),
            seen.beat.into(),
        ];
        Ok(self.one(&sql, values).await?.is_some())
    }

    /// A person confirms the recovery of that epoch. `false`: no such one
    /// waits for it.
    pub async fn confirm(&self, epoch: i64, by: &str) -> Result<bool, StoreError> {
        let set = "recovery_state = 'HELD'";
        let from = "recovery_state = 'AWAITING_CONFIRMATION'";
        self.say(set, from, epoch, by).await
    }

    /// A person ends the recovery of that epoch. `false`: no such one is
    /// held.
    pub async fn end(&self, epoch: i64, by: &str) -> Result<bool, StoreError> {
        let set = "recovery_state = 'NONE', recovery_lost_since = NULL, recovery_since = NULL";
        self.say(set, "recovery_state = 'HELD'", epoch, by).await
    }

    async fn say(&self, set: &str, from: &str, epoch: i64, by: &str) -> Result<bool, StoreError> {
        let now = self.now();
        let named = self.store.inner.server.named();
        let sql = format!(
            "UPDATE deployment SET {set}, recovery_by = $3 \
             WHERE id = 1 AND recovery_epoch = $2 AND {from} RETURNING {COLUMNS}, {named}, {now}"
        );
        let said = self.one(&sql, vec![epoch.into(), by.into()]).await?;
        Ok(said.is_some())
    }

    /// `$1` is always the shift.
    fn now(&self) -> String {
        let backend = self.store.inner.connections.write.get_database_backend();
        format!("({} + $1)", now_micros(backend))
    }

    async fn one(
        &self,
        sql: &str,
        values: Vec<sea_orm::Value>,
    ) -> Result<Option<Present>, StoreError> {
        let db = &self.store.inner.connections.write;
        let shift = std::iter::once(self.store.inner.shift.into());
        let all: Vec<sea_orm::Value> = shift.chain(values).collect();
        let asked = Statement::from_sql_and_values(db.get_database_backend(), sql, all);
        let row = retried(|| db.query_one_raw(asked.clone())).await?;
        row.map(|row| read(&row)).transpose()
    }
}

fn read(row: &QueryResult) -> Result<Present, StoreError> {
    let corrupt = |what: String| StoreError::Corrupt {
        table: "deployment",
        id: "1".to_owned(),
        what,
    };
    let state: String = column(row, 4).map_err(|error| corrupt(error.to_string()))?;
    let state = RecoveryState::from_name(&state)
        .ok_or_else(|| corrupt(format!("recovery_state is {state}")))?;
    let read = || {
        Ok::<_, DbErr>(Present {
            beat: column(row, 0)?,
            beat_at: column::<Option<i64>>(row, 1)?.map(Instant),
            timeline: column(row, 2)?,
            epoch: column(row, 3)?,
            state,
            lost_since: column::<Option<i64>>(row, 5)?.map(Instant),
            since: column::<Option<i64>>(row, 6)?.map(Instant),
            by: column(row, 7)?,
            server_timeline: column(row, 8)?,
            now: Instant(column(row, 9)?),
        })
    };
    read().map_err(|error| corrupt(error.to_string()))
}

fn column<T: sea_orm::TryGetable>(row: &QueryResult, index: usize) -> Result<T, DbErr> {
    row.try_get_by_index(index)
}

/// Whether the database is still the one of `footing`, by the connection that
/// is going to write.
pub(super) async fn footing_holds(
    db: &impl ConnectionTrait,
    server: Server,
    footing: Footing,
) -> Result<bool, DbErr> {
    let sql = format!(
        "SELECT 1 FROM deployment \
         WHERE id = 1 AND recovery_epoch = $1 AND beat >= $2 AND {}",
        server.unchanged()
    );
    let values = [footing.epoch.into(), footing.beat.into()];
    let asked = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    Ok(db.query_one_raw(asked).await?.is_some())
}
