//! One order's rows, moved by real decisions.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::*;
use crate::domain::decide::{Context, CreatePlace, Decision, Event, Subject, create, decide};
use crate::domain::evidence::{Shown, Sighting};
use crate::domain::evolve::evolve;
use crate::domain::fact::{Entry, Fact};
use crate::domain::ids::{CaseId, CommitId, OperationId};
use crate::domain::kind::Kind;
use crate::domain::ledger::{self, LedgerRow, Place};
use crate::domain::operation::{Operation, Record, ReviewReason};
use crate::domain::outcome::{self, Answer};
use crate::domain::profile::Policy;
use crate::domain::recovery::Recovery;
use crate::domain::refusal::Refusal;
use crate::domain::request::{CreateRequest, PaymentMethod};
use crate::domain::state::State;

/// A row and its ledger.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) record: Record,
    pub(crate) rows: Vec<LedgerRow>,
}

/// One order's rows.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) policy: Policy,
    pub(crate) now: Instant,
    /// The recovery that stands.
    pub(crate) recovery: Option<Recovery>,
    /// The other payments of the order.
    pub(crate) order: Vec<Record>,
    /// The row that events are handed to.
    pub(crate) focus: OperationId,
    pub(crate) kept: BTreeMap<OperationId, Kept>,
    ids: u128,
}

/// A request for 100.00 USD with strings from outside in every place.
pub(crate) fn request(kind: Kind) -> CreateRequest {
    CreateRequest {
        order_id: order_id(),
        purpose: None,
        kind,
        amount: usd(10_000),
        payment_method: PaymentMethod::parse("pm_\"ok\\"),
        payee: crate::domain::reference::Payee::parse("shop").ok(),
        customer_ref: crate::domain::reference::CustomerRef::parse("anna~1/2").ok(),
        agent: None,
        provider: None,
        parent: None,
        supersedes: None,
        description: Some("Grüße \u{1f600} \"quoted\" \\ /".to_owned()),
        labels: BTreeMap::from([("a~/b".to_owned(), "é".to_owned())]),
    }
}

impl Scene {
    /// A CHARGE of 100.00 USD, recorded.
    pub(crate) fn charge() -> Self {
        Self::payment(Kind::Charge, "purchase", stripe_like())
    }

    pub(crate) fn charge_at(policy: Policy) -> Self {
        Self::payment(Kind::Charge, "purchase", policy)
    }

    pub(crate) fn payment(kind: Kind, named: &str, policy: Policy) -> Self {
        let mut scene = Self {
            policy,
            now: START,
            recovery: None,
            order: Vec::new(),
            focus: OperationId(Uuid::nil()),
            kept: BTreeMap::new(),
            ids: u128::from(named.as_bytes()[0]) << 64,
        };
        let id = OperationId(scene.new_id());
        let place = CreatePlace {
            id,
            tenant: &tenant(),
            purpose: &purpose(named),
            account: &account(),
            generation: 1,
            exclusive: true,
            order: &[],
            submit: None,
        };
        let case_id = CaseId(scene.new_id());
        let facts = create(&request(kind), place, scene.context(case_id, id));
        scene.write(id, "create", &facts.expect("a payment that is offered"));
        scene.focus = id;
        scene
    }

    /// A REFUND of all of a paid CHARGE, QUEUED.
    pub(crate) fn refund() -> Self {
        Self::charge().succeeded().refunding(None)
    }

    /// Gives the focus back and moves the focus to the refund.
    pub(crate) fn refunding(mut self, amount: Option<i64>) -> Self {
        self.focus = self.compensate("refund-1", amount).expect("a refund");
        self
    }

    pub(crate) fn new_id(&mut self) -> Uuid {
        self.ids += 1;
        Uuid::from_u128(self.ids)
    }

    fn context(&self, case_id: CaseId, child: OperationId) -> Context<'_> {
        Context {
            policy: &self.policy,
            deployment: "default",
            now: self.now,
            recovery: self.recovery,
            jitter: 500,
            case_id,
            child,
        }
    }

    pub(crate) fn subject(&self) -> Subject {
        let own = self.record().clone();
        let parent = own.operation.intent.parent;
        let children = self.kept.values().map(|kept| &kept.record.operation);
        Subject {
            parent: parent.map(|id| self.kept[&id].record.clone()),
            order: self.order.clone(),
            compensations: children
                .filter(|child| child.intent.parent == Some(own.operation.id))
                .cloned()
                .collect(),
            own,
        }
    }

    /// Hands an event over and writes what was decided.
    pub(crate) fn hand(&mut self, event: &Event) -> Result<Decision, Refusal> {
        let case_id = CaseId(self.new_id());
        let child = OperationId(self.new_id());
        let subject = self.subject();
        let decision = decide(&subject, event, self.context(case_id, child))?;
        self.write(self.focus, event.name(), &decision.own);
        if let Some(parent) = subject.parent {
            self.write(parent.operation.id, event.name(), &decision.parent);
        }
        if let Some((child, facts)) = &decision.child {
            self.write(*child, event.name(), facts);
        }
        Ok(decision)
    }

    /// As a commit does: one version and one ledger row for one row's facts.
    pub(crate) fn write(&mut self, id: OperationId, event: &'static str, facts: &[Fact]) {
        if facts.is_empty() {
            return;
        }
        let before = self.kept.remove(&id);
        let (record, mut rows) = before.map_or((None, Vec::new()), |k| (Some(k.record), k.rows));
        let (version, previous) = record.as_ref().map_or((1, [0; 32]), |r| {
            (r.operation.version + 1, r.operation.ledger_head)
        });
        let mut record = evolve(id, record, version, self.now, facts)
            .expect("facts made by decide fit the row they were made for");
        let entry = Entry {
            version,
            at: self.now,
            event,
            facts: facts.to_vec(),
        };
        let place = Place {
            tenant: &tenant(),
            operation_id: id,
            commit_id: CommitId(self.new_id()),
            previous,
        };
        rows.push(ledger::seal(
            place,
            &entry,
            version
                .to_be_bytes()
                .repeat(2)
                .try_into()
                .expect("16 bytes"),
        ));
        record.operation.ledger_head = rows.last().expect("just pushed").hash;
        self.kept.insert(id, Kept { record, rows });
    }

    pub(crate) fn record(&self) -> &Record {
        &self.kept[&self.focus].record
    }

    pub(crate) fn operation(&self) -> &Operation {
        &self.record().operation
    }

    pub(crate) fn parent(&self) -> &Record {
        let parent = self.operation().intent.parent.expect("a child");
        &self.kept[&parent].record
    }

    pub(crate) fn state(&self) -> State {
        self.operation().state
    }

    pub(crate) fn case(&self) -> Option<ReviewReason> {
        self.operation().review.as_ref().map(|review| review.reason)
    }

    pub(crate) fn answer(&self) -> Answer {
        outcome::answer(self.record())
    }

    /// Time passes.
    pub(crate) fn after(&mut self, seconds: u64) -> &mut Self {
        self.now = self.now + secs(seconds);
        self
    }

    /// A payment with our key and amount.
    pub(crate) fn ours(&self, id: &str, shown: Shown) -> Sighting {
        let operation = self.operation();
        Sighting {
            amount: Some(operation.intent.amount),
            ..sighting(id, &operation.intent.provider_key, shown)
        }
    }
}
