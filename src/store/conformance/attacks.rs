//! The database itself refuses what `decide` would never do.

use super::bed::{Bed, Raw};
use super::sample::*;
use crate::domain::effect::Role;
use crate::domain::kind::Kind;
use crate::domain::state::State;
use crate::store::trouble::Trouble;
use crate::store::{Store, StoreError};

/// Sets columns of the rows of a table; the constraint of that name refuses.
/// Where several do, the databases differ in which they name.
async fn refused(raw: &Raw, table: &str, set: &str, constraint: &str) {
    let sql = format!("UPDATE {table} SET {set}");
    let error = raw.execute(&sql).await.expect_err(&sql);
    let said = error.to_string();
    assert!(
        matches!(Trouble::of(&error), Trouble::Rule(_)),
        "{sql}: {said}"
    );
    assert!(said.contains(constraint), "{sql}: {said}, not {constraint}");
}

async fn doubled(raw: &Raw, sql: &str) {
    let error = raw.execute(sql).await.expect_err(sql);
    assert_eq!(Trouble::of(&error), Trouble::Unique, "{sql}: {error}");
}

const PAYMENT: [(&str, &str); 41] = [
    ("version = 0", "operations_version"),
    ("kind = 'GIFT'", "operations_"),
    ("state = 'FAILED'", "operations_state"),
    ("generation = 0", "operations_generation"),
    ("generation = 2", "operations_succession"),
    ("amount = 0", "operations_amount"),
    ("amount = -1", "operations_amount"),
    ("amount = 1000000000000000", "operations_amount"),
    ("currency = 'US'", "operations_currency"),
    ("digest_version = 0", "operations_digest"),
    ("provider_key = 'short'", "operations_provider_key"),
    ("provider_payment_id = ''", "operations_provider_payment_id"),
    ("label = 'x'", "operations_family"),
    ("reason = 'OTHER'", "operations_family"),
    ("reason = 'WHIM'", "operations_"),
    ("target = 'pay_1'", "operations_family"),
    ("kind = 'REFUND'", "operations_family"),
    ("kind = 'CAPTURE'", "operations_family"),
    ("superseded_by = id", "operations_"),
    (
        "state = 'QUEUED', next_check_at = 1",
        "operations_submitted_at",
    ),
    (
        "state = 'UNKNOWN', unresolved_since = 1, next_check_at = 1",
        "operations_submitted_at",
    ),
    ("state = 'SUBMITTING', submitted_at = 1", "operations_"),
    ("submitted_at = 1", "operations_submitted_at"),
    ("state = 'SUCCEEDED'", "operations_settled_at"),
    ("state = 'DECLINED'", "operations_settled_at"),
    ("settled_at = 1", "operations_settled_at"),
    (
        "state = 'VOIDED', settled_at = 1",
        "operations_kind_of_state",
    ),
    (
        "state = 'AUTHORIZED', settled_at = 1",
        "operations_kind_of_state",
    ),
    (
        "state = 'PENDING', next_check_at = 1",
        "operations_unresolved_since",
    ),
    ("unresolved_since = 1", "operations_unresolved_since"),
    (
        "state = 'QUEUED', submitted_at = 1",
        "operations_next_check_at",
    ),
    ("attempts = 1", "operations_attempts"),
    ("attempts = -1", "operations_attempts"),
    ("decline_category = 'OTHER'", "operations_decline"),
    ("decline_code = 'x'", "operations_decline"),
    ("customer_action = '{}'", "operations_customer_action"),
    ("review_reason = 'CONTRADICTION'", "operations_review"),
    ("review_opened_at = 1", "operations_review"),
    ("reversed_at = 1", "operations_reversed_at"),
    ("lease_owner = 'x'", "operations_lease"),
    ("lease_owner = 'x', lease_until = 1", "operations_lease"),
];

pub(super) async fn operations_refuse_what_cannot_be(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let record = stored(&store, charge("1"), Vec::new()).await;
    for (set, constraint) in PAYMENT {
        refused(&raw, "operations", set, constraint).await;
    }
    let queued = "state = 'QUEUED', submitted_at = 1, next_check_at = 1";
    let sent = format!("{queued}, attempts = 1, attempts_left = 1");
    refused(&raw, "operations", &sent, "operations_attempts").await;
    refused(&raw, "operations", "exclusive = NULL", "exclusive").await;
    assert_eq!(load(&store, &record).await, record);

    let parent = stored_and_paid(&store, charge("2")).await;
    let refund = compensation(&parent, Kind::Refund, "one");
    stored(&store, refund, sent_and_unknown()).await;
    let of_refund = [
        ("parent = NULL", "operations_family"),
        ("label = NULL", "operations_family"),
        ("reason = NULL", "operations_family"),
        ("parent = id", "operations_others"),
        ("instruction = '{}'", "operations_instruction"),
        ("superseded_by = parent", "operations_superseded_state"),
    ];
    for (set, constraint) in of_refund {
        let only = format!("{set} WHERE kind = 'REFUND'");
        refused(&raw, "operations", &only, constraint).await;
    }
    store.close().await;
}

async fn two_effects(store: &Store) {
    let record = stored(store, charge("1"), sent_and_unknown()).await;
    let id = record.operation.id;
    let mut facts = paid(id, "pay_1");
    facts.push(crate::domain::fact::Fact::EffectRecorded {
        effect: Box::new(effect(id, "pay_2", Role::Duplicate)),
    });
    changed(store, &record, &facts).await;
}

pub(super) async fn effects_refuse_what_cannot_be(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    two_effects(&store).await;
    for (set, constraint) in [
        ("refunded = 4901", "effects_given_back"),
        ("refund_pending = 4901", "effects_given_back"),
        (
            "refunded = 2450, refund_pending = 2451",
            "effects_given_back",
        ),
        (
            "refunded = 9223372036854775807, refund_pending = 1",
            "effects_given_back",
        ),
        ("refunded = -1", "effects_sums"),
        ("refund_pending = -1", "effects_sums"),
        ("captured = -1", "effects_"),
        ("authorized = -1", "effects_sums"),
        ("charged_back = -1", "effects_sums"),
        ("returned = -1", "effects_sums"),
        ("role = 'MAIN'", "effects_role"),
        ("number = 0", "effects_number"),
        ("currency = ''", "effects_currency"),
    ] {
        refused(&raw, "effects", set, constraint).await;
    }
    doubled(&raw, "UPDATE effects SET role = 'PRIMARY'").await;
    doubled(&raw, "UPDATE effects SET provider_payment_id = 'pay_1'").await;
    // A payer's bank does not ask whether we gave it back already.
    let facts = "UPDATE effects SET refunded = 4900, charged_back = 4900, returned = 4900";
    assert_eq!(raw.execute(facts).await.expect("facts are taken"), 2);
    store.close().await;
}

pub(super) async fn other_tables_refuse_what_cannot_be(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let record = stored(&store, charge("1"), Vec::new()).await;
    let (mut commit, record) = nudge(&record);
    let opened = attempt(&record, 1, 1);
    commit
        .attempts
        .push(crate::store::AttemptWrite::Open(opened.clone()));
    commit.writes[0].cases.push(crate::store::CaseWrite::Open {
        case_id: case_id(),
        reason: crate::domain::operation::ReviewReason::Contradiction,
        opened_at: at(1),
    });
    apply(&store, commit).await;
    for (table, set, constraint) in [
        ("attempts", "step = 'GUESS'", "attempts_step"),
        (
            "attempts",
            "result = 'FINE', ended_at = 1",
            "attempts_result",
        ),
        ("attempts", "result = 'LOST'", "attempts_end"),
        ("attempts", "ended_at = 1", "attempts_end"),
        ("attempts", "number = 0", "attempts_number"),
        ("ledger", "version = 0", "ledger_version"),
        ("outbox", "position = 0", "outbox_position"),
        ("cases", "reason = 'MOOD'", "cases_reason"),
        ("cases", "decision = 'PAID'", "cases_decision"),
        (
            "cases",
            "decided_by = 'a', seconded_by = 'a'",
            "cases_decision",
        ),
        ("deployment", "id = 2", "deployment_single"),
    ] {
        refused(&raw, table, set, constraint).await;
    }
    // A second open attempt of an operation is a mistake in the code, not a
    // race that was lost: nobody else can write beside the row's version.
    let (mut commit, _) = nudge(&record);
    let second = attempt(&record, 2, 1);
    commit
        .attempts
        .push(crate::store::AttemptWrite::Open(second));
    let answer = store.commit(commit).await;
    assert!(
        matches!(answer, Err(StoreError::Invariant(_))),
        "{answer:?}"
    );
    assert_eq!(load(&store, &record).await, record);
    store.close().await;
}

pub(super) async fn rows_stay_with_their_tenant(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    two_effects(&store).await;
    for table in ["effects", "ledger", "outbox"] {
        let sql = format!("UPDATE {table} SET tenant = 'stranger'");
        let error = raw.execute(&sql).await.expect_err(&sql);
        let said = error.to_string().to_lowercase();
        assert!(said.contains("foreign key"), "{sql}: {said}");
    }
    let orphan = raw.execute("DELETE FROM operations").await;
    orphan.expect_err("what has a ledger is not deleted");
    store.close().await;
}

pub(super) async fn a_rule_that_breaks_is_an_invariant(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let mut intent = charge("1");
    intent.amount = usd(0);
    let (commit, _) = insert(intent, Vec::new());
    let answer = store.commit(commit).await;
    assert!(
        matches!(answer, Err(StoreError::Invariant(_))),
        "{answer:?}"
    );

    let (_, mut record) = insert(charge("1"), Vec::new());
    record.operation.state = State::Succeeded;
    let mut commit = empty(&tenant());
    add_as_is(&mut commit, None, record, &[]);
    let answer = store.commit(commit).await;
    assert!(
        matches!(answer, Err(StoreError::Invariant(_))),
        "{answer:?}"
    );
    assert_eq!(raw.count("operations").await, 0);
    store.close().await;
}
