//! PostgreSQL fails in the middle of it: nothing acknowledged is lost, and
//! nothing is written twice.
#![expect(
    clippy::disallowed_methods,
    reason = "the sessions that stand in the way are not the store's"
)]

use std::sync::Arc;
use std::time::Duration;

use payonce::domain::ledger::replay;
use payonce::domain::operation::{Lease, Record};
use payonce::domain::reference::Purpose;
use payonce::store::Store;
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement, TransactionTrait};
use tokio::task::JoinSet;

use crate::lab::cluster::{Cluster, PRIMARY};
use crate::lab::database::TestDatabase;
use crate::lab::fault_proxy::{FaultProxy, Mode};
use crate::lab::harness::eventually;
use crate::lab::local::{LONG, LocalEngine, connect, request, tenant};

async fn started(url: &str) -> LocalEngine {
    Store::migrate(&[url.to_owned()]).await.unwrap();
    LocalEngine::start(url, LONG).await
}

/// Creates until each of `count` orders is acknowledged.
fn load(local: &LocalEngine, name: &str, count: usize) -> JoinSet<Record> {
    let mut callers = JoinSet::new();
    for number in 0..count {
        let (engine, order) = (local.engine.clone(), format!("{name}-{number}"));
        callers.spawn(async move {
            loop {
                match engine.create(&tenant(), request(&order), false).await {
                    Ok(created) => return created.record,
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                }
            }
        });
    }
    callers
}

/// Each is there once, as acknowledged, and its ledger leads to it.
async fn all_stand(url: &str, acknowledged: &[Record]) {
    let truth = connect(url).await;
    for record in acknowledged {
        let id = record.operation.id;
        let found = truth.record(&tenant(), id).await.unwrap();
        assert_eq!(found.as_ref(), Some(record));
        let rows = truth.history(&tenant(), id).await.unwrap();
        let mut stored = record.clone();
        stored.operation.lease = Lease::default();
        assert_eq!(replay(&rows).unwrap(), Some(stored));
        let intent = &record.operation.intent;
        let mut payments = truth
            .payments_of_order(&tenant(), &intent.order_id)
            .await
            .unwrap();
        payments.retain(|other| other.operation.intent.purpose == intent.purpose);
        assert_eq!(payments.len(), 1, "{}", intent.order_id);
    }
    truth.close().await;
}

async fn raw(url: &str) -> DatabaseConnection {
    Database::connect(url).await.unwrap()
}

async fn number(raw: &DatabaseConnection, sql: &str) -> i64 {
    let asked = Statement::from_string(raw.get_database_backend(), sql);
    let row = raw.query_one_raw(asked).await.unwrap().unwrap();
    row.try_get_by_index(0).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_the_server_ends_lose_nothing() {
    let database = TestDatabase::postgres();
    let local = started(database.url()).await;
    let raw = raw(database.url()).await;
    let mut callers = load(&local, "order", 48);
    let mut acknowledged = Vec::new();
    while let Some(done) = callers.join_next().await {
        acknowledged.push(done.unwrap());
        let all = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
             WHERE datname = current_database() AND application_name = 'payonce'";
        number(&raw, all).await;
    }
    all_stand(database.url(), &acknowledged).await;
    local.store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_crashes_or_stops_keeps_what_was_acknowledged() {
    let mut cluster = Cluster::alone().await;
    let url = cluster.url(PRIMARY);
    let local = started(&url).await;
    let mut acknowledged = Vec::new();

    let callers = load(&local, "crash", 24);
    cluster.kill9_a_session(PRIMARY);
    acknowledged.extend(callers.join_all().await);

    let callers = load(&local, "stop", 24);
    cluster.stop_immediately(PRIMARY);
    cluster.restart(PRIMARY).await;
    acknowledged.extend(callers.join_all().await);

    all_stand(&url, &acknowledged).await;
    local.store.close().await;
}

/// Two sessions lock the same rows in opposite orders: the server ends one of
/// them. Whichever it is, the commit goes through once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deadlock_is_tried_again_as_a_whole() {
    let database = TestDatabase::postgres();
    let local = started(database.url()).await;
    let raw = raw(database.url()).await;
    // Handing over one payment of an order locks the others as well.
    let mut rows = Vec::new();
    for purpose in [None, Some("deposit")] {
        let mut asked = request("order");
        asked.purpose = purpose.map(|name: &str| Purpose::parse(name).unwrap());
        let made = local.engine.create(&tenant(), asked, false).await.unwrap();
        rows.push(made.record.operation.id);
    }
    rows.sort();
    let before = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(number(&raw, before).await, 0);
    let other = raw.begin().await.unwrap();
    let lock = |id| format!("SELECT 1 FROM operations WHERE id = '{id}' FOR UPDATE");
    other.execute_unprepared(&lock(rows[1])).await.unwrap();
    let engine = local.engine.clone();
    let second = rows[1];
    let submitting = tokio::spawn(async move { engine.submit(&tenant(), second).await });
    eventually("the commit waits for the lock", async || {
        let waiting = "SELECT count(*) FROM pg_stat_activity \
             WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let waiting = number(&self::raw(database.url()).await, waiting).await;
        (waiting > 0).then_some(()).ok_or(waiting.to_string())
    })
    .await;
    // It holds the first and waits for the second; now we ask for the first.
    let crossed = other.execute_unprepared(&lock(rows[0])).await;
    drop(crossed);
    let _ = other.rollback().await;
    let submitted = submitting.await.unwrap().unwrap();
    all_stand(database.url(), &[submitted]).await;
    eventually("the server counts the deadlock", async || {
        let counted = number(&raw, before).await;
        (counted == 1).then_some(()).ok_or(counted.to_string())
    })
    .await;
    local.store.close().await;
}

/// All connections are busy for longer than anybody waits: refused, nothing
/// written, and accepted once there is room.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_table_is_a_refusal_with_a_bound_and_nothing_is_written() {
    let database = TestDatabase::postgres();
    let local = started(database.url()).await;
    let raw = raw(database.url()).await;
    let holder = raw.begin().await.unwrap();
    holder
        .execute_unprepared("LOCK TABLE operations IN ACCESS EXCLUSIVE MODE")
        .await
        .unwrap();
    let refused = local.engine.create(&tenant(), request("1"), false).await;
    let refused = refused.expect_err("nobody gets at the table");
    assert!(
        matches!(
            refused,
            payonce::engine::EngineError::Store(payonce::engine::StoreError::Unavailable(_))
        ),
        "{refused:?}"
    );
    holder.rollback().await.unwrap();
    assert_eq!(number(&raw, "SELECT count(*) FROM operations").await, 0);
    let made = local.engine.create(&tenant(), request("1"), false).await;
    all_stand(database.url(), &[made.unwrap().record]).await;
    local.store.close().await;
}

/// Callers go away at any moment, over few connections: no session is left in
/// a transaction, and nobody ends up in somebody else's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_go_away_leave_no_session_in_a_transaction() {
    let database = TestDatabase::postgres();
    let local = started(database.url()).await;
    let raw = raw(database.url()).await;
    let mut random = fastrand::Rng::with_seed(11);
    for number in 0..300 {
        let (engine, order) = (local.engine.clone(), format!("order-{}", number % 100));
        let call =
            tokio::spawn(async move { engine.create(&tenant(), request(&order), true).await });
        tokio::time::sleep(Duration::from_micros(random.u64(0..4000))).await;
        call.abort();
    }
    let mut acknowledged = Vec::new();
    for number in 0..100 {
        let order = format!("order-{number}");
        let made = local.engine.create(&tenant(), request(&order), true).await;
        acknowledged.push(made.unwrap().record);
    }
    all_stand(database.url(), &acknowledged).await;
    eventually("no session is in a transaction", async || {
        let open = "SELECT count(*) FROM pg_stat_activity \
             WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
        let open = self::number(&raw, open).await;
        (open == 0).then_some(()).ok_or(open.to_string())
    })
    .await;
    local.store.close().await;
}

/// The link to the database is slow, and cut on either way, one after the
/// other; after each it is whole again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_link_to_the_database_loses_nothing() {
    let database = TestDatabase::postgres();
    let url = database.url();
    Store::migrate(&[url.to_owned()]).await.unwrap();
    let (_, place) = url.split_once('@').unwrap();
    let (server, _) = place.split_once('/').unwrap();
    let proxy = FaultProxy::start(server.parse().unwrap()).await.unwrap();
    let through = url.replace(server, &proxy.addr().to_string());
    let local = LocalEngine::start(&through, LONG).await;
    let proxy = Arc::new(proxy);
    let modes = [
        Mode::Delay(Duration::from_millis(20)),
        Mode::CutBeforeResponse,
        Mode::CutAfterRequestBytes(300),
    ];
    let mut acknowledged = Vec::new();
    for (number, mode) in modes.into_iter().enumerate() {
        let mut callers = load(&local, &format!("mode-{number}"), 12);
        acknowledged.push(callers.join_next().await.unwrap().unwrap());
        proxy.set_mode(mode);
        let more = load(&local, &format!("more-{number}"), 4);
        // Long enough that calls are under way when it ends.
        tokio::time::sleep(Duration::from_millis(500)).await;
        proxy.set_mode(Mode::Pass);
        acknowledged.extend(callers.join_all().await);
        acknowledged.extend(more.join_all().await);
    }
    all_stand(url, &acknowledged).await;
    local.store.close().await;
}
