//! Callers: what they ask for, and how the engine answers them.

use std::collections::BTreeMap;

use payonce::domain::decide::{Compensation, CreatePlace, Event, Subject, create, decide};
use payonce::domain::evidence::Source;
use payonce::domain::kind::Kind;
use payonce::domain::money::{Currency, Money};
use payonce::domain::operation::Record;
use payonce::domain::reference::{Label, OrderId, ProviderAccount, Purpose, TenantId};
use payonce::domain::request::{
    CompensateRequest, CompensationReason, CreateRequest, PaymentMethod,
};

use super::provider::{LedgerEntry, Provider};
use super::setting::{Setting, Story, operation_id};
use super::store::{Commit, Write};
use super::worker::Worker;
use super::world::{Spent, World};

/// How much the charge of a story takes.
pub(crate) const WHOLE: i64 = 100;

/// What callers ask for, each once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    /// Hands the charge over; with `send`, its first attempt is opened in
    /// the same commit.
    Submit { send: bool },
    /// Gives back so much, or all; at once, or when the outcome is known.
    Compensate {
        label: u8,
        amount: Option<i64>,
        when_resolved: bool,
        send: bool,
    },
    /// Records and hands over a corrected charge in place of the first one.
    Supersede,
}

impl Story {
    pub(crate) fn commands(self) -> &'static [Command] {
        const SUBMIT: [Command; 2] = [
            Command::Submit { send: true },
            Command::Submit { send: false },
        ];
        const fn refund(label: u8, send: bool) -> Command {
            Command::Compensate {
                label,
                amount: Some(60),
                when_resolved: false,
                send,
            }
        }
        const ALL_BACK: Command = Command::Compensate {
            label: 0,
            amount: None,
            when_resolved: true,
            send: false,
        };
        const TWO_REFUNDS: [Command; 2] = [refund(0, true), refund(1, false)];
        match self {
            Story::Charge => &SUBMIT,
            Story::CancelOrGiveBack => &[Command::Submit { send: true }, ALL_BACK],
            Story::Refunds => &TWO_REFUNDS,
            Story::Supersede => &[Command::Submit { send: true }, Command::Supersede],
        }
    }
}

/// A caller who has read and decided, and not yet written.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Call {
    pub(crate) commit: Commit,
    /// The command's place, to give it again when the commit is stale.
    pub(crate) place: usize,
}

impl World {
    /// The charge is recorded; in the story of refunds it has succeeded.
    pub(crate) fn begin(setting: &Setting) -> Self {
        let mut world = Self {
            now: 0,
            rows: Vec::new(),
            attempts: Vec::new(),
            workers: vec![Worker::Idle; setting.bounds.workers],
            calls: Vec::new(),
            provider: Provider::default(),
            spent: Spent::default(),
            fence_broken: false,
        };
        let created = world.created(setting, None);
        world.commit(setting, &created).expect("the first row");
        if setting.story == Story::Refunds {
            world.succeed_at_once(setting);
        }
        world.levelled(&setting.truth)
    }

    fn succeed_at_once(&mut self, setting: &Setting) {
        let commit = self.decided(setting, Command::Submit { send: true });
        let opened = self.commit(setting, &commit.expect("nothing in the way"));
        self.hand_out(0, &opened.expect("nobody else"));
        self.write_request(0);
        self.provider.copies.clear();
        self.provider.entries.push(LedgerEntry {
            row: 0,
            key: 0,
            at: 0,
            done: true,
            amount: WHOLE,
            gives_back: None,
        });
        let glimpse = self.provider.glimpse(0);
        let noticed = Event::Noticed(self.evidence(Source::Webhook, &[glimpse]));
        self.weigh(setting, 0, None, &noticed, false);
        self.brings(0, super::worker::Finding::NoAnswer);
        self.bring_home(setting, 0);
    }

    /// What the engine would commit for a command now; `None` where it would
    /// refuse, or find nothing to do.
    pub(crate) fn decided(&self, setting: &Setting, command: Command) -> Option<Commit> {
        match command {
            Command::Submit { send } => {
                let (subject, guards) = self.subject_beside_order(0);
                let opening = send.then(|| setting.opening(0, &subject.own, self.now));
                self.judged(setting, &subject, &Event::Submit(opening), guards)
            }
            Command::Compensate { .. } => self.compensated(setting, command),
            Command::Supersede => {
                let fresh = self.rows.len() == 1;
                fresh.then(|| self.superseded(setting)).flatten()
            }
        }
    }

    fn judged(
        &self,
        setting: &Setting,
        subject: &Subject,
        event: &Event,
        guards: Vec<(usize, u32)>,
    ) -> Option<Commit> {
        let context = setting.context(self.now, self.rows.len());
        let decision = decide(subject, event, context).ok()?;
        if decision.is_nothing() {
            return None;
        }
        let version = self.rows[0].version;
        let mut commit = Commit::decided(self, 0, version, decision, None, false);
        commit.guards = guards;
        Some(commit)
    }

    fn compensated(&self, setting: &Setting, command: Command) -> Option<Commit> {
        let Command::Compensate {
            label,
            amount,
            when_resolved,
            send,
        } = command
        else {
            return None;
        };
        let label = Label::parse(&format!("label-{label}")).expect("a label");
        let own = Record::clone(&self.rows[0].record);
        let parent = Some(own.operation.id);
        let children: Vec<usize> = (1..self.rows.len())
            .filter(|it| self.rows[*it].record.operation.intent.parent == parent)
            .collect();
        let compensations: Vec<_> = children
            .iter()
            .map(|it| self.rows[*it].record.operation.clone())
            .collect();
        let mut labels = compensations.iter().map(|it| &it.intent.label);
        if labels.any(|it| it.as_ref() == Some(&label)) {
            return None;
        }
        let child = self.rows.len();
        let mut opening = setting.opening(child, &own, self.now);
        opening.attempt = super::worker::attempt_id(child, 1);
        let currency = own.operation.intent.amount.currency;
        let event = Event::Compensate(Compensation {
            request: CompensateRequest {
                operation_id: own.operation.id,
                label,
                reason: CompensationReason::OrderCanceled,
                amount: amount.map(|units| Money::new(currency, units)),
                provider_payment_id: None,
                when_resolved,
            },
            child: operation_id(child),
            opening: send.then_some(opening),
        });
        let subject = Subject {
            compensations,
            ..Subject::alone(own)
        };
        let guards = children.iter().map(|it| (*it, self.rows[*it].version));
        self.judged(setting, &subject, &event, guards.collect())
    }

    fn superseded(&self, setting: &Setting) -> Option<Commit> {
        let subject = self.subject(0);
        let by = operation_id(self.rows.len());
        let context = setting.context(self.now, self.rows.len());
        let old = decide(&subject, &Event::Supersede { by }, context).ok()?;
        let mut commit = self.created(setting, Some(&subject.own));
        if commit.writes.is_empty() {
            return None;
        }
        let version = self.rows[0].version;
        let marked = Commit::decided(self, 0, version, old, None, false);
        commit.writes.splice(0..0, marked.writes);
        Some(commit)
    }

    /// A charge is recorded; the corrected one is handed over at once. Writes
    /// nothing where that is refused.
    fn created(&self, setting: &Setting, superseded: Option<&Record>) -> Commit {
        let order: Vec<Record> = superseded.cloned().into_iter().collect();
        let row = self.rows.len();
        let request = request(superseded);
        let opening = superseded.map(|old| {
            let mut opening = setting.opening(row, old, self.now);
            opening.attempt = super::worker::attempt_id(row, 1);
            opening
        });
        let place = CreatePlace {
            id: operation_id(row),
            tenant: &TenantId::parse("default").expect("a tenant"),
            purpose: &Purpose::parse("purchase").expect("a purpose"),
            account: &ProviderAccount::parse("acme").expect("an account"),
            generation: superseded.map_or(1, |old| old.operation.intent.generation + 1),
            exclusive: true,
            order: &order,
            submit: opening.map(Some),
        };
        let facts = create(&request, place, setting.context(self.now, row));
        let own = facts.unwrap_or_default();
        let writes = Some(Write {
            row,
            expected: None,
            facts: own,
            fence: None,
            held: None,
        });
        Commit {
            decided_at: self.now,
            writes: writes
                .into_iter()
                .filter(|it| !it.facts.is_empty())
                .collect(),
            guards: Vec::new(),
        }
    }
}

fn request(superseded: Option<&Record>) -> CreateRequest {
    let currency = Currency::parse("USD").expect("a currency");
    CreateRequest {
        order_id: OrderId::parse("8472").expect("an order"),
        purpose: None,
        kind: Kind::Charge,
        amount: Money::new(currency, WHOLE),
        payment_method: PaymentMethod::parse("pm_ok"),
        payee: None,
        customer_ref: None,
        agent: None,
        provider: None,
        parent: None,
        supersedes: superseded.map(|old| old.operation.id),
        description: None,
        labels: BTreeMap::new(),
    }
}
