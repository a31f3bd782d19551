//! What is written comes back, to the bit.

use uuid::Uuid;

use super::bed::Bed;
use super::sample::*;
use crate::domain::attempt::AttemptResult;
use crate::domain::digest::Fingerprint;
use crate::domain::effect::Role;
use crate::domain::evidence::{CustomerAction, CustomerActionKind, Decline, DeclineCategory};
use crate::domain::ids::AttemptId;
use crate::domain::kind::Kind;
use crate::domain::ledger::replay;
use crate::domain::operation::{
    Instruction, Intent, Lease, OpenAttempt, Progress, Record, Review, ReviewReason,
};
use crate::domain::reference::{AgentRef, CustomerRef, Payee};
use crate::domain::request::CompensationReason;
use crate::domain::state::State;
use crate::domain::time::Instant;
use crate::store::{AttemptWrite, CaseWrite, LeaseWrite, Store};

fn full_intent(order_name: &str) -> Intent {
    Intent {
        payee: Payee::parse("shop-1").ok(),
        customer_ref: CustomerRef::parse("cust~7").ok(),
        agent: AgentRef::parse("agent@x").ok(),
        description: Some("two \"books\", größer\n".to_owned()),
        labels: [("k".to_owned(), "v'; --".to_owned())].into(),
        fingerprint: Fingerprint {
            version: 3,
            canonical: "{\"é\":\"😀\"}".to_owned(),
        },
        ..charge(order_name)
    }
}

fn full_progress() -> Progress {
    Progress {
        attempts: 3,
        resends: 2,
        left: 2,
        open: Some(OpenAttempt {
            id: AttemptId(Uuid::now_v7()),
            opened_at: at(3),
            not_after: at(4),
        }),
        first_sent_at: Some(at(1)),
        last_not_after: Some(at(2)),
        sign_seen: true,
        resends_ended: true,
        retry_not_before: Some(at(5)),
        look_ups: 7,
        absences: 2,
        last_absence_at: Some(at(6)),
        last_not_found_at: Some(at(7)),
        recovery_epoch: 2,
    }
}

fn review(reason: ReviewReason) -> Option<Review> {
    Some(Review {
        case_id: case_id(),
        reason,
        opened_at: at(8),
    })
}

/// Waits for the payer, with everything that such an operation can have.
fn waiting(mut record: Record) -> Record {
    let id = record.operation.id;
    let operation = &mut record.operation;
    operation.state = State::RequiresAction;
    operation.progress = full_progress();
    operation.provider_payment_id = Some(payment_id("pay_1"));
    operation.customer_action = Some(CustomerAction {
        kind: CustomerActionKind::Redirect,
        url: Some("https://pay.example/3ds?a=1&b=2".to_owned()),
        expires_at: Some(at(99)),
    });
    operation.review = review(ReviewReason::CustomerActionExpired);
    operation.instruction = Some(Instruction {
        label: label("cancel"),
        reason: CompensationReason::OrderCanceled,
        amount: Some(usd(100)),
        fingerprint: Fingerprint {
            version: 1,
            canonical: "{}".to_owned(),
        },
        accepted_at: at(9),
    });
    operation.fulfilment_forbidden = true;
    operation.next_check_at = Some(at(10));
    operation.submitted_at = Some(at(11));
    operation.unresolved_since = Some(at(12));
    operation.as_of = Instant(i64::MAX - 1);
    for (payment, role) in [("pay_2", Role::Duplicate), ("pay_1", Role::Primary)] {
        let mut effect = effect(id, payment, role);
        effect.authorized = 1;
        effect.captured = i64::MAX;
        effect.refunded = 2;
        effect.refund_pending = 3;
        effect.charged_back = i64::MAX - 4;
        effect.returned = 5;
        record.effects.push(effect);
    }
    record
}

async fn stored_as_is(store: &Store, before: Option<&Record>, record: Record) -> Record {
    let mut commit = empty(&record.operation.intent.tenant);
    let record = add_as_is(&mut commit, before, record, &[]);
    apply(store, commit).await;
    record
}

pub(super) async fn every_field_comes_back(bed: Bed) {
    let store = bed.store().await;
    let (_, fresh) = insert(full_intent("1"), Vec::new());
    let waits = stored_as_is(&store, None, waiting(fresh)).await;
    assert_eq!(load(&store, &waits).await, waits);

    let mut declined = waits.clone();
    declined.operation.version = 2;
    declined.operation.state = State::Declined;
    declined.operation.customer_action = None;
    declined.operation.unresolved_since = None;
    declined.operation.settled_at = Some(at(20));
    declined.operation.decline = Some(Decline {
        category: DeclineCategory::InsufficientFunds,
        provider_code: Some("card_declined".to_owned()),
    });
    declined.effects[0].returned = 6;
    let declined = stored_as_is(&store, Some(&waits), declined).await;
    assert_eq!(load(&store, &declined).await, declined);

    let refund = compensation(&declined, Kind::Refund, "one");
    let (_, mut refund) = insert(refund, Vec::new());
    refund.operation.state = State::Succeeded;
    refund.operation.settled_at = Some(at(21));
    refund.operation.reversed_at = Some(at(22));
    refund.operation.review = review(ReviewReason::RefundReversed);
    let refund = stored_as_is(&store, None, refund).await;
    assert_eq!(load(&store, &refund).await, refund);

    let mut second = full_intent("1");
    (second.generation, second.supersedes) = (2, Some(declined.operation.id));
    rekey(&mut second);
    let second = stored(&store, second, Vec::new()).await;
    assert_eq!(load(&store, &second).await, second);
    let by = second.operation.id;
    let superseded = crate::domain::fact::Fact::SupersededBy { by };
    let superseded = changed(&store, &declined, &[superseded]).await;
    assert_eq!(load(&store, &superseded).await, superseded);
    store.close().await;
}

pub(super) async fn the_ledger_replays_to_the_row(bed: Bed) {
    let store = bed.store().await;
    let record = stored_and_paid(&store, full_intent("1")).await;
    let history = store.history(&tenant(), record.operation.id).await;
    let replayed = replay(&history.expect("a ledger")).expect("it holds together");
    assert_eq!(replayed.as_ref(), Some(&load(&store, &record).await));
    assert_eq!(replayed, Some(record));
    store.close().await;
}

pub(super) async fn attempts_keep_their_bytes_and_their_first_result(bed: Bed) {
    let store = bed.store().await;
    let record = stored(&store, charge("1"), Vec::new()).await;
    let (mut commit, record) = nudge(&record);
    let first = attempt(&record, 1, 1);
    let close = |result, n| AttemptWrite::Close {
        id: first.id,
        result,
        ended_at: at(n),
    };
    commit.attempts.push(AttemptWrite::Open(first.clone()));
    apply(&store, commit).await;
    let open = store.attempts(&tenant(), record.operation.id).await;
    let open = open.expect("read").remove(0);
    assert_eq!(
        (&open.attempt, open.result, open.ended_at),
        (&first, None, None)
    );

    let (mut commit, record) = nudge(&record);
    let second = attempt(&record, 2, 1);
    commit.attempts.push(close(AttemptResult::Lost, 5));
    commit.attempts.push(AttemptWrite::Open(second.clone()));
    apply(&store, commit).await;
    let (mut commit, record) = nudge(&record);
    commit.attempts.push(close(AttemptResult::NotSent, 6));
    apply(&store, commit).await;

    let stored = store.attempts(&tenant(), record.operation.id).await;
    let stored = stored.expect("read");
    assert_eq!(stored.len(), 2);
    assert_eq!(stored[0].result, Some(AttemptResult::Lost));
    assert_eq!(stored[0].ended_at, Some(at(5)));
    assert_eq!((&stored[1].attempt, stored[1].result), (&second, None));
    store.close().await;
}

pub(super) async fn cases_open_and_close_with_their_operation(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let record = stored(&store, charge("1"), Vec::new()).await;
    let (waiting, disputed) = (case_id(), case_id());
    let open = |case_id, reason| CaseWrite::Open {
        case_id,
        reason,
        opened_at: at(1),
    };
    let close = |case_id, n| CaseWrite::Close {
        case_id,
        closed_at: at(n),
    };
    let (mut commit, record) = nudge(&record);
    commit.writes[0].cases = vec![
        open(waiting, ReviewReason::ObservationWindowOver),
        close(waiting, 2),
        open(disputed, ReviewReason::Contradiction),
    ];
    apply(&store, commit).await;
    let (mut commit, record) = nudge(&record);
    commit.writes[0].cases = vec![close(waiting, 3)];
    apply(&store, commit).await;
    let opened = "SELECT COUNT(*) FROM cases WHERE closed_at IS NULL";
    assert_eq!(raw.number(opened).await, 1);
    let closed = "SELECT MAX(closed_at) FROM cases";
    assert_eq!(raw.number(closed).await, at(2).0, "the first time stays");

    let (mut again, _) = nudge(&record);
    again.writes[0].cases = vec![open(case_id(), ReviewReason::Contradiction)];
    stale(&store, again).await;
    store.close().await;
}

pub(super) async fn leases_are_written_as_told(bed: Bed) {
    let store = bed.store().await;
    let lease = |epoch, n| Lease {
        epoch,
        owner: Some(format!("replica-{epoch}")),
        until: Some(at(n)),
    };
    let (mut commit, record) = insert(charge("1"), Vec::new());
    commit.writes[0].lease = LeaseWrite::Take(lease(1, 15));
    apply(&store, commit).await;
    assert_eq!(load(&store, &record).await.operation.lease, lease(1, 15));

    let (mut commit, record) = nudge(&record);
    commit.writes[0].lease = LeaseWrite::Extend { until: at(16) };
    commit.writes[0].fence = Some(1);
    apply(&store, commit).await;
    assert_eq!(load(&store, &record).await.operation.lease, lease(1, 16));

    let (mut leap, _) = nudge(&record);
    leap.writes[0].lease = LeaseWrite::Take(lease(3, 17));
    stale(&store, leap).await;
    let (mut commit, record) = nudge(&record);
    commit.writes[0].lease = LeaseWrite::Take(lease(2, 17));
    apply(&store, commit).await;
    assert_eq!(load(&store, &record).await.operation.lease, lease(2, 17));

    let (mut commit, record) = nudge(&record);
    commit.writes[0].lease = LeaseWrite::Release { epoch: 2 };
    apply(&store, commit).await;
    let free = load(&store, &record).await.operation.lease;
    assert_eq!((free.epoch, free.owner, free.until), (2, None, None));

    let (mut commit, _) = nudge(&record);
    commit.writes[0].lease = LeaseWrite::Extend { until: at(18) };
    stale(&store, commit).await;
    store.close().await;
}

pub(super) async fn messages_leave_with_the_commit(bed: Bed) {
    let (store, raw) = (bed.store().await, bed.raw().await);
    let record = stored(&store, charge("1"), Vec::new()).await;
    assert_eq!(raw.count("outbox").await, 1);
    let (refused, _) = insert(charge("1"), Vec::new());
    stale(&store, refused).await;
    assert_eq!(raw.count("outbox").await, 1, "a stale commit tells nothing");
    let record = changed(&store, &record, &[]).await;
    assert_eq!(raw.count("outbox").await, 2);
    let told = "SELECT MAX(version) FROM outbox WHERE position IS NULL";
    assert_eq!(raw.number(told).await, record.operation.version);
    store.close().await;
}
