//! A change by one replica wakes those who wait at another; without the
//! wake-up they find out by themselves.

use std::time::Duration;

use payonce::domain::ids::OperationId;
use payonce::engine::Until;
use payonce::store::Store;
use sea_orm::{ConnectionTrait, Database};
use tokio::task::JoinHandle;

use crate::lab::database::TestDatabase;
use crate::lab::harness::eventually;
use crate::lab::local::{LONG, LocalEngine, request, tenant};

/// Far beyond what a wake-up takes on a busy machine, and far below `LONG`.
const PATIENCE: Duration = Duration::from_secs(30);

struct Two {
    here: LocalEngine,
    there: LocalEngine,
    database: TestDatabase,
}

impl Two {
    /// Two replicas; who waits at `there` looks every `wait_poll`.
    async fn start(wait_poll: Duration) -> Two {
        let database = TestDatabase::postgres();
        Store::migrate(&[database.url().to_owned()]).await.unwrap();
        Two {
            here: LocalEngine::start(database.url(), LONG).await,
            there: LocalEngine::start(database.url(), wait_poll).await,
            database,
        }
    }

    async fn recorded(&self) -> OperationId {
        let tenant = tenant();
        let created = self.here.engine.create(&tenant, request("1"), false);
        created.await.unwrap().record.operation.id
    }

    fn wait(&self, id: OperationId) -> JoinHandle<i64> {
        let engine = self.there.engine.clone();
        tokio::spawn(async move {
            let newer = Until::NewerThan(1);
            let view = engine.wait(&tenant(), id, newer, LONG).await.unwrap();
            view.record.operation.version
        })
    }

    async fn sessions_that_listen(&self) -> u64 {
        self.on_listeners("SELECT count(*)").await
    }

    async fn on_listeners(&self, what: &str) -> u64 {
        let raw = Database::connect(self.database.url()).await.unwrap();
        let sql = format!(
            "{what} FROM pg_stat_activity WHERE datname = current_database() \
             AND (query LIKE 'LISTEN%' OR query = 'SELECT 1')"
        );
        let asked = sea_orm::Statement::from_string(raw.get_database_backend(), sql);
        let rows = raw.query_all_raw(asked).await.unwrap();
        let count = rows.first().and_then(|row| row.try_get_by_index(0).ok());
        raw.close().await.unwrap();
        count.map_or(rows.len() as u64, |count: i64| count as u64)
    }

    async fn until_all_listen(&self) {
        eventually("both listen", async || {
            let listening = self.sessions_that_listen().await;
            (listening >= 2).then_some(()).ok_or(listening.to_string())
        })
        .await;
    }

    async fn close(self) {
        self.here.store.close().await;
        self.there.store.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiter_at_another_replica_is_woken() {
    let two = Two::start(LONG).await;
    two.until_all_listen().await;
    let id = two.recorded().await;
    let waiting = two.wait(id);
    two.here.engine.submit(&tenant(), id).await.unwrap();
    let woken = tokio::time::timeout(PATIENCE, waiting).await;
    assert_eq!(woken.expect("it is woken").unwrap(), 2);
    two.close().await;
}

/// The connection is killed, and with it whatever was told meanwhile: once it
/// is there again, everybody looks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_lost_connection_everybody_looks_once() {
    let two = Two::start(LONG).await;
    two.until_all_listen().await;
    let id = two.recorded().await;
    let waiting = two.wait(id);
    for _ in 0..3 {
        two.on_listeners("SELECT pg_terminate_backend(pid)::text")
            .await;
    }
    two.here.engine.submit(&tenant(), id).await.unwrap();
    let woken = tokio::time::timeout(PATIENCE, waiting).await;
    assert_eq!(woken.expect("it is woken").unwrap(), 2);
    two.close().await;
}

/// Nobody tells anything: the change is made past the engine that would.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_any_wake_up_the_waiter_looks_by_itself() {
    let two = Two::start(Duration::from_millis(50)).await;
    two.until_all_listen().await;
    let id = two.recorded().await;
    let waiting = two.wait(id);
    let raw = Database::connect(two.database.url()).await.unwrap();
    let newer = "UPDATE operations SET version = version + 1";
    raw.execute_unprepared(newer).await.unwrap();
    raw.close().await.unwrap();
    let seen = tokio::time::timeout(PATIENCE, waiting).await;
    assert_eq!(seen.expect("it looks").unwrap(), 2);
    two.close().await;
}
