//! What does not hold makes a commit stale, and nothing of it is written.

use super::bed::{Bed, Raw};
use super::sample::*;
use crate::domain::fact::Fact;
use crate::domain::kind::Kind;
use crate::domain::operation::{Intent, Record};
use crate::domain::state::State;
use crate::store::{Commit, Guard, Store, StoreError};

/// How many rows there are of everything that a commit writes.
async fn rows(raw: &Raw) -> [i64; 6] {
    let mut counts = [0; 6];
    let tables = [
        "operations",
        "effects",
        "attempts",
        "ledger",
        "outbox",
        "cases",
    ];
    for (count, table) in counts.iter_mut().zip(tables) {
        *count = raw.count(table).await;
    }
    counts
}

async fn writes_nothing(store: &Store, raw: &Raw, commit: Commit) {
    let before = rows(raw).await;
    stale(store, commit).await;
    assert_eq!(rows(raw).await, before);
}

fn declined() -> Vec<Fact> {
    vec![moved(State::Declined)]
}

fn guard(record: &Record, version: i64) -> Guard {
    Guard {
        operation_id: record.operation.id,
        version,
    }
}

pub(super) async fn another_version_is_stale(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let first = stored(&store, charge("1"), Vec::new()).await;
    let second = changed(&store, &first, &[]).await;
    writes_nothing(&store, &raw, nudge(&first).0).await;
    let (never, _) = insert(charge("never"), Vec::new());
    let missing = never.writes[0].record.clone();
    writes_nothing(&store, &raw, nudge(&missing).0).await;
    assert_eq!(load(&store, &second).await, second);
    store.close().await;
}

/// A conflict must count as a conflict: some ways to insert call it a
/// success, others an error.
pub(super) async fn an_id_that_exists_is_stale(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let record = stored(&store, charge("1"), Vec::new()).await;
    let mut commit = empty(&tenant());
    let facts = [created(charge("2"))];
    add(&mut commit, record.operation.id, None, &facts);
    writes_nothing(&store, &raw, commit).await;
    assert_eq!(load(&store, &record).await, record);
    store.close().await;
}

pub(super) async fn a_guard_that_does_not_hold_is_stale(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let rested_on = stored(&store, charge("1"), Vec::new()).await;
    let record = stored(&store, charge("2"), Vec::new()).await;
    let with = |guards: Vec<Guard>| {
        let (mut commit, after) = nudge(&record);
        commit.guards = guards;
        (commit, after)
    };
    writes_nothing(&store, &raw, with(vec![guard(&rested_on, 2)]).0).await;
    let (absent, _) = insert(charge("3"), Vec::new());
    let absent = guard(&absent.writes[0].record, 1);
    writes_nothing(&store, &raw, with(vec![absent]).0).await;
    let contradicting = vec![guard(&record, 7)];
    writes_nothing(&store, &raw, with(contradicting).0).await;
    let (mut new, _) = insert(charge("4"), Vec::new());
    new.guards = vec![guard(&rested_on, 2)];
    writes_nothing(&store, &raw, new).await;

    let (commit, after) = with(vec![guard(&rested_on, 1)]);
    apply(&store, commit).await;
    assert_eq!(load(&store, &after).await, after);
    store.close().await;
}

pub(super) async fn one_stale_write_takes_the_others_with_it(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let one = stored(&store, charge("1"), Vec::new()).await;
    let other = stored(&store, charge("2"), Vec::new()).await;
    changed(&store, &other, &[]).await;
    let mut commit = empty(&tenant());
    add(&mut commit, operation_id(), None, &[created(charge("3"))]);
    add(&mut commit, one.operation.id, Some(&one), &[]);
    add(&mut commit, other.operation.id, Some(&other), &[]);
    writes_nothing(&store, &raw, commit).await;
    assert_eq!(load(&store, &one).await, one);
    store.close().await;
}

pub(super) async fn one_payment_of_a_generation(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    stored(&store, charge("1"), declined()).await;
    let mut authorize = charge("1");
    authorize.kind = Kind::Authorize;
    authorize.provider_key = charge("other-key").provider_key;
    writes_nothing(&store, &raw, insert(authorize, Vec::new()).0).await;
    store.close().await;
}

fn second_generation(of: &Record) -> Intent {
    let mut intent = charge(of.operation.intent.order_id.as_str());
    (intent.generation, intent.supersedes) = (2, Some(of.operation.id));
    rekey(&mut intent);
    intent
}

pub(super) async fn one_generation_that_is_not_over(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let first = stored(&store, charge("1"), Vec::new()).await;
    let next = || insert(second_generation(&first), Vec::new()).0;
    writes_nothing(&store, &raw, next()).await;
    let first = changed(&store, &first, &sent_and_unknown()).await;
    writes_nothing(&store, &raw, next()).await;
    changed(&store, &first, &declined()).await;
    apply(&store, next()).await;
    store.close().await;
}

fn deposit() -> Intent {
    let mut intent = charge("1");
    intent.purpose = purpose("deposit");
    rekey(&mut intent);
    intent
}

pub(super) async fn one_unresolved_payment_of_an_order(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let first = stored(&store, charge("1"), sent_and_unknown()).await;
    let (handed_over, _) = insert(deposit(), sent_and_unknown());
    writes_nothing(&store, &raw, handed_over).await;
    let second = stored(&store, deposit(), Vec::new()).await;
    let (submit, _) = change(&second, &[Fact::Submitted]);
    writes_nothing(&store, &raw, submit.clone()).await;
    changed(&store, &first, &paid(first.operation.id, "pay_1")).await;
    apply(&store, submit).await;
    store.close().await;
}

pub(super) async fn independent_purposes_do_not_wait_for_each_other(bed: Bed) {
    let store = bed.store().await;
    stored(&store, charge("1"), sent_and_unknown()).await;
    let mut tip = deposit();
    tip.exclusive = false;
    stored(&store, tip, sent_and_unknown()).await;
    store.close().await;
}

pub(super) async fn evidence_is_not_refused_beside_an_unresolved_payment(bed: Bed) {
    let store = bed.store().await;
    stored(&store, charge("1"), sent_and_unknown()).await;
    let restored = stored(&store, deposit(), Vec::new()).await;
    let seen = [
        moved(State::Pending),
        Fact::CheckScheduled { at: Some(at(60)) },
    ];
    let pending = changed(&store, &restored, &seen).await;
    changed(&store, &pending, &paid(pending.operation.id, "pay_2")).await;
    store.close().await;
}

pub(super) async fn one_compensation_of_a_label(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let parent = stored_and_paid(&store, charge("1")).await;
    let refund = compensation(&parent, Kind::Refund, "one");
    let first = stored(&store, refund.clone(), sent_and_unknown()).await;
    changed(&store, &first, &declined()).await;
    let (again, _) = insert(refund, sent_and_unknown());
    writes_nothing(&store, &raw, again).await;
    let void = compensation(&parent, Kind::Void, "one");
    writes_nothing(&store, &raw, insert(void, sent_and_unknown()).0).await;
    store.close().await;
}

pub(super) async fn one_unresolved_compensation(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let parent = stored_and_paid(&store, charge("1")).await;
    let refund = |name| compensation(&parent, Kind::Refund, name);
    let first = stored(&store, refund("one"), sent_and_unknown()).await;
    let (second, _) = insert(refund("two"), sent_and_unknown());
    writes_nothing(&store, &raw, second.clone()).await;
    changed(&store, &first, &declined()).await;
    apply(&store, second).await;
    store.close().await;
}

pub(super) async fn one_thing_at_a_time_is_done_to_a_hold(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let mut authorize = charge("1");
    authorize.kind = Kind::Authorize;
    let hold = stored(&store, authorize, sent_and_unknown()).await;
    let hold = changed(&store, &hold, &[moved(State::Authorized)]).await;
    let mut capture = Intent {
        kind: Kind::Capture,
        parent: Some(hold.operation.id),
        ..hold.operation.intent.clone()
    };
    rekey(&mut capture);
    let first = stored(&store, capture.clone(), sent_and_unknown()).await;
    let mut twin = capture.clone();
    twin.provider_key = charge("other-key").provider_key;
    writes_nothing(&store, &raw, insert(twin, Vec::new()).0).await;
    let void = compensation(&hold, Kind::Void, "let-it-go");
    writes_nothing(&store, &raw, insert(void, sent_and_unknown()).0).await;
    changed(&store, &first, &[moved(State::Succeeded)]).await;
    let void = compensation(&hold, Kind::Void, "let-go");
    stored(&store, void, sent_and_unknown()).await;
    store.close().await;
}

pub(super) async fn one_successor(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let first = stored(&store, charge("1"), declined()).await;
    stored(&store, second_generation(&first), declined()).await;
    let mut third = second_generation(&first);
    third.generation = 3;
    rekey(&mut third);
    writes_nothing(&store, &raw, insert(third, Vec::new()).0).await;
    store.close().await;
}

pub(super) async fn one_operation_of_a_provider_key(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let first = stored(&store, charge("1"), Vec::new()).await;
    let mut thief = charge("2");
    thief.provider_key = first.operation.intent.provider_key;
    writes_nothing(&store, &raw, insert(thief, Vec::new()).0).await;
    store.close().await;
}

pub(super) async fn a_malformed_commit_is_refused(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let before = rows(&raw).await;
    let (commit, _) = insert(charge("1"), Vec::new());
    let spoiled = |spoil: &dyn Fn(&mut Commit)| {
        let mut commit = commit.clone();
        spoil(&mut commit);
        commit
    };
    let malformed = [
        spoiled(&|commit| commit.writes.clear()),
        spoiled(&|commit| commit.writes[0].expected = Some(1)),
        spoiled(&|commit| commit.writes[0].ledger.version = 2),
        spoiled(&|commit| commit.writes[0].ledger.hash = [1; 32]),
        spoiled(&|commit| commit.writes[0].ledger.commit_id.0 = operation_id().0),
        spoiled(&|commit| commit.tenant = crate::domain::reference::TenantId::parse("b").unwrap()),
    ];
    for commit in malformed {
        let refused = store.commit(commit).await;
        assert!(
            matches!(refused, Err(StoreError::Invariant(_))),
            "{refused:?}"
        );
    }
    assert_eq!(rows(&raw).await, before);
    store.close().await;
}
