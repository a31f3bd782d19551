//! Sending one attempt and bringing its end home.

use backon::{ExponentialBuilder, Retryable};
use tracing::{Instrument, info_span};

use super::Pool;
use crate::clock::BootTime;
use crate::domain::decide::Event;
use crate::domain::ids::OperationId;
use crate::domain::reference::TenantId;
use crate::engine::{Dispatch, EngineError, Held, Recorded};
#[cfg(debug_assertions)]
use crate::failpoint;
use crate::provider::Sent;
use crate::telemetry::fields;

impl Pool {
    /// Sends an attempt that is durable and records how it ended.
    pub(super) async fn send(&self, dispatch: Dispatch) {
        let operation = &dispatch.record.operation;
        let span = info_span!(
            "dispatch",
            { fields::OPERATION_ID } = %operation.id,
            { fields::ORDER_ID } = %operation.intent.order_id,
            { fields::ATTEMPT } = dispatch.attempt.number,
            { fields::PROVIDER } = %dispatch.attempt.account,
        );
        self.send_in_span(dispatch).instrument(span).await;
    }

    async fn send_in_span(&self, dispatch: Dispatch) {
        let Dispatch {
            record,
            attempt,
            held,
            write_by,
            slot,
        } = dispatch;
        let Some(adapter) = self.registry.adapter(&attempt.account) else {
            // Left to a replica that has the account; start-up refuses this.
            tracing::error!("the attempt's provider account is not configured");
            return;
        };
        let may_write = || BootTime::now() < write_by;
        let deadline = self.engine.timings().provider_deadline;
        #[cfg(debug_assertions)]
        failpoint::pass(failpoint::Point::B2Intended);
        let sent = adapter
            .send(
                attempt.step,
                &attempt.request,
                &attempt.key,
                &may_write,
                deadline,
            )
            .await;
        drop(slot);
        #[cfg(debug_assertions)]
        failpoint::pass(failpoint::Point::B6Answered);
        let event = ended(attempt.id, sent);
        let tenant = &record.operation.intent.tenant;
        self.bring_home(tenant, record.operation.id, held, event)
            .await;
    }

    /// Records an event, through hiccups of the store for as long as the
    /// lease lasts. After that the next owner looks the operation up.
    pub(super) async fn bring_home(
        &self,
        tenant: &TenantId,
        id: OperationId,
        held: Held,
        event: Event,
    ) {
        let name = event.name();
        let patience = ExponentialBuilder::default()
            .with_jitter()
            .without_max_times()
            .with_total_delay(Some(self.options.lease));
        let record = || self.engine.record(tenant, id, Some(held), event.clone());
        let recorded = record
            .retry(patience)
            .when(|error| matches!(error, EngineError::Store(_) | EngineError::Contended))
            .await;
        match recorded {
            Ok(Recorded::Done(record)) => {
                #[cfg(debug_assertions)]
                failpoint::pass(failpoint::Point::B7Finished);
                tracing::info!(
                    event = name,
                    { fields::STATE } = %record.operation.state,
                    version = record.operation.version,
                    "recorded"
                );
            }
            Ok(Recorded::Fenced) => {
                tracing::info!(
                    event = name,
                    "the lease was lost meanwhile, nothing was written"
                );
            }
            Ok(Recorded::NoPlace) => {
                tracing::info!(
                    event = name,
                    "no place for it any more, nothing was written"
                );
            }
            Err(error) => tracing::error!(event = name, %error, "could not be recorded"),
        }
        if let Err(error) = self.claims.release(tenant, id, held.epoch).await {
            tracing::warn!(%error, "the lease could not be given back and will lapse");
        }
    }
}

fn ended(attempt: crate::domain::ids::AttemptId, sent: Sent) -> Event {
    match sent {
        Sent::NotSent(cause) => {
            tracing::info!(%cause, "not sent");
            Event::NotSent { attempt }
        }
        Sent::Ambiguous(hint, cause) => {
            tracing::info!(%cause, "no trustworthy answer");
            Event::Ambiguous { attempt, hint }
        }
        Sent::Answered(evidence) => Event::Answered { attempt, evidence },
    }
}
