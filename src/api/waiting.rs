//! Waiting for an operation that is durable already.
//!
//! Guarantees (P14): from here on there are no errors about the operation. If
//! waiting fails, or the server stops, or the store does not answer in time,
//! the answer is the last state that is known. Nobody who waits owns anything:
//! a caller that goes away changes nothing.

use std::time::Duration;

use crate::domain::operation::Record;
use crate::domain::outcome::{SafeNextAction, answer};
use crate::engine::{EngineError, Until, View};

use super::Api;
use super::front::Context;

/// When to ask again if the store could not say.
const POLL_AFTER: Duration = Duration::from_secs(1);

impl Api {
    /// The operation once its answer is settled, or as it is when the time of
    /// the call is over. `asked` is the request's own `wait`.
    pub(super) async fn settled(
        &self,
        context: &Context,
        asked: Option<Duration>,
        record: Record,
    ) -> View {
        let patience = context.arrival.patience(self.limits, asked);
        let operation = &record.operation;
        let waiting = self.engine.wait(
            &context.caller.tenant,
            operation.id,
            Until::Settled,
            patience,
        );
        match self.in_time(patience, waiting).await {
            Some(view) => view,
            None => self.known(record).await,
        }
    }

    /// What a question about a durable operation brought, if it brought
    /// anything in time.
    pub(super) async fn in_time(
        &self,
        patience: Duration,
        question: impl Future<Output = Result<View, EngineError>>,
    ) -> Option<View> {
        let bounded = tokio::time::timeout(patience + self.limits.grace(), question);
        tokio::select! {
            // What was found is worth more than the news that we stop.
            biased;
            found = bounded => match found {
                Ok(Ok(view)) => Some(view),
                Ok(Err(error)) => {
                    tracing::warn!(%error, "waiting failed; the last known state goes out");
                    None
                }
                Err(_) => None,
            },
            () = self.stopping.cancelled() => None,
        }
    }

    /// Shows a record that is known, with or without the store.
    pub(super) async fn known(&self, record: Record) -> View {
        let asked = self.engine.view(record.clone());
        match tokio::time::timeout(self.limits.grace(), asked).await {
            Ok(Ok(view)) => view,
            Ok(Err(_)) | Err(_) => alone(record),
        }
    }
}

/// What a record says by itself.
fn alone(record: Record) -> View {
    let answer = answer(&record);
    let poll = answer.safe_next_action == SafeNextAction::Poll;
    View {
        answer,
        compensations: Vec::new(),
        poll_after: poll.then_some(POLL_AFTER),
        resolution_expected_by: None,
        record,
    }
}
