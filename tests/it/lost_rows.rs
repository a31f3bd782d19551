//! Rows that a failover or a restore has lost come back with their old keys.

use payonce::proto::v1::{OperationState, Outcome};
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DbBackend, Statement};

use crate::lab::database::both_databases;
use crate::lab::harness::{World, WorldOptions, charge};

both_databases!(
    a_row_lost_after_the_capture_comes_back_with_its_key,
    |database| async move {
        let options = WorldOptions {
            // Nothing is looked up before the rows are lost.
            look_up_schedule_ms: &[20_000],
            look_up_interval_ms: 20_000,
            ..WorldOptions::default()
        };
        let mut world = World::start(database, options).await;
        let caller = world.caller();
        let lost = caller.pay(charge("order-1", "pm_drop_response")).await;
        assert_eq!(lost.state(), OperationState::Unknown);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);

        world.kill9(0);
        lose_all_rows(world.database_url()).await;
        world.restart(0).await;
        let caller = world.caller();
        assert!(caller.list().await.is_empty());
        let again = caller
            .create(charge("order-1", "pm_drop_response"))
            .await
            .unwrap();
        assert!(!again.replayed);
        let again = again.operation.unwrap();
        assert_ne!(again.operation_id, lost.operation_id);
        caller.until(&again.operation_id, Outcome::Succeeded).await;

        let sent = world.judge().charges("order-1").await;
        assert_eq!(sent.len(), 2);
        assert!(sent[0].idempotency_key.is_some());
        assert_eq!(sent[0].idempotency_key, sent[1].idempotency_key);
        assert_eq!(sent[0].body_sha256, sent[1].body_sha256);
        assert_eq!(world.judge().captures("order-1").await.len(), 1);
    }
);

/// Empties every table of operations; what the deployment is stays known.
async fn lose_all_rows(url: &str) {
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).sqlx_logging(false);
    let database = Database::connect(options).await.unwrap();
    let names = match database.get_database_backend() {
        DbBackend::Postgres => {
            "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"
        }
        _ => "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    };
    let backend = database.get_database_backend();
    let rows = database
        .query_all_raw(Statement::from_string(backend, names))
        .await
        .unwrap();
    let tables: Vec<String> = rows
        .iter()
        .map(|row| row.try_get("", "name").unwrap())
        .filter(|name| name != "deployment" && name != "seaql_migrations")
        .collect();
    assert!(tables.iter().any(|name| name == "operations"), "{tables:?}");
    let statement = match backend {
        DbBackend::Postgres => format!("TRUNCATE {}", tables.join(", ")),
        _ => {
            let deletes = tables.iter().map(|name| format!("DELETE FROM {name};"));
            format!("PRAGMA foreign_keys = OFF; {}", deletes.collect::<String>())
        }
    };
    database.execute_unprepared(&statement).await.unwrap();
    database.close().await.unwrap();
}
