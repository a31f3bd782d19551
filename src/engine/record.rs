//! Events that come from the worker pool: load, decide, commit; when another
//! writer was faster, decide again.

use crate::domain::decide::{Context, Decision, Event, Opening, Subject, decide};
use crate::domain::fact::{self, Fact};
use crate::domain::ids::OperationId;
use crate::domain::operation::{Lease, Record};
use crate::domain::reference::TenantId;
use crate::domain::refusal::Refusal;
use crate::domain::time::Instant;
use crate::store::{Commit, Verdict};
use tokio::sync::OwnedSemaphorePermit;

use super::change::{After, Change};
use super::{
    Account, Dispatch, Engine, EngineError, Held, Moment, fresh_attempt, fresh_case,
    fresh_operation,
};

/// How often a decision is made again before the writer gives up. Each round
/// means that somebody else's commit went through.
pub(super) const ROUNDS: usize = 16;

/// What became of an event.
#[derive(Debug)]
pub enum Recorded {
    /// It was committed, or changed nothing; the operation is now so.
    Done(Box<Record>),
    /// The lease under which it happened is not held any more. Nothing was
    /// written.
    Fenced,
    /// It has no place in the operation's state. Nothing was written.
    NoPlace,
}

/// What became of opening an attempt.
#[derive(Debug)]
pub enum Opened {
    /// It is durable, and to be sent.
    Dispatch(Box<Dispatch>),
    /// The rules do not allow it now. Nothing was written.
    Refused,
    /// Another writer was faster. Nothing was written.
    Stale,
}

impl Engine {
    /// Records what happened to an operation. `held` is the lease under which
    /// it happened. Ends of attempts without an answer, and look-ups without
    /// a finding, are void once that lease is lost; evidence never is: the
    /// truth enters whoever brings it.
    pub async fn record(
        &self,
        tenant: &TenantId,
        id: OperationId,
        held: Option<Held>,
        event: Event,
    ) -> Result<Recorded, EngineError> {
        for _ in 0..ROUNDS {
            let subject = self.subject(tenant, id).await?;
            let now = self.now();
            let lost = lost(&subject.own.operation.lease, held);
            if lost && event.is_fenced() {
                return Ok(Recorded::Fenced);
            }
            let moment = self.moment();
            let decision = match self.decide(&subject, &event, moment) {
                Ok(decision) => decision,
                Err(EngineError::Refused(Refusal::NoPlace(_))) => return Ok(Recorded::NoPlace),
                Err(error) => return Err(error),
            };
            let nothing = found_nothing(&decision);
            if nothing && (lost || is_over(&subject.own.operation.lease, now)) {
                return Ok(Recorded::Fenced);
            }
            let fenced = nothing || event.is_fenced();
            if decision.is_nothing() {
                return Ok(Recorded::Done(Box::new(subject.own)));
            }
            let change = Change::new(self, tenant, event.name(), moment);
            let (commit, after) = change.decided(&subject, decision, held, fenced).await?;
            if let Some(after) = self.apply(commit, after).await? {
                let record = after.own.unwrap_or(subject.own);
                return Ok(Recorded::Done(Box::new(record)));
            }
        }
        Err(EngineError::Contended)
    }

    /// Opens an attempt under a lease that this replica holds. The attempt is
    /// durable when this returns, and not sent yet.
    pub async fn open(
        &self,
        record: &Record,
        held: Held,
        slot: OwnedSemaphorePermit,
    ) -> Result<Opened, EngineError> {
        if self.inner.clock.is_held() {
            return Ok(Opened::Refused);
        }
        let subject = self.beside_its_order(record).await?;
        let moment = self.moment();
        let event = Event::Open(self.opening(moment.now));
        let tenant = &record.operation.intent.tenant;
        let decision = match self.decide(&subject, &event, moment) {
            Ok(decision) => decision,
            Err(EngineError::Refused(_)) => return Ok(Opened::Refused),
            Err(error) => return Err(error),
        };
        let mut change = Change::new(self, tenant, event.name(), moment);
        change.guard(subject.order.iter().map(|other| &other.operation));
        let (commit, after) = change.decided(&subject, decision, Some(held), true).await?;
        let Some(after) = self.apply(commit, after).await? else {
            return Ok(Opened::Stale);
        };
        let opened = after.opened.into_iter().next();
        let dispatch = |(record, attempt, held, write_by)| Dispatch {
            record,
            attempt,
            held,
            write_by,
            slot,
        };
        Ok(opened.map_or(Opened::Refused, |opened| {
            Opened::Dispatch(Box::new(dispatch(opened)))
        }))
    }

    /// A payment with the other payments of its order; anything else alone.
    pub(super) async fn beside_its_order(&self, record: &Record) -> Result<Subject, EngineError> {
        let operation = &record.operation;
        let mut subject = Subject::alone(record.clone());
        if operation.intent.kind.is_payment() {
            let (store, intent) = (&self.inner.store, &operation.intent);
            subject.order = store
                .payments_of_order(&intent.tenant, &intent.order_id)
                .await?;
            subject
                .order
                .retain(|other| other.operation.id != operation.id);
        }
        Ok(subject)
    }

    /// Decides with fresh ids and the rules of the operation's account.
    pub(super) fn decide(
        &self,
        subject: &Subject,
        event: &Event,
        moment: Moment,
    ) -> Result<Decision, EngineError> {
        let account = self.account(&subject.own.operation.intent.provider)?;
        Ok(decide(subject, event, self.context(account, moment))?)
    }

    pub(super) fn context<'a>(&'a self, account: &'a Account, moment: Moment) -> Context<'a> {
        Context {
            policy: &account.policy,
            deployment: &self.inner.options.deployment,
            now: moment.now,
            recovery: moment.standing.recovery,
            jitter: fastrand::u16(0..=1000),
            case_id: fresh_case(),
            child: fresh_operation(),
        }
    }

    /// An attempt that would be opened now. Its first byte may be written as
    /// long as the lease leaves room for one whole provider call.
    pub(super) fn opening(&self, now: Instant) -> Opening {
        let timings = self.timings();
        Opening {
            attempt: fresh_attempt(),
            not_after: now + timings.lease.saturating_sub(timings.provider_deadline),
        }
    }

    /// Hands a commit to the store and, if it was applied, wakes those who
    /// wait. `None`: something it rests on has changed.
    pub(super) async fn apply(
        &self,
        commit: Commit,
        after: After,
    ) -> Result<Option<After>, EngineError> {
        let footing = commit.footing;
        match self.inner.store.commit(commit).await? {
            Verdict::Applied => {
                for (id, _) in &after.changed {
                    self.inner.hub.wake(*id);
                }
                let now = self.now();
                let is_due = |due: &Option<Instant>| due.is_some_and(|at| at <= now);
                let due = after.changed.iter().any(|(_, due)| is_due(due));
                if due {
                    self.inner.work.notify_one();
                }
                let changed = after.changed.iter().map(|(id, _)| *id).collect();
                self.inner.store.announce(changed, due);
                Ok(Some(after))
            }
            Verdict::Stale => Ok(None),
            Verdict::Displaced => {
                footing
                    .into_iter()
                    .for_each(|footing| self.suspect(footing));
                Ok(None)
            }
        }
    }

    /// An operation with its parent.
    async fn subject(&self, tenant: &TenantId, id: OperationId) -> Result<Subject, EngineError> {
        let store = &self.inner.store;
        let own = store.record(tenant, id).await?.ok_or(Refusal::NotFound)?;
        let parent = match own.operation.intent.parent {
            Some(parent) => store.record(tenant, parent).await?,
            None => None,
        };
        Ok(Subject {
            parent,
            ..Subject::alone(own)
        })
    }
}

/// Whether somebody else took the lease over.
fn lost(lease: &Lease, held: Option<Held>) -> bool {
    held.is_none_or(|held| held.epoch != lease.epoch)
}

/// Whether a lease that nobody took over has lapsed or was given back. A
/// finding of nothing is void then: P8 counts on it to be no older than a
/// lease, and one whose first acknowledgement was lost must not count twice.
fn is_over(lease: &Lease, now: Instant) -> bool {
    let is_live = lease.owner.is_some() && lease.until.is_some_and(|until| now < until);
    !is_live
}

/// Whether a look-up brought no finding; payments of others are none.
fn found_nothing(decision: &Decision) -> bool {
    decision.own.iter().any(|fact| match fact {
        Fact::LookedUp { verdict } => *verdict != fact::Verdict::Found,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const NOW: Instant = Instant(1_000_000);

    fn lease(epoch: i64) -> Lease {
        Lease {
            epoch,
            owner: Some("replica".to_owned()),
            until: Some(NOW + Duration::from_millis(1)),
        }
    }

    #[test]
    fn a_lease_of_another_epoch_is_lost() {
        let held = |epoch| Some(Held { epoch });
        assert!(!lost(&lease(3), held(3)));
        assert!(lost(&lease(4), held(3)));
        assert!(lost(&lease(3), None));
    }

    #[test]
    fn a_lease_that_lapsed_or_was_given_back_is_over() {
        assert!(!is_over(&lease(3), NOW));
        let lapsed = Lease {
            until: Some(NOW),
            ..lease(3)
        };
        assert!(is_over(&lapsed, NOW));
        let given_back = Lease {
            owner: None,
            until: None,
            ..lease(3)
        };
        assert!(is_over(&given_back, NOW));
    }
}
