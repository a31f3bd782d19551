//! From a decision to a commit: facts become the rows they lead to, each with
//! its ledger row, in one piece of plain data.

use crate::clock::BootTime;
use crate::domain::attempt::Attempt;
use crate::domain::decide::{Decision, Subject};
use crate::domain::evolve::evolve;
use crate::domain::fact::{Entry, Fact};
use crate::domain::ids::OperationId;
use crate::domain::ledger::{self, Place};
use crate::domain::operation::{Lease, Operation, Record};
use crate::domain::recovery::Standing;
use crate::domain::reference::TenantId;
use crate::domain::time::Instant;
use crate::store::{
    AttemptWrite, CaseWrite, Commit, Footing, Guard, LeaseWrite, OutboxMessage, Write,
};

use super::{Engine, EngineError, Held, Moment, fresh, fresh_commit};

/// A commit in the making.
pub(super) struct Change<'a> {
    engine: &'a Engine,
    event: &'static str,
    moment: Moment,
    started: BootTime,
    commit: Commit,
    after: After,
}

/// What the rows look like once the commit was applied.
#[derive(Default)]
pub(super) struct After {
    pub(super) own: Option<Record>,
    pub(super) child: Option<Record>,
    /// Every operation that changes, to wake those who wait for it, and when
    /// a worker should next look at it.
    pub(super) changed: Vec<(OperationId, Option<Instant>)>,
    /// Attempts that it opens.
    pub(super) opened: Vec<(Record, Attempt, Held, BootTime)>,
}

impl<'a> Change<'a> {
    pub(super) fn new(
        engine: &'a Engine,
        tenant: &TenantId,
        event: &'static str,
        moment: Moment,
    ) -> Self {
        Self {
            engine,
            event,
            moment,
            started: BootTime::now(),
            commit: Commit {
                id: fresh_commit(),
                tenant: tenant.clone(),
                writes: Vec::new(),
                guards: Vec::new(),
                attempts: Vec::new(),
                outbox: Vec::new(),
                footing: None,
            },
            after: After::default(),
        }
    }

    /// Rows that must not have changed since they were read.
    pub(super) fn guard<'r>(&mut self, rows: impl IntoIterator<Item = &'r Operation>) {
        let guards = rows.into_iter().map(|row| Guard {
            operation_id: row.id,
            version: row.version,
        });
        self.commit.guards.extend(guards);
    }

    /// Everything a decision about `subject` lays down. `held` is the lease
    /// of the operation itself, if the decider holds one; `fenced` whether
    /// the write is void without it.
    pub(super) async fn decided(
        mut self,
        subject: &Subject,
        decision: Decision,
        held: Option<Held>,
        fenced: bool,
    ) -> Result<(Commit, After), EngineError> {
        if !decision.own.is_empty() {
            let own = Some(subject.own.clone());
            let id = subject.own.operation.id;
            let record = self.write(id, own, &decision.own, held, fenced).await?;
            self.after.own = Some(record);
        }
        if let Some(parent) = subject
            .parent
            .clone()
            .filter(|_| !decision.parent.is_empty())
        {
            let id = parent.operation.id;
            self.write(id, Some(parent), &decision.parent, None, false)
                .await?;
        }
        if let Some((id, facts)) = decision.child {
            let record = self.write(id, None, &facts, None, false).await?;
            self.after.child = Some(record);
        }
        Ok(self.finish())
    }

    pub(super) fn finish(self) -> (Commit, After) {
        (self.commit, self.after)
    }

    /// Writes one operation.
    pub(super) async fn write(
        &mut self,
        id: OperationId,
        before: Option<Record>,
        facts: &[Fact],
        held: Option<Held>,
        fenced: bool,
    ) -> Result<Record, EngineError> {
        let expected = before.as_ref().map(|record| record.operation.version);
        let head = before
            .as_ref()
            .map_or([0; 32], |record| record.operation.ledger_head);
        let epoch = before
            .as_ref()
            .map_or(0, |record| record.operation.lease.epoch);
        let version = expected.unwrap_or(0) + 1;
        let mut record = evolve(id, before, version, self.moment.now, facts)?;
        let row = self.seal(id, version, head, facts);
        record.operation.ledger_head = row.hash;
        let lease = self.lease(facts, epoch, held);
        if let LeaseWrite::Take(taken) = &lease {
            record.operation.lease = taken.clone();
        }
        self.note_attempts(&record, facts, held).await?;
        let kind = if expected.is_none() {
            "operation.created"
        } else {
            "operation.changed"
        };
        self.commit.outbox.push(OutboxMessage {
            id: fresh(),
            operation_id: id,
            version,
            kind,
            created_at: self.moment.now,
        });
        self.commit.writes.push(Write {
            expected,
            record: record.clone(),
            fence: held.filter(|_| fenced).map(|held| held.epoch),
            lease,
            ledger: row,
            cases: cases(facts, self.moment.now),
        });
        self.after
            .changed
            .push((id, record.operation.next_check_at));
        Ok(record)
    }

    fn seal(
        &self,
        operation_id: OperationId,
        version: i64,
        previous: [u8; 32],
        facts: &[Fact],
    ) -> ledger::LedgerRow {
        let entry = Entry {
            version,
            at: self.moment.now,
            event: self.event,
            facts: facts.to_vec(),
        };
        let place = Place {
            tenant: &self.commit.tenant,
            operation_id,
            commit_id: self.commit.id,
            previous,
        };
        ledger::seal(place, &entry, *uuid::Uuid::new_v4().as_bytes())
    }

    /// Opening an attempt takes the lease, or extends the one that is held;
    /// whatever else the holder of a lease writes gives it back.
    fn lease(&self, facts: &[Fact], epoch: i64, held: Option<Held>) -> LeaseWrite {
        let opens = facts
            .iter()
            .any(|fact| matches!(fact, Fact::AttemptOpened { .. }));
        let until = self.moment.now + self.engine.timings().lease;
        match (opens, held) {
            (true, Some(_)) => LeaseWrite::Extend { until },
            (true, None) => LeaseWrite::Take(Lease {
                epoch: epoch + 1,
                owner: Some(self.engine.inner.options.owner.clone()),
                until: Some(until),
            }),
            (false, Some(held)) => LeaseWrite::Release { epoch: held.epoch },
            (false, None) => LeaseWrite::Keep,
        }
    }

    async fn note_attempts(
        &mut self,
        record: &Record,
        facts: &[Fact],
        held: Option<Held>,
    ) -> Result<(), EngineError> {
        for fact in facts {
            match fact {
                Fact::AttemptOpened { .. } => {
                    let held = held.unwrap_or(Held {
                        epoch: record.operation.lease.epoch,
                    });
                    let attempt = self.attempt(record, fact, held).await?;
                    self.commit
                        .attempts
                        .push(AttemptWrite::Open(attempt.clone()));
                    let Standing { epoch, beat, .. } = self.moment.standing;
                    self.commit.footing = Some(Footing { epoch, beat });
                    let write_by = self.started.after(attempt.not_after.since(self.moment.now));
                    self.after
                        .opened
                        .push((record.clone(), attempt, held, write_by));
                }
                Fact::AttemptClosed { attempt, result } => {
                    self.commit.attempts.push(AttemptWrite::Close {
                        id: *attempt,
                        result: *result,
                        ended_at: self.moment.now,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The first attempt's bytes are made from digest fields; every later one
    /// sends what was stored with the first (P2, P7).
    async fn attempt(
        &self,
        record: &Record,
        fact: &Fact,
        held: Held,
    ) -> Result<Attempt, EngineError> {
        let Fact::AttemptOpened {
            attempt,
            number,
            step,
            not_after,
            ..
        } = fact
        else {
            unreachable!("called for opened attempts only");
        };
        let operation = &record.operation;
        let stored = match number {
            1 => None,
            _ => {
                let store = &self.engine.inner.store;
                store
                    .attempts(&operation.intent.tenant, operation.id)
                    .await?
                    .into_iter()
                    .next()
            }
        };
        let request = match stored {
            Some(first) => first.attempt.request,
            None => self
                .engine
                .account(&operation.intent.provider)?
                .rail
                .prepare(operation),
        };
        Ok(Attempt {
            id: *attempt,
            tenant: operation.intent.tenant.clone(),
            operation_id: operation.id,
            number: *number,
            step: *step,
            account: operation.intent.provider.clone(),
            key: operation.intent.provider_key.clone(),
            request,
            epoch: held.epoch,
            opened_at: self.moment.now,
            not_after: *not_after,
        })
    }
}

fn cases(facts: &[Fact], now: Instant) -> Vec<CaseWrite> {
    let case = |fact: &Fact| match fact {
        Fact::ReviewOpened { case_id, reason } => Some(CaseWrite::Open {
            case_id: *case_id,
            reason: *reason,
            opened_at: now,
        }),
        Fact::ReviewClosed { case_id } => Some(CaseWrite::Close {
            case_id: *case_id,
            closed_at: now,
        }),
        _ => None,
    };
    facts.iter().filter_map(case).collect()
}
