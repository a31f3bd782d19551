//! What only one of the two databases has.

use std::time::Duration;

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, QueryTrait, Statement, TryGetable,
};

use super::bed::{Bed, on_postgres, on_sqlite, server};
use super::sample::*;
use crate::store::claims::claim_sql;
use crate::store::connection::begin_to_write;
use crate::store::read::{compensations, payments};
use crate::store::{Store, StoreError, StoreOptions, Verdict};

async fn ask<T: TryGetable>(db: &DatabaseConnection, sql: &str) -> Result<T, DbErr> {
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let row = db.query_one_raw(statement).await?;
    row.expect("a row").try_get_by_index(0)
}

#[tokio::test]
async fn sqlite_keeps_what_was_acknowledged() {
    on_sqlite(|bed: Bed| async move {
        let store = bed.store().await;
        let connections = &store.inner.connections;
        for db in [&connections.write, &connections.read] {
            let journal: String = ask(db, "PRAGMA journal_mode").await.expect("answered");
            assert_eq!(journal, "wal");
            for (pragma, wanted) in [
                ("synchronous", 2),
                ("foreign_keys", 1),
                ("busy_timeout", 500),
                ("mmap_size", 0),
                ("wal_autocheckpoint", 1000),
                ("journal_size_limit", 4 * 1024 * 1024),
            ] {
                let found: i64 = ask(db, &format!("PRAGMA {pragma}"))
                    .await
                    .expect("answered");
                assert_eq!(found, wanted, "{pragma}");
            }
        }
        let write = "UPDATE deployment SET recovery_epoch = 1";
        let refused = connections.read.execute_unprepared(write).await;
        refused.expect_err("readers cannot write");
        store.close().await;
    })
    .await;
}

#[tokio::test]
async fn sqlite_waits_for_the_lock_of_another_process() {
    on_sqlite(|bed: Bed| async move {
        let (store, raw) = (bed.store().await, bed.raw().await);
        raw.execute("BEGIN IMMEDIATE").await.expect("locked");
        let waiting = tokio::spawn({
            let store = store.clone();
            async move { stored(&store, charge("1"), Vec::new()).await }
        });
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(!waiting.is_finished(), "somebody else holds the lock");
        raw.execute("COMMIT").await.expect("released");
        let record = waiting.await.expect("no panic");
        assert_eq!(load(&store, &record).await, record);
        store.close().await;
    })
    .await;
}

/// A transaction that will write has the lock from its beginning: one that
/// began as a reader is refused once somebody else has written.
#[tokio::test]
async fn sqlite_writers_hold_the_lock_from_their_beginning() {
    on_sqlite(|bed: Bed| async move {
        let (store, raw) = (bed.store().await, bed.raw().await);
        let impatient = "PRAGMA busy_timeout = 0";
        raw.execute(impatient).await.expect("set");
        let begun = begin_to_write(&store.inner.connections.write).await;
        let begun = begun.expect("nobody else writes");
        let locked = raw.execute("BEGIN IMMEDIATE").await;
        locked.expect_err("the store holds the lock");
        begun.rollback().await.expect("rolled back");
        raw.execute("BEGIN IMMEDIATE").await.expect("it is free");
        raw.execute("ROLLBACK").await.expect("released");
        store.close().await;
    })
    .await;
}

/// What is asked all the time goes through an index, whatever the size of the
/// table.
#[tokio::test]
async fn sqlite_finds_by_its_indexes() {
    on_sqlite(|bed: Bed| async move {
        let store = bed.store().await;
        let backend = DbBackend::Sqlite;
        let of_order = payments(&tenant(), &order("1")).build(backend);
        let of_parent = compensations(&tenant(), operation_id()).build(backend);
        for (sql, index) in [
            (claim_sql(backend), "operations_due"),
            (of_order.to_string(), "operations_order"),
            (of_parent.to_string(), "operations_compensation"),
        ] {
            let asked = Statement::from_string(backend, format!("EXPLAIN QUERY PLAN {sql}"));
            let plan = store.inner.connections.write.query_all_raw(asked).await;
            let plan: Vec<String> = plan
                .expect("explained")
                .iter()
                .map(|step| step.try_get("", "detail").expect("a detail"))
                .collect();
            assert!(plan.iter().any(|step| step.contains(index)), "{plan:?}");
            assert!(
                !plan.iter().any(|step| step.starts_with("SCAN operations")),
                "{plan:?}"
            );
        }
        store.close().await;
    })
    .await;
}

#[tokio::test]
async fn sqlite_makes_no_file_by_connecting() {
    on_sqlite(|bed: Bed| async move {
        let refused = Store::connect(bed.options()).await;
        assert!(
            matches!(&refused, Err(StoreError::Unusable(said)) if said.contains("payonce migrate")),
            "{refused:?}"
        );
        let file = bed.urls[0].trim_start_matches("sqlite://");
        assert!(!std::path::Path::new(file).exists());
    })
    .await;
}

#[tokio::test]
async fn addresses_that_make_no_store_are_refused() {
    let lists: [&[&str]; 5] = [
        &[],
        &["sqlite::memory:"],
        &["mysql://127.0.0.1/x"],
        &["sqlite://a.db", "sqlite://b.db"],
        &["sqlite://a.db", "postgres://127.0.0.1/x"],
    ];
    for urls in lists {
        let urls: Vec<String> = urls.iter().map(ToString::to_string).collect();
        let refused = Store::migrate(&urls).await;
        assert!(
            matches!(refused, Err(StoreError::Unusable(_))),
            "{urls:?}: {refused:?}"
        );
    }
}

/// A port of this machine where nothing listens.
fn nobody() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    format!("postgres://payonce:hush@127.0.0.1:{port}/payonce")
}

#[tokio::test]
async fn postgres_uses_the_first_server_that_can_be_written_to() {
    on_postgres(|bed: Bed| async move {
        let urls = vec![nobody(), bed.urls[0].clone()];
        Store::migrate(&urls).await.expect("migrated");
        let options = StoreOptions {
            urls,
            ..bed.options()
        };
        let store = Store::connect(options).await.expect("connected");
        stored(&store, charge("1"), Vec::new()).await;
        store.close().await;
    })
    .await;
}

#[tokio::test]
async fn an_unreachable_server_is_said_without_its_password() {
    let options = StoreOptions {
        urls: vec![nobody(), nobody()],
        max_connections: 2,
        deployment: "default".to_owned(),
        shift: Duration::ZERO,
    };
    let refused = Store::connect(options).await.expect_err("nobody is there");
    let said = refused.to_string();
    assert!(matches!(refused, StoreError::Unavailable(_)), "{said}");
    assert!(
        said.contains("url 2 of 2") && !said.contains("hush"),
        "{said}"
    );
}

#[tokio::test]
async fn postgres_ends_what_takes_too_long() {
    on_postgres(|bed: Bed| async move {
        let store = bed.store().await;
        for (setting, wanted) in [
            ("statement_timeout", "10s"),
            ("lock_timeout", "5s"),
            ("idle_in_transaction_session_timeout", "15s"),
            ("application_name", "payonce"),
            ("synchronous_commit", "on"),
        ] {
            let sql = format!("SELECT current_setting('{setting}')");
            let found: String = ask(&store.inner.connections.write, &sql)
                .await
                .expect(setting);
            assert_eq!(found, wanted, "{setting}");
        }
        store.close().await;
    })
    .await;
}

/// Sessions are killed at any point, COMMIT included. Every verdict is true.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verdicts_hold_while_sessions_are_killed() {
    on_postgres(|bed: Bed| async move {
        let store = bed.store().await;
        let name = bed.urls[0].rsplit('/').next().expect("a name").to_owned();
        let admin = sea_orm::Database::connect(server())
            .await
            .expect("connected");
        let kill = format!(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{name}'"
        );
        let killer = tokio::spawn(async move {
            let mut killed = 0;
            loop {
                killed += ask::<i64>(&admin, &kill).await.expect("killed");
                if killed >= 20 {
                    return killed;
                }
                tokio::time::sleep(Duration::from_millis(150)).await;
            }
        });
        let mut record = stored(&store, charge("1"), Vec::new()).await;
        while !killer.is_finished() {
            let (commit, after) = nudge(&record);
            let verdict = store.commit(commit).await;
            let found = load(&store, &record).await;
            match verdict {
                Ok(Verdict::Applied) => assert_eq!(found, after),
                Err(StoreError::Unavailable(_)) => assert_eq!(found, record),
                Err(StoreError::Undetermined) => assert!([&record, &after].contains(&&found)),
                other => panic!("{other:?}"),
            }
            record = found;
        }
        assert!(killer.await.expect("no panic") >= 20);
        assert_eq!(load(&store, &record).await, record);
        let rows = store
            .history(&tenant(), record.operation.id)
            .await
            .expect("read");
        assert_eq!(rows.len() as i64, record.operation.version);
        store.close().await;
    })
    .await;
}
