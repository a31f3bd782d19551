//! `Compensate`.

use crate::domain::decide::{Compensation, Event, Subject};
use crate::domain::digest;
use crate::domain::operation::{Operation, Record};
use crate::domain::reference::TenantId;
use crate::domain::refusal::Refusal;
use crate::domain::request::CompensateRequest;

use super::change::Change;
use super::create::detached;
use super::record::ROUNDS;
use super::{Engine, EngineError, fresh_operation};

/// What `Compensate` came to.
#[derive(Debug)]
pub struct Compensated {
    /// The operation that is compensated.
    pub parent: Record,
    /// The compensation's own operation; none when the operation itself was
    /// canceled, or when the compensation waits for the outcome.
    pub compensation: Option<Record>,
    /// It was accepted before.
    pub replayed: bool,
}

impl Engine {
    /// Starts or joins a compensation.
    pub async fn compensate(
        &self,
        tenant: &TenantId,
        request: CompensateRequest,
    ) -> Result<Compensated, EngineError> {
        let engine = self.clone();
        let tenant = tenant.clone();
        detached(async move { engine.compensate_attached(&tenant, &request).await }).await
    }

    async fn compensate_attached(
        &self,
        tenant: &TenantId,
        request: &CompensateRequest,
    ) -> Result<Compensated, EngineError> {
        let store = &self.inner.store;
        let id = request.operation_id;
        for _ in 0..ROUNDS {
            let parent = store.record(tenant, id).await?.ok_or(Refusal::NotFound)?;
            // After the parent: whoever is seen here is not missed there.
            let compensations = store.compensations(tenant, id).await?;
            let mut known = compensations.iter();
            if let Some(found) = known.find(|own| own.intent.label.as_ref() == Some(&request.label))
            {
                return join(parent, found.clone(), request);
            }
            let subject = Subject {
                compensations,
                ..Subject::alone(parent)
            };
            let moment = self.moment();
            let slot = self.free_slot();
            let event = Event::Compensate(Compensation {
                request: request.clone(),
                child: fresh_operation(),
                opening: slot.as_ref().map(|_| self.opening(moment.now)),
            });
            let decision = self.decide(&subject, &event, moment)?;
            if decision.is_nothing() {
                return Ok(Compensated {
                    parent: subject.own,
                    compensation: None,
                    replayed: true,
                });
            }
            let mut change = Change::new(self, tenant, event.name(), moment);
            change.guard(&subject.compensations);
            let (commit, after) = change.decided(&subject, decision, None, false).await?;
            if let Some(after) = self.apply(commit, after).await? {
                #[cfg(debug_assertions)]
                crate::failpoint::pass(crate::failpoint::Point::B12RefundReserved);
                let parent = after.own.clone().unwrap_or(subject.own);
                let compensation = after.child.clone();
                self.hand_out(after, slot);
                return Ok(Compensated {
                    parent,
                    compensation,
                    replayed: false,
                });
            }
        }
        Err(EngineError::Contended)
    }
}

/// The label exists: the same request joins it, another one is a conflict.
fn join(
    parent: Record,
    found: Operation,
    request: &CompensateRequest,
) -> Result<Compensated, EngineError> {
    let asked = digest::of_compensate(request);
    digest::check_repeat(found.id, &found.intent.fingerprint, &asked)?;
    Ok(Compensated {
        parent,
        // A compensation has no effects of its own.
        compensation: Some(Record {
            operation: found,
            effects: Vec::new(),
        }),
        replayed: true,
    })
}
