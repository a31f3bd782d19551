//! A decision in the making: facts are written down and take effect at once
//! on a working copy, so that the next rule sees what the last one did.

use super::{Context, Decision, Subject};
use crate::domain::evolve::apply;
use crate::domain::fact::Fact;
use crate::domain::ids::OperationId;
use crate::domain::operation::{Operation, Record, ReviewReason};
use crate::domain::schedule;
use crate::domain::state::State;
use crate::domain::time::Instant;

/// A decision in the making.
pub(super) struct Draft<'a> {
    subject: &'a Subject,
    record: Record,
    decision: Decision,
    pub(super) context: Context<'a>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(subject: &'a Subject, context: Context<'a>) -> Self {
        Self {
            subject,
            record: subject.own.clone(),
            decision: Decision::nothing(),
            context,
        }
    }

    /// What the operation looks like by now.
    pub(super) fn operation(&self) -> &Operation {
        &self.record.operation
    }

    /// What the operation and its effects look like by now.
    pub(super) fn record(&self) -> &Record {
        &self.record
    }

    /// What was there before the event.
    pub(super) fn subject(&self) -> &'a Subject {
        self.subject
    }

    pub(super) fn state(&self) -> State {
        self.record.operation.state
    }

    pub(super) fn now(&self) -> Instant {
        self.context.now
    }

    /// Writes a fact of the operation itself.
    pub(super) fn put(&mut self, fact: Fact) {
        apply(&mut self.record, &fact, self.context.now)
            .expect("decide lays down only facts that fit the record");
        self.decision.own.push(fact);
    }

    /// Moves to a state, unless it is there already.
    pub(super) fn move_to(&mut self, to: State) {
        if self.state() != to {
            self.put(Fact::Moved { to });
        }
    }

    /// Writes a fact of the parent.
    pub(super) fn put_on_parent(&mut self, fact: Fact) {
        self.decision.parent.push(fact);
    }

    /// Records a compensation together with the decision.
    pub(super) fn add_child(&mut self, id: OperationId, facts: Vec<Fact>) {
        self.decision.child = Some((id, facts));
    }

    /// Asks a person. A disagreement displaces a review that only waits; any
    /// other open review stays.
    pub(super) fn ask_person(&mut self, reason: ReviewReason) {
        if let Some(open) = &self.operation().review {
            if open.reason.is_disagreement() || !reason.is_disagreement() {
                return;
            }
            let case_id = open.case_id;
            self.put(Fact::ReviewClosed { case_id });
        }
        let case_id = self.context.case_id;
        self.put(Fact::ReviewOpened { case_id, reason });
    }

    /// Closes a review that only waited for the outcome, now that it is
    /// known.
    pub(super) fn answer_waiting_review(&mut self) {
        let waiting = self.operation().review.as_ref();
        if let Some(review) = waiting.filter(|review| !review.reason.is_disagreement()) {
            let case_id = review.case_id;
            self.put(Fact::ReviewClosed { case_id });
        }
    }

    /// Sets the next look by the schedule.
    pub(super) fn schedule_look(&mut self) {
        let Context {
            policy,
            now,
            jitter,
            ..
        } = self.context;
        let at = schedule::next_look(self.operation(), policy, now, jitter);
        self.put(Fact::CheckScheduled { at: Some(at) });
    }

    /// Sets the next look to now.
    pub(super) fn schedule_now(&mut self) {
        let at = Some(self.now());
        self.put(Fact::CheckScheduled { at });
    }

    pub(super) fn finish(self) -> Decision {
        self.decision
    }
}
