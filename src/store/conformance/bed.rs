//! A database for each test, and a way past the store to look at it.

use std::time::Duration;

use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DbErr, QueryResult, Statement};
use tempfile::TempDir;
use uuid::Uuid;

use crate::store::{Store, StoreOptions};

/// The variable that names the server.
const SERVER: &str = "PAYONCE_TEST_POSTGRES";

/// One empty database.
pub(super) struct Bed {
    pub(super) urls: Vec<String>,
    folder: Option<TempDir>,
}

impl Bed {
    fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("store.db");
        Self {
            urls: vec![format!("sqlite://{}", file.display())],
            folder: Some(folder),
        }
    }

    pub(super) fn is_sqlite(&self) -> bool {
        self.folder.is_some()
    }

    pub(super) fn options(&self) -> StoreOptions {
        StoreOptions {
            urls: self.urls.clone(),
            max_connections: 6,
            deployment: "default".to_owned(),
            shift: Duration::ZERO,
        }
    }

    /// The store on it, migrated.
    pub(super) async fn store(&self) -> Store {
        self.store_with(self.options()).await
    }

    pub(super) async fn store_with(&self, options: StoreOptions) -> Store {
        Store::migrate(&self.urls).await.expect("migrated");
        Store::connect(options).await.expect("connected")
    }

    /// The same, but it is this much later.
    pub(super) async fn later(&self, shift: Duration) -> Store {
        let options = StoreOptions {
            shift,
            ..self.options()
        };
        self.store_with(options).await
    }

    /// A connection of its own, past the store.
    pub(super) async fn raw(&self) -> Raw {
        let db = Database::connect(&self.urls[0]).await;
        Raw(db.expect("connected past the store"))
    }
}

/// The database, past the store.
pub(super) struct Raw(DatabaseConnection);

impl Raw {
    /// Executes a statement, and returns how many rows it changed.
    pub(super) async fn execute(&self, sql: &str) -> Result<u64, DbErr> {
        let statement = Statement::from_string(self.0.get_database_backend(), sql.to_owned());
        Ok(self.0.execute_raw(statement).await?.rows_affected())
    }

    /// The first column of the first row.
    pub(super) async fn number(&self, sql: &str) -> i64 {
        let statement = Statement::from_string(self.0.get_database_backend(), sql.to_owned());
        let row: Option<QueryResult> = self.0.query_one_raw(statement).await.expect(sql);
        row.expect(sql).try_get_by_index(0).expect(sql)
    }

    pub(super) async fn count(&self, table: &str) -> i64 {
        self.number(&format!("SELECT COUNT(*) FROM {table}")).await
    }
}

pub(super) async fn on_sqlite<F: Future<Output = ()>>(test: impl FnOnce(Bed) -> F) {
    test(Bed::sqlite()).await;
}

/// The database is removed when the test passes; one that fails leaves it to
/// be looked at.
pub(super) async fn on_postgres<F: Future<Output = ()>>(test: impl FnOnce(Bed) -> F) {
    let server = server();
    let admin = Database::connect(&server).await.expect("the test server");
    let name = format!("store_{}", Uuid::now_v7().simple());
    let make = format!("CREATE DATABASE {name}");
    admin.execute_unprepared(&make).await.expect(&make);
    let (address, _) = server.rsplit_once('/').expect("an address with a database");
    test(Bed {
        urls: vec![format!("{address}/{name}")],
        folder: None,
    })
    .await;
    let remove = format!("DROP DATABASE {name} WITH (FORCE)");
    admin.execute_unprepared(&remove).await.expect(&remove);
}

#[expect(
    clippy::disallowed_methods,
    reason = "where the tests' server is does not belong into the configuration"
)]
pub(super) fn server() -> String {
    std::env::var(SERVER).unwrap_or_else(|_| {
        panic!("{SERVER} must name a PostgreSQL server: run the tests with tests/with-postgres")
    })
}
