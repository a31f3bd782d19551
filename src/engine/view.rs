//! What a caller is shown of an operation.

use std::time::Duration;

use crate::domain::ids::OperationId;
use crate::domain::kind::Kind;
use crate::domain::money::Money;
use crate::domain::operation::{Operation, Record};
use crate::domain::outcome::{Answer, Outcome, SafeNextAction, answer};
use crate::domain::profile::Policy;
use crate::domain::reference::Label;
use crate::domain::state::State;
use crate::domain::time::Instant;

use super::{Engine, EngineError};

/// One compensation of a payment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompensationSummary {
    /// Its operation.
    pub operation_id: OperationId,
    /// The merchant's name for it.
    pub label: Option<Label>,
    /// REFUND or VOID.
    pub kind: Kind,
    /// Where it is.
    pub state: State,
    /// What is known about the money.
    pub outcome: Outcome,
    /// How much.
    pub amount: Money,
}

/// An operation, what it means, and when to ask again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// The operation and its effects.
    pub record: Record,
    /// What it means.
    pub answer: Answer,
    /// The compensations of a payment, oldest first.
    pub compensations: Vec<CompensationSummary>,
    /// How long to wait before asking again, where asking again helps.
    pub poll_after: Option<Duration>,
    /// By when it should be known, where it is not.
    pub resolution_expected_by: Option<Instant>,
}

/// Bounds of `poll_after`.
const POLL_AT_LEAST: Duration = Duration::from_millis(250);
const POLL_AT_MOST: Duration = Duration::from_secs(30);

impl Engine {
    /// Shows a record that was just read or committed.
    pub async fn view(&self, record: Record) -> Result<View, EngineError> {
        let compensations = if record.effects.is_empty() {
            Vec::new()
        } else {
            let operation = &record.operation;
            let store = &self.inner.store;
            store
                .compensations(&operation.intent.tenant, operation.id)
                .await?
        };
        let policy = &self.account(&record.operation.intent.provider)?.policy;
        let now = self.now();
        let answer = answer(&record);
        Ok(View {
            poll_after: poll_after(&record.operation, answer, now),
            resolution_expected_by: expected_by(&record.operation, policy),
            compensations: compensations.into_iter().map(summary).collect(),
            answer,
            record,
        })
    }
}

fn summary(operation: Operation) -> CompensationSummary {
    let (operation_id, state) = (operation.id, operation.state);
    let (kind, amount) = (operation.intent.kind, operation.intent.amount);
    let label = operation.intent.label.clone();
    let record = Record {
        operation,
        effects: Vec::new(),
    };
    CompensationSummary {
        operation_id,
        label,
        kind,
        state,
        outcome: answer(&record).outcome,
        amount,
    }
}

/// Right after the next look is early enough to ask.
fn poll_after(operation: &Operation, answer: Answer, now: Instant) -> Option<Duration> {
    if answer.safe_next_action != SafeNextAction::Poll {
        return None;
    }
    let next = operation
        .next_check_at
        .map_or(POLL_AT_LEAST, |at| at.since(now));
    Some(next.clamp(POLL_AT_LEAST, POLL_AT_MOST))
}

fn expected_by(operation: &Operation, policy: &Policy) -> Option<Instant> {
    let window = match operation.state {
        State::Queued | State::Submitting | State::Unknown => policy.timings.observation_window,
        State::Pending => policy.profile.processing_horizon,
        State::Created
        | State::RequiresAction
        | State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => return None,
    };
    let since = operation.unresolved_since.or(operation.submitted_at)?;
    Some(since + window)
}
