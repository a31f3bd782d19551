//! Databases for tests: each value is an empty database of its own, gone when
//! the value is dropped.

use std::fs::{self, File};
use std::path::Path;
use std::thread;

use sea_orm::{ConnectOptions, ConnectionTrait, Database, DbErr};
use tempfile::TempDir;
use uuid::Uuid;

/// An empty database for one test.
pub(crate) struct TestDatabase {
    url: String,
    kept: Kept,
}

/// What has to go when the test is over.
enum Kept {
    Folder { _folder: TempDir },
    Database { name: String },
    Elsewhere,
}

impl TestDatabase {
    /// A SQLite file in a temporary folder.
    pub(crate) fn sqlite() -> TestDatabase {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("payonce.db");
        // An empty file is an empty database, and whoever opens it need not
        // have asked for its creation.
        File::create(&file).expect("a file in the temporary folder");
        TestDatabase {
            url: format!("sqlite://{}", file.display()),
            kept: Kept::Folder { _folder: folder },
        }
    }

    /// A SQLite file in a folder of the test's own, to be made by whoever
    /// opens it.
    pub(crate) fn sqlite_in(folder: &Path) -> TestDatabase {
        TestDatabase {
            url: format!("sqlite://{}", folder.join("payonce.db").display()),
            kept: Kept::Elsewhere,
        }
    }

    /// A database with a random name on the cluster that `tests/run` started.
    pub(crate) fn postgres() -> TestDatabase {
        let name = format!("test_{}", Uuid::now_v7().simple());
        administer(format!("CREATE DATABASE {name}")).expect("a new database on the cluster");
        let maintenance = cluster_url();
        let (server, _) = maintenance
            .rsplit_once('/')
            .expect("an address that ends in the name of a database");
        TestDatabase {
            url: format!("{server}/{name}"),
            kept: Kept::Database { name },
        }
    }

    /// A database that the test keeps itself; several addresses with commas
    /// between them.
    pub(crate) fn elsewhere(url: String) -> TestDatabase {
        let kept = Kept::Elsewhere;
        TestDatabase { url, kept }
    }

    /// Keeps a copy of what it holds now. Nobody may be connected.
    pub(crate) fn keep_copy(&self) {
        match &self.kept {
            Kept::Folder { .. } => {
                fs::copy(self.file(), self.copy()).expect("a copy of the file");
            }
            Kept::Database { name } => {
                administer(format!("CREATE DATABASE {name}_copy TEMPLATE {name}"))
                    .expect("a copy of the database");
            }
            Kept::Elsewhere => panic!("only the test itself can copy it"),
        }
    }

    /// Makes it what it was when the copy was kept. Nobody may be connected.
    pub(crate) fn restore_copy(&self) {
        match &self.kept {
            Kept::Folder { .. } => {
                for beside in ["-wal", "-shm"] {
                    let _ = fs::remove_file(format!("{}{beside}", self.file()));
                }
                fs::copy(self.copy(), self.file()).expect("the copy takes its place");
            }
            Kept::Database { name } => {
                for statement in [
                    format!("DROP DATABASE {name}"),
                    format!("CREATE DATABASE {name} TEMPLATE {name}_copy"),
                ] {
                    administer(statement).expect("the copy takes its place");
                }
            }
            Kept::Elsewhere => panic!("only the test itself can restore it"),
        }
    }

    fn file(&self) -> &str {
        self.url.strip_prefix("sqlite://").expect("a SQLite file")
    }

    fn copy(&self) -> String {
        format!("{}.copy", self.file())
    }

    /// The address, in the form that `database.urls` takes.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let Kept::Database { name } = &self.kept {
            // A test that fails must say why it failed, not that it could not
            // tidy up; the cluster itself is thrown away.
            let _ = administer(format!("DROP DATABASE {name} WITH (FORCE)"));
            let _ = administer(format!("DROP DATABASE IF EXISTS {name}_copy"));
        }
    }
}

/// The address of the cluster's maintenance database.
pub(crate) fn cluster_url() -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "not a setting of the program but of the tests"
    )]
    std::env::var("PAYONCE_TEST_POSTGRES").expect(
        "PAYONCE_TEST_POSTGRES names no PostgreSQL: run ./tests/run, or tests/with-postgres COMMAND",
    )
}

/// Runs one statement on the maintenance database. It has a thread and a
/// runtime of its own, so that it can be called from within a test's runtime,
/// also when that one is being torn down.
fn administer(statement: String) -> Result<(), DbErr> {
    let mut options = ConnectOptions::new(cluster_url());
    options.max_connections(1).sqlx_logging(false);
    let run = move || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime")
            .block_on(async {
                let maintenance = Database::connect(options).await?;
                maintenance.execute_unprepared(&statement).await?;
                maintenance.close().await
            })
    };
    thread::spawn(run).join().expect("the thread has no panics")
}

/// Runs one test on one database.
pub(crate) async fn with<F: Future<Output = ()>>(
    database: TestDatabase,
    test: impl FnOnce(TestDatabase) -> F,
) {
    test(database).await;
}

/// Makes two tests of one, `name::sqlite` and `name::postgres`:
///
/// ```ignore
/// both_databases!(a_row_survives, |database| async move { … });
/// ```
macro_rules! both_databases {
    ($name:ident, $test:expr) => {
        mod $name {
            use super::*;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                let database = $crate::lab::database::TestDatabase::sqlite();
                $crate::lab::database::with(database, $test).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                let database = $crate::lab::database::TestDatabase::postgres();
                $crate::lab::database::with(database, $test).await;
            }
        }
    };
}
pub(crate) use both_databases;
