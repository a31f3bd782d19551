//! Many callers, and callers that go away.

use std::time::Duration;

use futures_util::future::join_all;

use super::bed::Bed;
use super::sample::*;
use crate::domain::operation::Record;
use crate::store::{Store, StoreError, StoreOptions, Verdict};

async fn applied(commits: Vec<crate::store::Commit>, store: &Store) -> usize {
    let tasks = commits.into_iter().map(|commit| {
        let store = store.clone();
        tokio::spawn(async move { store.commit(commit).await.expect("judged") })
    });
    let verdicts = join_all(tasks)
        .await
        .into_iter()
        .map(|done| done.expect("no panic"));
    verdicts
        .filter(|verdict| *verdict == Verdict::Applied)
        .count()
}

pub(super) async fn of_64_commits_of_one_row_one_wins(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let record = stored(&store, charge("1"), Vec::new()).await;
    let commits = (0..64).map(|_| nudge(&record).0).collect();
    assert_eq!(applied(commits, &store).await, 1);
    assert_eq!(raw.count("ledger").await, 2);
    assert_eq!(load(&store, &record).await.operation.version, 2);
    store.close().await;
}

pub(super) async fn of_64_creates_of_one_identity_one_wins(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let commits = (0..64).map(|_| insert(charge("1"), Vec::new()).0).collect();
    assert_eq!(applied(commits, &store).await, 1);
    for table in ["operations", "ledger", "outbox"] {
        assert_eq!(raw.count(table).await, 1, "{table}");
    }
    store.close().await;
}

/// Eight tasks read a row and then write it. None of them fails, and no
/// change is lost.
pub(super) async fn readers_that_write_wait_for_each_other(bed: Bed) {
    let store = bed.store().await;
    let record = stored(&store, charge("1"), Vec::new()).await;
    let advance = |store: Store, record: Record| async move {
        loop {
            let (commit, _) = nudge(&load(&store, &record).await);
            if store.commit(commit).await.expect("judged") == Verdict::Applied {
                break;
            }
        }
    };
    let tasks = (0..8).map(|_| tokio::spawn(advance(store.clone(), record.clone())));
    for done in join_all(tasks).await {
        done.expect("every task gets its turn");
    }
    assert_eq!(load(&store, &record).await.operation.version, 9);
    store.close().await;
}

/// Commits that change the same rows, named in opposite orders, wait for each
/// other in one order.
pub(super) async fn crossing_writers_never_deadlock(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let one = stored(&store, charge("1"), Vec::new()).await;
    let two = stored(&store, charge("2"), Vec::new()).await;
    let advance = |store: Store, rows: [Record; 2]| async move {
        let mut done = 0;
        while done < 10 {
            let mut commit = empty(&tenant());
            for row in &rows {
                let row = load(&store, row).await;
                add(&mut commit, row.operation.id, Some(&row), &[]);
            }
            let verdict = store.commit(commit).await.expect("judged");
            done += usize::from(verdict == Verdict::Applied);
        }
    };
    let orders = [[one.clone(), two.clone()], [two, one.clone()]];
    let pairs = orders.iter().cycle().take(6).cloned();
    let tasks = pairs.map(|rows| tokio::spawn(advance(store.clone(), rows)));
    for done in join_all(tasks).await {
        done.expect("every task gets its turn");
    }
    assert_eq!(load(&store, &one).await.operation.version, 61);
    if !bed.is_sqlite() {
        let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
        assert_eq!(raw.number(deadlocks).await, 0);
    }
    store.close().await;
}

/// Hands a commit over and goes away at once.
async fn hand_over_and_leave(store: &Store, commit: crate::store::Commit) {
    tokio::select! {
        biased;
        _ = store.commit(commit) => {}
        () = std::future::ready(()) => {}
    }
}

async fn appears(store: &Store, record: &Record) {
    let wait = async {
        loop {
            let found = store.record(&tenant(), record.operation.id).await;
            match found.expect("read") {
                Some(found) if found.operation.version >= record.operation.version => break,
                Some(_) | None => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    };
    let limit = Duration::from_secs(30);
    tokio::time::timeout(limit, wait)
        .await
        .expect("it is there");
}

pub(super) async fn a_dropped_caller_changes_nothing(bed: Bed) {
    let store = bed.store().await;
    let (commit, record) = insert(charge("1"), Vec::new());
    hand_over_and_leave(&store, commit).await;
    appears(&store, &record).await;
    assert_eq!(load(&store, &record).await, record);
    store.close().await;
}

/// With one connection for all commits, one that was left inside a
/// transaction would swallow what comes after it.
pub(super) async fn canceled_callers_leave_no_open_transaction(bed: Bed) {
    let options = StoreOptions {
        max_connections: 1,
        ..bed.options()
    };
    let (store, raw) = (bed.store_with(options).await, bed.raw().await);
    let mut last = None;
    for n in 0..40 {
        let (commit, record) = insert(charge(&n.to_string()), Vec::new());
        let store = store.clone();
        let caller = tokio::spawn(async move { store.commit(commit).await });
        tokio::time::sleep(Duration::from_micros(n * 97)).await;
        caller.abort();
        let _ = caller.await;
        last = Some(record);
    }
    let (commit, record) = insert(charge("last"), Vec::new());
    apply(&store, commit).await;
    drop(last);
    let claimed = store
        .claims()
        .claim_due("replica", Duration::from_secs(1), 1)
        .await;
    claimed.expect("a single statement runs by itself");
    // Seen from another connection, so it is committed.
    assert!(raw.count("operations").await >= 1);
    assert_eq!(load(&store, &record).await, record);
    if !bed.is_sqlite() {
        let open = "SELECT COUNT(*) FROM pg_stat_activity \
                    WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
        assert_eq!(raw.number(open).await, 0);
    }
    store.close().await;
}

pub(super) async fn closing_answers_what_was_taken(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let commits = (0..48).map(|n| insert(charge(&n.to_string()), Vec::new()).0);
    let tasks: Vec<_> = commits
        .map(|commit| {
            let store = store.clone();
            tokio::spawn(async move { store.commit(commit).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(5)).await;
    store.close().await;
    let mut written = 0;
    for answer in join_all(tasks).await {
        match answer.expect("no panic") {
            Ok(Verdict::Applied) => written += 1,
            Err(StoreError::Unavailable(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(raw.count("operations").await, written);
    let (late, _) = insert(charge("late"), Vec::new());
    let refused = store.commit(late).await;
    assert!(
        matches!(refused, Err(StoreError::Unavailable(_))),
        "{refused:?}"
    );
}
