//! Acknowledgements that are lost, on either side of the commit.

use super::bed::Bed;
use super::sample::*;
use crate::domain::ledger::replay;
use crate::domain::operation::Record;
use crate::store::write::fault::Fault::{self, AnswerLost, CommitLost, LookUpFails};
use crate::store::{Store, StoreError, Verdict};

fn plan(store: &Store, faults: impl IntoIterator<Item = Fault>) {
    store.inner.faults.plan(faults);
}

/// The row stands where it should, and its ledger has nothing twice.
async fn stands(store: &Store, record: &Record) {
    assert_eq!(&load(store, record).await, record);
    let history = store.history(&tenant(), record.operation.id).await;
    let replayed = replay(&history.expect("a ledger")).expect("it holds together");
    assert_eq!(replayed.as_ref(), Some(record));
}

pub(super) async fn a_lost_answer_is_looked_up(bed: Bed) {
    let store = bed.store().await;
    let record = stored(&store, charge("1"), Vec::new()).await;
    plan(&store, [AnswerLost]);
    let record = changed(&store, &record, &[]).await;
    stands(&store, &record).await;
    store.close().await;
}

pub(super) async fn a_lost_commit_is_made_again(bed: Bed) {
    let store = bed.store().await;
    let record = stored(&store, charge("1"), Vec::new()).await;
    plan(&store, [CommitLost, CommitLost]);
    let record = changed(&store, &record, &[]).await;
    stands(&store, &record).await;
    store.close().await;
}

pub(super) async fn a_retry_that_meets_its_own_rows_is_applied(bed: Bed) {
    let store = bed.store().await;
    let record = stored(&store, charge("1"), Vec::new()).await;
    plan(&store, [AnswerLost, LookUpFails]);
    let record = changed(&store, &record, &[]).await;
    stands(&store, &record).await;
    store.close().await;
}

pub(super) async fn without_a_look_up_the_outcome_is_undetermined(bed: Bed) {
    let store = bed.store().await;
    let record = stored(&store, charge("1"), Vec::new()).await;
    plan(&store, [AnswerLost]);
    plan(&store, [LookUpFails; 5]);
    let (commit, after) = nudge(&record);
    let answer = store.commit(commit).await;
    assert!(
        matches!(answer, Err(StoreError::Undetermined)),
        "{answer:?}"
    );
    stands(&store, &after).await;
    store.close().await;
}

pub(super) async fn what_another_wrote_meanwhile_is_stale(bed: Bed) {
    let (store, other) = (bed.store().await, bed.store().await);
    let record = stored(&store, charge("1"), Vec::new()).await;
    plan(&store, [CommitLost, CommitLost]);
    let (ours, _) = nudge(&record);
    let (theirs, after) = nudge(&record);
    let waiting = tokio::spawn({
        let store = store.clone();
        async move { store.commit(ours).await }
    });
    let theirs = other.commit(theirs).await.expect("judged");
    let ours = waiting.await.expect("no panic").expect("judged");
    let won = [ours, theirs]
        .into_iter()
        .filter(|v| *v == Verdict::Applied);
    assert_eq!(won.count(), 1);
    assert_eq!(load(&store, &after).await.operation.version, 2);
    store.close().await;
    other.close().await;
}

pub(super) async fn a_lost_insert_is_recognised(bed: Bed) {
    let store = bed.store().await;
    plan(&store, [AnswerLost, LookUpFails]);
    let record = stored(&store, charge("1"), Vec::new()).await;
    stands(&store, &record).await;
    store.close().await;
}
