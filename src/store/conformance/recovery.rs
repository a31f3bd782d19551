//! Beats, recoveries, and commits that rest on them.

use super::bed::Bed;
use super::sample::*;
use crate::domain::recovery::{RecoveryState, Standing};
use crate::domain::time::Instant;
use crate::store::recovery::{Begin, Present};
use crate::store::{Footing, Store, StoreError, Verdict};

fn known(present: &Present) -> Standing {
    present.standing()
}

async fn beat(store: &Store, known: Standing) -> Present {
    let counted = store.recoveries().beat(known).await.expect("answered");
    counted.expect("counted")
}

fn awaiting(epoch: i64, beat: i64) -> Begin {
    Begin {
        epoch,
        beat,
        state: RecoveryState::AwaitingConfirmation,
        lost_since: Instant(1),
        by: None,
    }
}

pub(super) async fn beats_rise_and_the_server_is_recorded(bed: Bed) {
    let store = bed.store().await;
    let first = beat(&store, Standing::default()).await;
    let second = beat(&store, known(&first)).await;
    assert_eq!((first.beat, second.beat), (1, 2));
    assert!(second.beat_at >= first.beat_at && first.beat_at.is_some());
    assert_eq!(second.timeline, second.server_timeline);
    assert_eq!(second.timeline.is_some(), !bed.is_sqlite());
    assert_eq!(second.standing().recovery, None);
}

pub(super) async fn a_beat_is_not_counted_where_one_is_missing(bed: Bed) {
    let store = bed.store().await;
    let first = beat(&store, Standing::default()).await;
    for ahead in [
        Standing {
            beat: 2,
            ..known(&first)
        },
        Standing {
            epoch: 1,
            ..known(&first)
        },
    ] {
        let counted = store.recoveries().beat(ahead).await.expect("answered");
        assert_eq!(counted, None);
    }
    let present = store.recoveries().present().await.expect("answered");
    assert_eq!((present.beat, present.beat_at), (1, first.beat_at));
}

pub(super) async fn a_beat_on_another_server_is_not_counted(bed: Bed) {
    let store = bed.store().await;
    let first = beat(&store, Standing::default()).await;
    let other = "UPDATE deployment SET timeline = '0000FFFF'";
    bed.raw().await.execute(other).await.expect("written");
    let counted = store.recoveries().beat(known(&first)).await;
    assert_eq!(counted.expect("answered"), None);
    let (commit, _) = insert(charge("1"), Vec::new());
    assert_eq!(on(&store, commit, 0, 1).await, Verdict::Displaced);
    let seen = store.recoveries().present().await.expect("answered");
    assert!(store.recoveries().accept(&seen, 1).await.expect("written"));
    beat(&store, known(&first)).await;
}

pub(super) async fn of_two_that_begin_a_recovery_one_wins(bed: Bed) {
    let store = bed.store().await;
    let seen = beat(&store, Standing::default()).await;
    let door = store.recoveries();
    assert!(door.begin(&seen, awaiting(5, 9)).await.expect("written"));
    assert!(!door.begin(&seen, awaiting(6, 9)).await.expect("answered"));
    let present = door.present().await.expect("answered");
    assert_eq!((present.epoch, present.beat), (5, 9));
    let recovery = present.standing().recovery.expect("it stands");
    assert!(!recovery.confirmed);
    assert_eq!(recovery.lost_since, Instant(1));
}

pub(super) async fn a_recovery_is_confirmed_and_ended_by_its_epoch(bed: Bed) {
    let store = bed.store().await;
    let seen = beat(&store, Standing::default()).await;
    let door = store.recoveries();
    assert!(door.begin(&seen, awaiting(5, 9)).await.expect("written"));
    assert!(!door.end(5, "anna").await.expect("not held yet"));
    assert!(!door.confirm(4, "anna").await.expect("another epoch"));
    assert!(door.confirm(5, "anna").await.expect("written"));
    assert!(!door.confirm(5, "anna").await.expect("confirmed already"));
    let held = door.present().await.expect("answered");
    assert_eq!(held.state, RecoveryState::Held);
    assert!(held.standing().recovery.expect("it stands").confirmed);
    assert!(door.end(5, "bert").await.expect("written"));
    let ended = door.present().await.expect("answered");
    assert_eq!(ended.standing().recovery, None);
    assert_eq!((ended.epoch, ended.by.as_deref()), (5, Some("bert")));
}

pub(super) async fn a_commit_on_a_database_that_went_back_is_displaced(bed: Bed) {
    let store = bed.store().await;
    beat(&store, Standing::default()).await;
    let (commit, record) = insert(charge("1"), Vec::new());
    assert_eq!(on(&store, commit.clone(), 0, 2).await, Verdict::Displaced);
    assert_eq!(on(&store, commit.clone(), 1, 1).await, Verdict::Displaced);
    let operation = &record.operation;
    let found = store.record(&operation.intent.tenant, operation.id).await;
    assert_eq!(found.expect("read"), None);
    assert_eq!(on(&store, commit, 0, 1).await, Verdict::Applied);
}

async fn on(store: &Store, commit: crate::store::Commit, epoch: i64, beat: i64) -> Verdict {
    let footing = Some(Footing { epoch, beat });
    let judged: Result<_, StoreError> = store
        .commit(crate::store::Commit { footing, ..commit })
        .await;
    judged.expect("judged")
}
