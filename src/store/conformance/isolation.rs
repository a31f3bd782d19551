//! Tenants never see or touch each other's rows (P13).

use super::bed::Bed;
use super::sample::*;
use crate::domain::kind::Kind;
use crate::domain::reference::TenantId;
use crate::store::{Guard, ListFilter, Page};

fn stranger() -> TenantId {
    TenantId::parse("stranger").expect("a tenant")
}

pub(super) async fn no_finder_shows_another_tenants_rows(bed: Bed) {
    let store = bed.store().await;
    let parent = stored_and_paid(&store, charge("1")).await;
    let refund = compensation(&parent, Kind::Refund, "one");
    stored(&store, refund, sent_and_unknown()).await;
    let (mut commit, parent) = nudge(&parent);
    let opened = attempt(&parent, 1, 1);
    commit
        .attempts
        .push(crate::store::AttemptWrite::Open(opened));
    apply(&store, commit).await;

    for (tenant, theirs) in [(tenant(), true), (stranger(), false)] {
        let (tenant, id) = (&tenant, parent.operation.id);
        let order = order("1");
        let found = store.record(tenant, id).await.expect("read");
        assert_eq!(found.is_some(), theirs);
        for generation in [None, Some(1)] {
            let found = store
                .payment(tenant, &order, &purpose("purchase"), generation)
                .await;
            assert_eq!(found.expect("read").is_some(), theirs);
        }
        let found = store.payments_of_order(tenant, &order).await.expect("read");
        assert_eq!(!found.is_empty(), theirs);
        let found = store.compensations(tenant, id).await.expect("read");
        assert_eq!(!found.is_empty(), theirs);
        let page = Page {
            after: None,
            size: 9,
        };
        let found = store.list(tenant, &ListFilter::default(), page).await;
        assert_eq!(!found.expect("read").is_empty(), theirs);
        assert_eq!(
            !store.history(tenant, id).await.expect("read").is_empty(),
            theirs
        );
        assert_eq!(
            !store.attempts(tenant, id).await.expect("read").is_empty(),
            theirs
        );
    }
    store.close().await;
}

pub(super) async fn no_commit_touches_another_tenants_rows(bed: Bed) {
    let store = bed.store().await;
    let record = stored(&store, charge("1"), Vec::new()).await;
    let mut forged = record.clone();
    forged.operation.intent.tenant = stranger();
    stale(&store, nudge(&forged).0).await;

    let mut intent = charge("1");
    intent.tenant = stranger();
    rekey(&mut intent);
    let (mut commit, theirs) = insert(intent, Vec::new());
    commit.guards = vec![Guard {
        operation_id: record.operation.id,
        version: 1,
    }];
    stale(&store, commit.clone()).await;
    commit.guards.clear();
    apply(&store, commit).await;

    let released = store
        .claims()
        .release(&stranger(), record.operation.id, 0)
        .await;
    released.expect("nothing to release");
    assert_eq!(load(&store, &record).await, record);
    assert_eq!(load(&store, &theirs).await, theirs);
    store.close().await;
}
