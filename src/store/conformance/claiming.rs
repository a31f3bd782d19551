//! Leases.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;

use super::bed::Bed;
use super::sample::*;
use crate::domain::fact::Fact;
use crate::domain::operation::Record;
use crate::domain::reference::TenantId;
use crate::domain::time::Instant;
use crate::store::{LeaseWrite, Store};

const LEASE: Duration = Duration::from_secs(600);

/// An operation whose check is due at that time.
async fn due(store: &Store, order_name: &str, when: Instant) -> Record {
    let mut facts = sent_and_unknown();
    facts.push(Fact::CheckScheduled { at: Some(when) });
    stored(store, charge(order_name), facts).await
}

async fn claim(store: &Store, owner: &str, limit: u32) -> Vec<Record> {
    let claimed = store.claims().claim_due(owner, LEASE, limit).await;
    claimed.expect("claimed")
}

pub(super) async fn one_of_64_claimers_wins(bed: Bed) {
    let store = bed.store().await;
    let record = due(&store, "1", at(0)).await;
    let tasks = (0..64).map(|n| {
        let store = store.clone();
        tokio::spawn(async move { claim(&store, &format!("replica-{n}"), 5).await })
    });
    let claimed: Vec<Record> = join_all(tasks)
        .await
        .into_iter()
        .flat_map(|done| done.expect("no panic"))
        .collect();
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].operation.id, record.operation.id);
    assert_eq!(claimed[0].operation.lease.epoch, 1);
    assert_eq!(claimed[0], load(&store, &record).await);
    store.close().await;
}

pub(super) async fn what_is_due_is_handed_out_once(bed: Bed) {
    let store = bed.store().await;
    for n in 0..21 {
        due(&store, &n.to_string(), at(n % 3)).await;
    }
    let drain = |store: Store, n: usize| async move {
        let (mut ids, owner) = (Vec::new(), format!("replica-{n}"));
        loop {
            let claimed = claim(&store, &owner, 2).await;
            if claimed.is_empty() {
                return ids;
            }
            assert!(claimed.len() <= 2);
            for record in claimed {
                assert_eq!(
                    record.operation.lease.owner.as_deref(),
                    Some(owner.as_str())
                );
                ids.push(record.operation.id);
            }
        }
    };
    let tasks = (0..8).map(|n| tokio::spawn(drain(store.clone(), n)));
    let ids: Vec<_> = join_all(tasks)
        .await
        .into_iter()
        .flat_map(|done| done.expect("no panic"))
        .collect();
    // A claimer that finds nothing may have passed rows that others were
    // just taking; what they took is in their own lists.
    assert_eq!(ids.len(), 21);
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 21);
    store.close().await;
}

pub(super) async fn the_oldest_is_first_and_the_future_waits(bed: Bed) {
    let store = bed.store().await;
    let now = store.now().await.expect("the time");
    let second = due(&store, "1", at(2)).await;
    let first = due(&store, "2", at(1)).await;
    due(&store, "3", now + Duration::from_secs(3600)).await;
    stored(&store, charge("4"), Vec::new()).await;
    let ids = |records: Vec<Record>| -> Vec<_> {
        records.iter().map(|record| record.operation.id).collect()
    };
    let one = ids(claim(&store, "replica", 1).await);
    assert_eq!(one, [first.operation.id]);
    let rest = ids(claim(&store, "replica", 9).await);
    assert_eq!(rest, [second.operation.id]);
    store.close().await;
}

/// One line for all: a tenant waits for what was due before, and for nothing
/// that came later, however much another tenant has.
pub(super) async fn a_backlog_of_one_tenant_does_not_overtake_another(bed: Bed) {
    let store = bed.store().await;
    for n in 0..30 {
        due(&store, &n.to_string(), at(n)).await;
    }
    let mut intent = charge("0");
    intent.tenant = TenantId::parse("quiet").expect("a tenant");
    rekey(&mut intent);
    let mut facts = sent_and_unknown();
    facts.push(Fact::CheckScheduled {
        at: Some(at(9) + Duration::from_millis(1)),
    });
    let quiet = stored(&store, intent, facts).await;
    let earlier = claim(&store, "replica", 10).await;
    assert!(
        earlier
            .iter()
            .all(|it| it.operation.intent.tenant == tenant())
    );
    let next = claim(&store, "replica", 1).await.remove(0);
    assert_eq!(next.operation.id, quiet.operation.id);
    store.close().await;
}

pub(super) async fn a_lapsed_lease_is_taken_over(bed: Bed) {
    let (store, later) = (bed.store().await, bed.later(LEASE * 2).await);
    due(&store, "1", at(0)).await;
    let first = claim(&store, "first", 1).await.remove(0);
    assert!(claim(&store, "second", 1).await.is_empty());
    let before = later.now().await.expect("the time");
    let second = claim(&later, "second", 1).await.remove(0);
    let lease = &second.operation.lease;
    assert_eq!((first.operation.lease.epoch, lease.epoch), (1, 2));
    assert_eq!(lease.owner.as_deref(), Some("second"));
    // SQLite's clock counts milliseconds.
    let until = lease.until.expect("held") + Duration::from_millis(1);
    assert!(until >= before + LEASE);
    store.close().await;
    later.close().await;
}

pub(super) async fn a_fenced_write_is_void_after_a_takeover(bed: Bed) {
    let (store, later) = (bed.store().await, bed.later(LEASE * 2).await);
    due(&store, "1", at(0)).await;
    let zombie = claim(&store, "zombie", 1).await.remove(0);
    let heir = claim(&later, "heir", 1).await.remove(0);
    let (mut fenced, _) = nudge(&zombie);
    fenced.writes[0].fence = Some(1);
    stale(&store, fenced).await;
    assert_eq!(load(&store, &zombie).await, heir);
    // What it learned is still the truth, and is not fenced.
    let (truth, mut after) = change(&zombie, &paid(zombie.operation.id, "pay_1"));
    apply(&store, truth).await;
    after.operation.lease = heir.operation.lease;
    assert_eq!(load(&store, &after).await, after);
    store.close().await;
    later.close().await;
}

pub(super) async fn an_old_release_leaves_the_newer_lease(bed: Bed) {
    let (store, later) = (bed.store().await, bed.later(LEASE * 2).await);
    due(&store, "1", at(0)).await;
    let old = claim(&store, "old", 1).await.remove(0);
    let new = claim(&later, "new", 1).await.remove(0);
    let (mut commit, after) = nudge(&old);
    commit.writes[0].lease = LeaseWrite::Release { epoch: 1 };
    apply(&store, commit).await;
    assert_eq!(
        load(&store, &after).await.operation.lease,
        new.operation.lease
    );
    let released = store.claims().release(&tenant(), new.operation.id, 1).await;
    released.expect("it never fails for that");
    assert_eq!(
        load(&store, &after).await.operation.lease,
        new.operation.lease
    );
    store.close().await;
    later.close().await;
}

pub(super) async fn a_released_row_is_free_at_once(bed: Bed) {
    let store = bed.store().await;
    due(&store, "1", at(0)).await;
    let record = claim(&store, "one", 1).await.remove(0);
    let released = store
        .claims()
        .release(&tenant(), record.operation.id, 1)
        .await;
    released.expect("released");
    let again = claim(&store, "two", 1).await.remove(0);
    assert_eq!(again.operation.lease.epoch, 2);
    store.close().await;
}

pub(super) async fn a_claim_changes_neither_version_nor_ledger(bed: Bed) {
    let store = bed.store().await;
    let record = due(&store, "1", at(0)).await;
    let mut claimed = claim(&store, "replica", 1).await.remove(0);
    claimed.operation.lease = record.operation.lease.clone();
    assert_eq!(claimed, record);
    let history = store.history(&tenant(), record.operation.id).await;
    assert_eq!(history.expect("read").len(), 1);
    store.close().await;
}

pub(super) async fn a_corrupt_row_keeps_nobody_waiting(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    due(&store, "1", at(0)).await;
    raw.execute("UPDATE operations SET currency = 'QQQ'")
        .await
        .expect("spoiled");
    let sound = due(&store, "2", at(1)).await;
    let claimed = claim(&store, "replica", 5).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].operation.id, sound.operation.id);
    store.close().await;
}

pub(super) async fn the_next_due_time_is_known(bed: Bed) {
    let store = bed.store().await;
    let claims = store.claims();
    let next = || async { claims.next_due().await.expect("read") };
    stored(&store, charge("0"), Vec::new()).await;
    assert_eq!(next().await, None);
    let now = store.now().await.expect("the time");
    let far = now + Duration::from_secs(3600);
    due(&store, "1", far).await;
    assert_eq!(next().await, Some(far));
    due(&store, "2", at(0)).await;
    assert_eq!(next().await, Some(at(0)));
    let held = claim(&store, "replica", 5).await.remove(0);
    assert_eq!(
        next().await,
        held.operation.lease.until,
        "the end of its lease"
    );
    store.close().await;
}
