//! Making, opening and recognising a database.

use std::time::Duration;

use futures_util::future::join_all;

use super::bed::Bed;
use super::sample::*;
use crate::store::{Store, StoreError, StoreOptions};

pub(super) async fn replicas_that_migrate_at_once_do_not_collide(bed: Bed) {
    let tasks = (0..8).map(|_| {
        let urls = bed.urls.clone();
        tokio::spawn(async move { Store::migrate(&urls).await.expect("migrated").applied })
    });
    let applied = join_all(tasks)
        .await
        .into_iter()
        .map(|done| done.expect("no panic"));
    assert_eq!(applied.sum::<usize>(), 1);
    assert_eq!(Store::migrate(&bed.urls).await.expect("again").applied, 0);
    let store = Store::connect(bed.options()).await.expect("connected");
    stored(&store, charge("1"), Vec::new()).await;
    store.close().await;
}

pub(super) async fn a_database_of_another_shape_is_refused(bed: Bed) {
    bed.store().await.close().await;
    let raw = bed.raw().await;
    let older = "UPDATE deployment SET schema_version = 0, schema_checksum = 'an older one'";
    raw.execute(older).await.expect("made older");
    let refused = Store::connect(bed.options()).await.expect_err("refused");
    let said = refused.to_string();
    assert!(
        matches!(refused, StoreError::SchemaMismatch { .. }),
        "{said}"
    );
    assert!(said.contains("schema 0 (an older one)"), "{said}");
    let refused = Store::migrate(&bed.urls).await;
    assert!(
        matches!(refused, Err(StoreError::SchemaMismatch { .. })),
        "{refused:?}"
    );
    let version = "SELECT CAST(schema_version AS BIGINT) FROM deployment";
    assert_eq!(raw.number(version).await, 0, "it is left as it was");
}

pub(super) async fn a_database_without_tables_is_refused(bed: Bed) {
    let raw = if bed.is_sqlite() {
        let mut made = bed.urls[0].clone();
        made.push_str("?mode=rwc");
        sea_orm::Database::connect(made)
            .await
            .expect("an empty file");
        bed.raw().await
    } else {
        bed.raw().await
    };
    let refused = Store::connect(bed.options()).await;
    assert!(
        matches!(refused, Err(StoreError::SchemaMismatch { .. })),
        "{refused:?}"
    );
    raw.execute("CREATE TABLE operations (id INTEGER)")
        .await
        .expect("made");
    let refused = Store::migrate(&bed.urls).await;
    assert!(
        matches!(refused, Err(StoreError::SchemaMismatch { .. })),
        "{refused:?}"
    );
    assert_eq!(
        raw.count("operations").await,
        0,
        "somebody else's table is untouched"
    );
}

pub(super) async fn another_deployment_is_refused(bed: Bed) {
    bed.store().await.close().await;
    let other = StoreOptions {
        deployment: "other".to_owned(),
        ..bed.options()
    };
    match Store::connect(other).await.expect_err("refused") {
        StoreError::DeploymentMismatch {
            recorded,
            configured,
        } => assert_eq!(
            (recorded.as_str(), configured.as_str()),
            ("default", "other")
        ),
        error => panic!("{error}"),
    }
    Store::connect(bed.options())
        .await
        .expect("still ours")
        .close()
        .await;
}

pub(super) async fn a_corrupt_row_is_named(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let record = stored_and_paid(&store, charge("1")).await;
    let spoilt = [
        ("operations", "currency = 'QQQ'", "currency = 'USD'"),
        ("operations", "order_id = 'a b'", "order_id = '1'"),
        (
            "operations",
            "canonical = '{}'",
            "canonical = '{\"order_id\":\"1\"}'",
        ),
        ("operations", "attempts = 7", "attempts = 0"),
        ("operations", "labels = '['", "labels = '{}'"),
        ("effects", "currency = 'QQQ'", "currency = 'USD'"),
        ("effects", "account = 'a b'", "account = 'simulator'"),
    ];
    for (table, spoil, mend) in spoilt {
        raw.execute(&format!("UPDATE {table} SET {spoil}"))
            .await
            .expect(spoil);
        let id = match table {
            "effects" => record.effects[0].id.to_string(),
            _ => record.operation.id.to_string(),
        };
        match store.record(&tenant(), record.operation.id).await {
            Err(StoreError::Corrupt {
                table: t, id: i, ..
            }) => assert_eq!((t, i), (table, id)),
            other => panic!("{spoil}: {other:?}"),
        }
        raw.execute(&format!("UPDATE {table} SET {mend}"))
            .await
            .expect(mend);
    }
    assert_eq!(load(&store, &record).await, record);
    store.close().await;
}

pub(super) async fn time_moves_and_is_shifted(bed: Bed) {
    let shift = Duration::from_secs(25 * 3600);
    let (store, later) = (bed.store().await, bed.later(shift).await);
    let (first, shifted) = (store.now().await, later.now().await);
    let last = store.now().await.expect("the time");
    let (first, shifted) = (first.expect("the time"), shifted.expect("the time"));
    assert!(first > at(0), "microseconds since 1970");
    assert!(first <= last);
    assert!(first <= shifted - shift && shifted - shift <= last);
    store.close().await;
    later.close().await;
}
