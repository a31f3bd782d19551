//! `CreateOperation` and `Submit`.

use tokio::sync::OwnedSemaphorePermit;

use crate::domain::decide::{CreatePlace, Event, Opening, Subject, create};
use crate::domain::digest;
use crate::domain::ids::OperationId;
use crate::domain::operation::Record;
use crate::domain::reference::{ProviderAccount, Purpose, TenantId};
use crate::domain::refusal::Refusal;
use crate::domain::request::CreateRequest;

use super::change::{After, Change};
use super::record::ROUNDS;
use super::{DEFAULT_PURPOSE, Dispatch, Engine, EngineError, fresh_operation};

/// What `CreateOperation` came to.
#[derive(Debug)]
pub struct Created {
    /// The operation, new or found.
    pub record: Record,
    /// It was there already.
    pub replayed: bool,
}

impl Engine {
    /// Records an operation, or finds the one that has its identity. With
    /// `submit` it is handed over in the same commit; a create whose
    /// hand-over is refused records nothing.
    pub async fn create(
        &self,
        tenant: &TenantId,
        request: CreateRequest,
        submit: bool,
    ) -> Result<Created, EngineError> {
        let engine = self.clone();
        let tenant = tenant.clone();
        detached(async move { engine.create_attached(&tenant, &request, submit).await }).await
    }

    /// Hands an operation to the workers. Any number of calls, from anywhere,
    /// at any time: one effect.
    pub async fn submit(&self, tenant: &TenantId, id: OperationId) -> Result<Record, EngineError> {
        let engine = self.clone();
        let tenant = tenant.clone();
        detached(async move { engine.submit_attached(&tenant, id).await }).await
    }

    async fn create_attached(
        &self,
        tenant: &TenantId,
        request: &CreateRequest,
        submit: bool,
    ) -> Result<Created, EngineError> {
        let purpose = self.purpose(request)?;
        #[cfg(debug_assertions)]
        crate::failpoint::pass(crate::failpoint::Point::BeforeReserve);
        for _ in 0..ROUNDS {
            let superseded = self.superseded(tenant, request, &purpose).await?;
            let generation = superseded
                .as_ref()
                .map_or(1, |old| old.operation.intent.generation + 1);
            let store = &self.inner.store;
            let found = store
                .payment(tenant, &request.order_id, &purpose, Some(generation))
                .await?;
            if let Some(found) = found {
                return self.replay(tenant, request, found, submit).await;
            }
            let slot = if submit { self.free_slot() } else { None };
            let plan = Plan {
                purpose: &purpose,
                generation,
                superseded,
                submit,
                has_slot: slot.is_some(),
            };
            if let Some(after) = self.insert(tenant, request, plan).await? {
                #[cfg(debug_assertions)]
                crate::failpoint::pass(crate::failpoint::Point::B1Reserved);
                let record = after.own.clone().ok_or(EngineError::Contended)?;
                self.hand_out(after, slot);
                return Ok(Created {
                    record,
                    replayed: false,
                });
            }
        }
        Err(EngineError::Contended)
    }

    /// P3: same identity and same digest, the existing operation comes back;
    /// another digest, a conflict that names the fields.
    async fn replay(
        &self,
        tenant: &TenantId,
        request: &CreateRequest,
        found: Record,
        submit: bool,
    ) -> Result<Created, EngineError> {
        let before = &found.operation;
        let asked = digest::of_create(request);
        digest::check_repeat(before.id, &before.intent.fingerprint, &asked)?;
        let record = if submit {
            self.submit_attached(tenant, found.operation.id).await?
        } else {
            found
        };
        Ok(Created {
            record,
            replayed: true,
        })
    }

    async fn insert(
        &self,
        tenant: &TenantId,
        request: &CreateRequest,
        plan: Plan<'_>,
    ) -> Result<Option<After>, EngineError> {
        let moment = self.moment();
        let account = self.account(self.account_name(request)?)?;
        let order = if plan.submit {
            self.inner
                .store
                .payments_of_order(tenant, &request.order_id)
                .await?
        } else {
            Vec::new()
        };
        // Recorded by somebody else since we looked for it: look again.
        let same = |other: &Record| {
            let intent = &other.operation.intent;
            (&intent.purpose, intent.generation) == (plan.purpose, plan.generation)
        };
        if order.iter().any(same) {
            return Ok(None);
        }
        let context = self.context(account, moment);
        let id = fresh_operation();
        let place = CreatePlace {
            id,
            tenant,
            purpose: plan.purpose,
            account: &account.rail.account,
            generation: plan.generation,
            exclusive: !self
                .inner
                .options
                .independent_purposes
                .contains(plan.purpose),
            order: &order,
            submit: plan
                .submit
                .then(|| plan.has_slot.then(|| self.opening(moment.now))),
        };
        let facts = create(request, place, context)?;
        let mut change = Change::new(self, tenant, "create", moment);
        let mut guarded: Vec<&Record> = order.iter().collect();
        if let Some(old) = plan.superseded {
            let event = Event::Supersede { by: id };
            let decision = self.decide(&Subject::alone(old.clone()), &event, moment)?;
            guarded.retain(|other| other.operation.id != old.operation.id);
            change
                .write(old.operation.id, Some(old), &decision.own, None, false)
                .await?;
        }
        change.guard(guarded.iter().map(|other| &other.operation));
        let record = change.write(id, None, &facts, None, false).await?;
        let (commit, mut after) = change.finish();
        after.own = Some(record);
        self.apply(commit, after).await
    }

    async fn submit_attached(
        &self,
        tenant: &TenantId,
        id: OperationId,
    ) -> Result<Record, EngineError> {
        let store = &self.inner.store;
        for _ in 0..ROUNDS {
            let own = store.record(tenant, id).await?.ok_or(Refusal::NotFound)?;
            if !own.operation.intent.kind.is_payment() {
                // Compensations are handed over when they are recorded.
                return Ok(own);
            }
            let subject = self.beside_its_order(&own).await?;
            let moment = self.moment();
            let slot = self.free_slot();
            let opening: Option<Opening> = slot.as_ref().map(|_| self.opening(moment.now));
            let event = Event::Submit(opening);
            let decision = self.decide(&subject, &event, moment)?;
            if decision.is_nothing() {
                return Ok(subject.own);
            }
            let mut change = Change::new(self, tenant, event.name(), moment);
            change.guard(subject.order.iter().map(|other| &other.operation));
            let (commit, after) = change.decided(&subject, decision, None, false).await?;
            if let Some(after) = self.apply(commit, after).await? {
                let record = after.own.clone().unwrap_or(subject.own);
                self.hand_out(after, slot);
                return Ok(record);
            }
        }
        Err(EngineError::Contended)
    }

    /// A place among the provider calls of this replica, if one is free and
    /// the time can be trusted.
    pub(super) fn free_slot(&self) -> Option<OwnedSemaphorePermit> {
        if self.inner.clock.is_held() {
            return None;
        }
        std::sync::Arc::clone(&self.inner.slots)
            .try_acquire_owned()
            .ok()
    }

    /// Gives an attempt that was just opened to the worker pool.
    pub(super) fn hand_out(&self, after: After, slot: Option<OwnedSemaphorePermit>) {
        let opened = after.opened.into_iter().next();
        if let (Some((record, attempt, held, write_by)), Some(slot)) = (opened, slot) {
            // The pool is gone only when the process ends: the lease lapses,
            // and the next owner looks the operation up.
            let _ = self.inner.dispatches.send(Dispatch {
                record,
                attempt,
                held,
                write_by,
                slot,
            });
        }
    }

    fn purpose(&self, request: &CreateRequest) -> Result<Purpose, EngineError> {
        let listed = &self.inner.options.purposes;
        let asked = request
            .purpose
            .as_ref()
            .map_or(DEFAULT_PURPOSE, Purpose::as_str);
        let found = listed.iter().find(|purpose| purpose.as_str() == asked);
        found.cloned().ok_or_else(|| {
            let names: Vec<&str> = listed.iter().map(Purpose::as_str).collect();
            let rule = format!(
                "must be one of the configured purposes: {}",
                names.join(", ")
            );
            let field = "purpose";
            Refusal::InvalidField { field, rule }.into()
        })
    }

    fn account_name<'a>(
        &'a self,
        request: &'a CreateRequest,
    ) -> Result<&'a ProviderAccount, EngineError> {
        let Some(asked) = &request.provider else {
            return Ok(&self.inner.options.default_account);
        };
        if self.inner.accounts.contains_key(asked) {
            return Ok(asked);
        }
        Err(Refusal::InvalidField {
            field: "provider",
            rule: "must name one of the configured provider accounts".to_owned(),
        }
        .into())
    }

    /// The operation that a request replaces, which must be of the same order
    /// and purpose.
    async fn superseded(
        &self,
        tenant: &TenantId,
        request: &CreateRequest,
        purpose: &Purpose,
    ) -> Result<Option<Record>, EngineError> {
        let Some(id) = request.supersedes else {
            return Ok(None);
        };
        let old = self
            .inner
            .store
            .record(tenant, id)
            .await?
            .ok_or(Refusal::NotFound)?;
        let intent = &old.operation.intent;
        let same = intent.kind.is_payment()
            && intent.order_id == request.order_id
            && intent.purpose == *purpose;
        if same {
            return Ok(Some(old));
        }
        Err(Refusal::InvalidField {
            field: "supersedes_operation_id",
            rule: "must name a payment of the same order and purpose".to_owned(),
        }
        .into())
    }
}

struct Plan<'a> {
    purpose: &'a Purpose,
    generation: i32,
    superseded: Option<Record>,
    submit: bool,
    has_slot: bool,
}

/// Runs a command in a task of its own: a caller that goes away does not stop
/// it half-way between its commit and what follows the commit.
pub(super) async fn detached<T: Send + 'static>(
    command: impl Future<Output = Result<T, EngineError>> + Send + 'static,
) -> Result<T, EngineError> {
    use tracing::Instrument;
    match tokio::spawn(command.in_current_span()).await {
        Ok(result) => result,
        Err(stopped) => std::panic::resume_unwind(stopped.into_panic()),
    }
}
