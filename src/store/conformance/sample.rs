//! Operations to store, made by the domain's own functions.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::domain::attempt::{Attempt, PreparedRequest, Step};
use crate::domain::digest::Fingerprint;
use crate::domain::effect::{Effect, Role};
use crate::domain::evolve::evolve;
use crate::domain::fact::{Entry, Fact};
use crate::domain::ids::{AttemptId, CaseId, CommitId, EffectId, OperationId, ProviderPaymentId};
use crate::domain::kind::Kind;
use crate::domain::ledger::{Place, seal};
use crate::domain::money::{Currency, Money};
use crate::domain::operation::{Intent, Record};
use crate::domain::provider_key::{PaymentIdentity, ProviderKey};
use crate::domain::reference::{Label, OrderId, ProviderAccount, Purpose, TenantId};
use crate::domain::request::{CompensationReason, PaymentMethod};
use crate::domain::state::State;
use crate::domain::time::Instant;
use crate::store::{Commit, LeaseWrite, OutboxMessage, Store, Verdict, Write};

/// An instant with all its microseconds, `n` seconds after another.
pub(super) fn at(n: i64) -> Instant {
    Instant(1_700_000_000_123_457 + n * 1_000_000)
}

pub(super) fn tenant() -> TenantId {
    TenantId::parse("acme").expect("a tenant")
}

pub(super) fn operation_id() -> OperationId {
    OperationId(Uuid::now_v7())
}

pub(super) fn case_id() -> CaseId {
    CaseId(Uuid::now_v7())
}

pub(super) fn order(name: &str) -> OrderId {
    OrderId::parse(name).expect("an order")
}

pub(super) fn purpose(name: &str) -> Purpose {
    Purpose::parse(name).expect("a purpose")
}

pub(super) fn label(name: &str) -> Label {
    Label::parse(name).expect("a label")
}

pub(super) fn payment_id(name: &str) -> ProviderPaymentId {
    ProviderPaymentId::parse(name).expect("a payment id")
}

pub(super) fn usd(minor_units: i64) -> Money {
    Money::new(Currency::parse("USD").expect("a currency"), minor_units)
}

fn account() -> ProviderAccount {
    ProviderAccount::parse("simulator").expect("an account")
}

/// A CHARGE of 49.00 USD, first generation, for `purchase`.
pub(super) fn charge(order_name: &str) -> Intent {
    let (tenant, order_id, purpose) = (tenant(), order(order_name), purpose("purchase"));
    let mut intent = Intent {
        provider_key: ProviderKey::stored(String::new()),
        tenant,
        kind: Kind::Charge,
        order_id,
        purpose,
        generation: 1,
        parent: None,
        label: None,
        reason: None,
        target: None,
        supersedes: None,
        amount: usd(4900),
        payment_method: PaymentMethod::parse("tok_visa"),
        payee: None,
        customer_ref: None,
        agent: None,
        description: None,
        labels: BTreeMap::new(),
        fingerprint: Fingerprint {
            version: 1,
            canonical: format!("{{\"order_id\":\"{order_name}\"}}"),
        },
        provider: account(),
        exclusive: true,
    };
    rekey(&mut intent);
    intent
}

/// Makes the key anew after the identity was changed.
pub(super) fn rekey(intent: &mut Intent) {
    let identity = PaymentIdentity {
        deployment: "default",
        account: &intent.provider,
        tenant: &intent.tenant,
        order_id: &intent.order_id,
        purpose: &intent.purpose,
        generation: intent.generation,
    };
    intent.provider_key = match (&intent.label, intent.parent) {
        (Some(label), _) => ProviderKey::for_compensation(identity, intent.kind, label),
        // A capture has a key of its own; any other text will do here.
        (None, Some(parent)) => {
            let name = format!("capture-{parent}");
            ProviderKey::for_compensation(identity, Kind::Capture, &label(&name))
        }
        (None, None) => ProviderKey::for_payment(identity),
    };
}

/// A refund or void of `parent`.
pub(super) fn compensation(parent: &Record, kind: Kind, name: &str) -> Intent {
    let mut intent = Intent {
        kind,
        parent: Some(parent.operation.id),
        label: Some(label(name)),
        reason: Some(CompensationReason::RequestedByCustomer),
        target: Some(payment_id("pay_1")),
        supersedes: None,
        payment_method: None,
        exclusive: false,
        ..parent.operation.intent.clone()
    };
    rekey(&mut intent);
    intent
}

pub(super) fn created(intent: Intent) -> Fact {
    Fact::Created {
        intent: Box::new(intent),
    }
}

pub(super) fn moved(to: State) -> Fact {
    Fact::Moved { to }
}

/// What takes a recorded operation to UNKNOWN.
pub(super) fn sent_and_unknown() -> Vec<Fact> {
    vec![
        Fact::Submitted,
        moved(State::Unknown),
        Fact::CheckScheduled { at: Some(at(60)) },
    ]
}

pub(super) fn effect(operation: OperationId, payment: &str, role: Role) -> Effect {
    let payment = payment_id(payment);
    Effect {
        id: EffectId::of(operation, &account(), &payment),
        account: account(),
        provider_payment_id: payment,
        role,
        currency: usd(1).currency,
        authorized: 0,
        captured: 4900,
        refunded: 0,
        refund_pending: 0,
        charged_back: 0,
        returned: 0,
        confirmed_at: at(9),
    }
}

/// What takes an operation to SUCCEEDED with a primary effect.
pub(super) fn paid(operation: OperationId, payment: &str) -> Vec<Fact> {
    vec![
        Fact::EffectRecorded {
            effect: Box::new(effect(operation, payment, Role::Primary)),
        },
        moved(State::Succeeded),
    ]
}

pub(super) fn attempt(record: &Record, number: i32, epoch: i64) -> Attempt {
    let intent = &record.operation.intent;
    Attempt {
        id: AttemptId(Uuid::now_v7()),
        tenant: intent.tenant.clone(),
        operation_id: record.operation.id,
        number,
        step: Step::Create,
        account: intent.provider.clone(),
        key: intent.provider_key.clone(),
        request: PreparedRequest {
            endpoint: "http://127.0.0.1:8090".to_owned(),
            method: "POST".to_owned(),
            path: "/payments".to_owned(),
            body: vec![0, 255, b'{', 0, b'}'],
        },
        epoch,
        opened_at: at(1),
        not_after: at(11),
    }
}

/// A commit without writes.
pub(super) fn empty(tenant: &TenantId) -> Commit {
    Commit {
        id: CommitId(Uuid::now_v7()),
        tenant: tenant.clone(),
        writes: Vec::new(),
        guards: Vec::new(),
        attempts: Vec::new(),
        outbox: Vec::new(),
        footing: None,
    }
}

/// Adds one operation to a commit, and returns it as it will be.
pub(super) fn add(
    commit: &mut Commit,
    id: OperationId,
    before: Option<&Record>,
    facts: &[Fact],
) -> Record {
    let version = before.map_or(0, |before| before.operation.version) + 1;
    let record = evolve(id, before.cloned(), version, at(version), facts);
    let record = record.expect("facts that fit");
    add_as_is(commit, before, record, facts)
}

/// Adds one operation that may be any, and returns it with its ledger head.
pub(super) fn add_as_is(
    commit: &mut Commit,
    before: Option<&Record>,
    mut record: Record,
    facts: &[Fact],
) -> Record {
    let operation = &mut record.operation;
    let place = Place {
        tenant: &commit.tenant,
        operation_id: operation.id,
        commit_id: commit.id,
        previous: before.map_or([0; 32], |before| before.operation.ledger_head),
    };
    let entry = Entry {
        version: operation.version,
        at: at(operation.version),
        event: "test",
        facts: facts.to_vec(),
    };
    let ledger = seal(place, &entry, *Uuid::now_v7().as_bytes());
    operation.ledger_head = ledger.hash;
    commit.outbox.push(OutboxMessage {
        id: Uuid::now_v7(),
        operation_id: operation.id,
        version: operation.version,
        kind: "operation.changed",
        created_at: at(operation.version),
    });
    commit.writes.push(Write {
        expected: before.map(|before| before.operation.version),
        record: record.clone(),
        fence: None,
        lease: LeaseWrite::Keep,
        ledger,
        cases: Vec::new(),
    });
    record
}

/// A commit that records an operation.
pub(super) fn insert(intent: Intent, more: Vec<Fact>) -> (Commit, Record) {
    let mut commit = empty(&intent.tenant);
    let facts: Vec<Fact> = std::iter::once(created(intent)).chain(more).collect();
    let record = add(&mut commit, operation_id(), None, &facts);
    (commit, record)
}

/// A commit that changes an operation.
pub(super) fn change(before: &Record, facts: &[Fact]) -> (Commit, Record) {
    let mut commit = empty(&before.operation.intent.tenant);
    let record = add(&mut commit, before.operation.id, Some(before), facts);
    (commit, record)
}

/// A change that is always possible.
pub(super) fn nudge(before: &Record) -> (Commit, Record) {
    let due = at(60 + before.operation.version);
    change(before, &[Fact::CheckScheduled { at: Some(due) }])
}

pub(super) async fn apply(store: &Store, commit: Commit) {
    assert_eq!(
        store.commit(commit).await.expect("committed"),
        Verdict::Applied
    );
}

pub(super) async fn stale(store: &Store, commit: Commit) {
    assert_eq!(store.commit(commit).await.expect("judged"), Verdict::Stale);
}

/// Records an operation and returns it.
pub(super) async fn stored(store: &Store, intent: Intent, more: Vec<Fact>) -> Record {
    let (commit, record) = insert(intent, more);
    apply(store, commit).await;
    record
}

/// Records an operation, pays it, and returns it.
pub(super) async fn stored_and_paid(store: &Store, intent: Intent) -> Record {
    let before = stored(store, intent, sent_and_unknown()).await;
    changed(store, &before, &paid(before.operation.id, "pay_1")).await
}

/// Changes an operation and returns it.
pub(super) async fn changed(store: &Store, before: &Record, facts: &[Fact]) -> Record {
    let (commit, record) = change(before, facts);
    apply(store, commit).await;
    record
}

/// The stored record.
pub(super) async fn load(store: &Store, record: &Record) -> Record {
    let operation = &record.operation;
    let found = store.record(&operation.intent.tenant, operation.id).await;
    found.expect("read").expect("there")
}
