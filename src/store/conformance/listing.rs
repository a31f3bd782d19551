//! Lists, and finding the newest.

use std::time::Duration;

use super::bed::Bed;
use super::sample::*;
use crate::domain::effect::Role;
use crate::domain::fact::Fact;
use crate::domain::ids::OperationId;
use crate::domain::kind::Kind;
use crate::domain::operation::Record;
use crate::domain::state::State;
use crate::store::{ListFilter, Page, Store};

/// Records an operation as if it had been made that many seconds later.
async fn stored_at(store: &Store, order_name: &str, n: i64) -> Record {
    let (_, mut record) = insert(charge(order_name), Vec::new());
    record.operation.created_at = at(n);
    let id = record.operation.id;
    for (payment, role) in [("pay_1", Role::Primary), ("pay_2", Role::Duplicate)] {
        record.effects.push(effect(id, payment, role));
    }
    let mut commit = empty(&tenant());
    let record = add_as_is(&mut commit, None, record, &[]);
    apply(store, commit).await;
    record
}

async fn list(store: &Store, filter: &ListFilter, page: Page) -> Vec<Record> {
    store.list(&tenant(), filter, page).await.expect("read")
}

pub(super) async fn pages_are_complete_and_newest_first(bed: Bed) {
    let store = bed.store().await;
    let mut all = Vec::new();
    for (order_name, n) in [("1", 5), ("2", 7), ("3", 7), ("4", 1), ("5", 7)] {
        all.push(stored_at(&store, order_name, n).await);
    }
    let place = |record: &Record| (record.operation.created_at, record.operation.id);
    all.sort_by_key(|record| std::cmp::Reverse(place(record)));
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = Page { after, size: 2 };
        let records = list(&store, &ListFilter::default(), page).await;
        let Some(last) = records.last() else { break };
        after = Some(place(last));
        assert!(records.len() <= 2);
        seen.extend(records);
    }
    assert_eq!(seen, all);
    store.close().await;
}

pub(super) async fn filters_hold_together(bed: Bed) {
    let store = bed.store().await;
    let first = stored_at(&store, "1", 1).await;
    let second = stored_at(&store, "2", 2).await;
    let second = changed(&store, &second, &[moved(State::Canceled)]).await;
    let find = |filter: ListFilter| {
        let store = store.clone();
        async move {
            let page = Page {
                after: None,
                size: 9,
            };
            let found = list(&store, &filter, page).await;
            found
                .iter()
                .map(|r| r.operation.id)
                .collect::<Vec<OperationId>>()
        }
    };
    let (one, two) = (first.operation.id, second.operation.id);
    let any = ListFilter::default();
    assert_eq!(find(any.clone()).await, [two, one]);
    let states = vec![State::Canceled, State::Unknown];
    let canceled = ListFilter {
        states,
        ..any.clone()
    };
    assert_eq!(find(canceled.clone()).await, [two]);
    let of_one = ListFilter {
        order_id: Some(order("1")),
        ..any.clone()
    };
    assert_eq!(find(of_one).await, [one]);
    let from = ListFilter {
        created_from: Some(at(2)),
        ..any.clone()
    };
    assert_eq!(find(from).await, [two]);
    let before = ListFilter {
        created_before: Some(at(2)),
        ..any
    };
    assert_eq!(find(before).await, [one]);
    let none = ListFilter {
        created_before: Some(at(2)),
        ..canceled
    };
    assert_eq!(find(none).await, []);
    store.close().await;
}

pub(super) async fn the_newest_generation_is_found(bed: Bed) {
    let store = bed.store().await;
    let first = stored(&store, charge("1"), vec![moved(State::Declined)]).await;
    let mut intent = charge("1");
    (intent.generation, intent.supersedes) = (2, Some(first.operation.id));
    rekey(&mut intent);
    let second = stored(&store, intent, Vec::new()).await;
    let find = async |generation| {
        let (tenant, order, purpose) = (tenant(), order("1"), purpose("purchase"));
        let found = store.payment(&tenant, &order, &purpose, generation).await;
        found.expect("read")
    };
    assert_eq!(find(None).await.as_ref(), Some(&second));
    assert_eq!(find(Some(1)).await.as_ref(), Some(&first));
    assert_eq!(find(Some(3)).await, None);
    let all = store.payments_of_order(&tenant(), &order("1")).await;
    assert_eq!(all.expect("read"), [first, second]);
    store.close().await;
}

pub(super) async fn compensations_come_oldest_first(bed: Bed) {
    let store = bed.store().await;
    let parent = stored_and_paid(&store, charge("1")).await;
    let mut made = Vec::new();
    for name in ["b", "a"] {
        let refund = compensation(&parent, Kind::Refund, name);
        let refund = stored(&store, refund, sent_and_unknown()).await;
        let facts = [Fact::DeclineExplained {
            decline: crate::domain::evidence::Decline {
                category: crate::domain::evidence::DeclineCategory::Other,
                provider_code: None,
            },
        }];
        let declined = [facts.as_slice(), &[moved(State::Declined)]].concat();
        made.push(changed(&store, &refund, &declined).await.operation);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let found = store.compensations(&tenant(), parent.operation.id).await;
    assert_eq!(found.expect("read"), made);
    store.close().await;
}
