//! What is due: one step for one operation under its lease.

use tokio::sync::OwnedSemaphorePermit;
use tracing::{Instrument, info_span};

use super::Pool;
use crate::domain::decide::Event;
use crate::domain::operation::Record;
use crate::domain::schedule::{Step, plan};
use crate::engine::{Held, Opened};
use crate::telemetry::fields;

impl Pool {
    /// Takes the one step that is due for a claimed operation.
    pub(super) async fn resolve(&self, record: Record, slot: OwnedSemaphorePermit) {
        let operation = &record.operation;
        let span = info_span!(
            "resolve",
            { fields::OPERATION_ID } = %operation.id,
            { fields::ORDER_ID } = %operation.intent.order_id,
            { fields::PROVIDER } = %operation.intent.provider,
        );
        self.resolve_in_span(record, slot).instrument(span).await;
    }

    async fn resolve_in_span(&self, record: Record, slot: OwnedSemaphorePermit) {
        let operation = &record.operation;
        let held = Held {
            epoch: operation.lease.epoch,
        };
        let policy = match self.engine.account(&operation.intent.provider) {
            Ok(account) => &account.policy,
            Err(error) => {
                tracing::error!(%error, "left to a replica that has the account");
                return;
            }
        };
        match plan(operation, policy, self.engine.recovery(), self.engine.now()) {
            Step::Send | Step::Resend => self.open_and_send(record, held, slot).await,
            Step::Recover => self.conclude(&record, held, Event::LeaseLapsed).await,
            Step::LookUp => self.look_up(&record, held).await,
            Step::Overdue => self.conclude(&record, held, Event::Overdue).await,
            Step::Rest => self.give_back(&record, held).await,
        }
    }

    async fn open_and_send(&self, record: Record, held: Held, slot: OwnedSemaphorePermit) {
        match self.engine.open(&record, held, slot).await {
            Ok(Opened::Dispatch(dispatch)) => self.send(*dispatch).await,
            // Something stands in its way: look again later, not at once.
            Ok(Opened::Refused) => self.conclude(&record, held, Event::Overdue).await,
            Ok(Opened::Stale) => {
                tracing::info!("another writer was faster, no attempt was opened");
                self.give_back(&record, held).await;
            }
            Err(error) => {
                tracing::warn!(%error, "the attempt could not be opened");
                self.give_back(&record, held).await;
            }
        }
    }

    async fn look_up(&self, record: &Record, held: Held) {
        let operation = &record.operation;
        let Some(adapter) = self.registry.adapter(&operation.intent.provider) else {
            tracing::error!("the operation's provider account is not configured");
            return;
        };
        let deadline = self.engine.timings().provider_deadline;
        let found = adapter.look_up(operation, deadline).await;
        #[cfg(debug_assertions)]
        crate::failpoint::pass(crate::failpoint::Point::LookedUp);
        self.conclude(record, held, Event::LookedUp(found)).await;
    }

    async fn conclude(&self, record: &Record, held: Held, event: Event) {
        let operation = &record.operation;
        self.bring_home(&operation.intent.tenant, operation.id, held, event)
            .await;
    }

    async fn give_back(&self, record: &Record, held: Held) {
        let operation = &record.operation;
        let released = self
            .claims
            .release(&operation.intent.tenant, operation.id, held.epoch)
            .await;
        if let Err(error) = released {
            tracing::warn!(%error, "the lease could not be given back and will lapse");
        }
    }
}
