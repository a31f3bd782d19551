//! Making the tables, and recognising a database that is not ours.
//!
//! Guarantees:
//! - replicas that start together do not collide: the migration runs in one
//!   transaction under a lock of the whole database, and is there as a whole
//!   or not at all;
//! - a database of another shape is refused, never changed;
//! - the deployment's name is recorded once and never changes.

use payonce_migrations::{Migrator, SCHEMA_VERSION, checksum};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};
use sea_orm_migration::MigratorTrait;

use super::StoreError;
use super::connection::{begin_to_write, open_to_migrate};
use super::trouble::Trouble;

/// What `migrate` did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MigrationReport {
    /// How many migrations were applied; 0 when the database was up to date.
    pub applied: usize,
    /// The number of the schema that the database has now.
    pub schema_version: i32,
}

/// "payonce" in ASCII; the lock that a migration holds on PostgreSQL.
const LOCK: i64 = 0x70_61_79_6f_6e_63_65;

/// Brings the first writable database of the list to the schema of this
/// version.
pub(super) async fn migrate(urls: &[String]) -> Result<MigrationReport, StoreError> {
    let db = open_to_migrate(urls).await?;
    let applied = tokio::spawn(async move {
        let applied = in_one_transaction(&db).await;
        let closed = db.close().await;
        applied.and_then(|applied| closed.map(|()| applied).map_err(|error| refusal(&error)))
    });
    let applied = applied
        .await
        .map_err(|_| StoreError::Unavailable("the migration was cut short".to_owned()))??;
    Ok(MigrationReport {
        applied,
        schema_version: SCHEMA_VERSION,
    })
}

async fn in_one_transaction(db: &sea_orm::DatabaseConnection) -> Result<usize, StoreError> {
    let refused = |error: DbErr| refusal(&error);
    let transaction = begin_to_write(db).await.map_err(refused)?;
    if transaction.get_database_backend() == DbBackend::Postgres {
        transaction
            .execute_unprepared(&format!(
                "SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '60s'; \
                 SELECT pg_advisory_xact_lock({LOCK})"
            ))
            .await
            .map_err(refused)?;
    }
    let pending = Migrator::get_pending_migrations(&transaction)
        .await
        .map_err(refused)?;
    Migrator::up(&transaction, None).await.map_err(refused)?;
    check(&transaction).await?;
    #[cfg(debug_assertions)]
    crate::failpoint::pass(crate::failpoint::Point::InsideMigration);
    transaction.commit().await.map_err(refused)?;
    Ok(pending.len())
}

/// A statement that the database refuses means that something else is in it.
fn refusal(error: &DbErr) -> StoreError {
    match Trouble::of(error) {
        Trouble::Rule(said) => StoreError::SchemaMismatch {
            found: format!("something else ({said})"),
            needed: SCHEMA_VERSION.to_string(),
        },
        trouble => trouble.into_error(),
    }
}

/// Refuses a database whose tables were made from another text.
pub(super) async fn check(db: &impl ConnectionTrait) -> Result<(), StoreError> {
    let backend = db.get_database_backend();
    let needed = format!("{SCHEMA_VERSION} ({})", &checksum(backend)[..12]);
    let asked = "SELECT schema_version, schema_checksum FROM deployment WHERE id = 1";
    let found = match query(db, asked).await {
        Ok(Some(row)) => {
            let version = row.try_get_by_index::<i32>(0);
            let sum = row.try_get_by_index::<String>(1);
            if version.as_ref() == Ok(&SCHEMA_VERSION) && sum.as_ref() == Ok(&checksum(backend)) {
                return Ok(());
            }
            let number = version.map_or("?".to_owned(), |version| version.to_string());
            let sum = sum.unwrap_or_default();
            format!("{number} ({})", sum.get(..12).unwrap_or(&sum))
        }
        Ok(None) => "none".to_owned(),
        Err(error) => match Trouble::of(&error) {
            Trouble::Rule(_) => "none".to_owned(),
            trouble => return Err(trouble.into_error()),
        },
    };
    Err(StoreError::SchemaMismatch { found, needed })
}

/// Records the deployment's name at the first start, and refuses another one
/// ever after.
pub(super) async fn claim_for_deployment(
    db: &impl ConnectionTrait,
    name: &str,
) -> Result<(), StoreError> {
    let failed = |error: DbErr| Trouble::of(&error).into_error();
    let record = Statement::from_sql_and_values(
        db.get_database_backend(),
        "UPDATE deployment SET name = $1 WHERE id = 1 AND name IS NULL",
        [name.into()],
    );
    db.execute_raw(record).await.map_err(failed)?;
    let row = query(db, "SELECT name FROM deployment WHERE id = 1").await;
    let recorded: Option<String> = match row.map_err(failed)? {
        Some(row) => row.try_get_by_index(0).map_err(failed)?,
        None => None,
    };
    match recorded {
        Some(recorded) if recorded == name => Ok(()),
        recorded => Err(StoreError::DeploymentMismatch {
            recorded: recorded.unwrap_or_default(),
            configured: name.to_owned(),
        }),
    }
}

async fn query(
    db: &impl ConnectionTrait,
    sql: &str,
) -> Result<Option<sea_orm::QueryResult>, DbErr> {
    db.query_one_raw(Statement::from_string(db.get_database_backend(), sql))
        .await
}
