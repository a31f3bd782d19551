//! The steps of a scene: events by short names, and the ways to a state.

use super::*;
use crate::domain::decide::{Compensation, Decision, Event, Hint};
use crate::domain::evidence::{Evidence, LookUp, Shown, Sighting, Source};
use crate::domain::fact::Fact;
use crate::domain::ids::OperationId;
use crate::domain::refusal::Refusal;
use crate::domain::request::{CompensateRequest, CompensationReason};
use crate::domain::state::State;

impl Scene {
    /// Opens an attempt; it is the open one afterwards.
    pub(crate) fn open(&mut self) -> Result<Decision, Refusal> {
        let attempt = AttemptId(self.new_id());
        let opening = opening(attempt, self.now);
        self.hand(&Event::Open(opening))
    }

    pub(crate) fn submit(&mut self) -> Result<Decision, Refusal> {
        self.hand(&Event::Submit(None))
    }

    /// The open attempt.
    pub(crate) fn attempt(&self) -> AttemptId {
        let open = self.operation().progress.open;
        open.expect("an attempt is open").id
    }

    pub(crate) fn not_sent(&mut self) -> Decision {
        let attempt = self.attempt();
        self.hand(&Event::NotSent { attempt }).expect("it was open")
    }

    pub(crate) fn ambiguous(&mut self, hint: Hint) -> Decision {
        let attempt = self.attempt();
        let event = Event::Ambiguous { attempt, hint };
        self.hand(&event).expect("it was open")
    }

    pub(crate) fn answered(&mut self, evidence: Evidence) -> Decision {
        let attempt = self.attempt();
        let event = Event::Answered { attempt, evidence };
        self.hand(&event).expect("answers always enter")
    }

    pub(crate) fn lapsed(&mut self) -> Decision {
        self.hand(&Event::LeaseLapsed).expect("never refused")
    }

    pub(crate) fn overdue(&mut self) -> Decision {
        self.hand(&Event::Overdue).expect("never refused")
    }

    pub(crate) fn looked_up(&mut self, look_up: LookUp) -> Decision {
        self.hand(&Event::LookedUp(look_up)).expect("never refused")
    }

    pub(crate) fn not_found(&mut self) -> Decision {
        self.looked_up(LookUp::NotFound)
    }

    /// A look-up shows one payment with our key and amount.
    pub(crate) fn see(&mut self, id: &str, shown: Shown) -> Decision {
        let sighting = self.ours(id, shown);
        self.looked_up(found(vec![sighting]))
    }

    /// A webhook shows these.
    pub(crate) fn noticed(&mut self, sightings: Vec<Sighting>) -> Decision {
        let event = Event::Noticed(evidence(Source::Webhook, sightings));
        self.hand(&event).expect("never refused")
    }

    /// What `Compensate` would be handed.
    pub(crate) fn asked(&mut self, named: &str, amount: Option<i64>) -> Compensation {
        Compensation {
            request: CompensateRequest {
                operation_id: self.focus,
                label: label(named),
                reason: CompensationReason::RequestedByCustomer,
                amount: amount.map(usd),
                provider_payment_id: None,
                when_resolved: false,
            },
            child: OperationId(self.new_id()),
            opening: None,
        }
    }

    /// Compensates the focus; the id of the refund that was recorded.
    pub(crate) fn compensate(
        &mut self,
        named: &str,
        amount: Option<i64>,
    ) -> Result<OperationId, Refusal> {
        let asked = self.asked(named, amount);
        let child = asked.child;
        self.hand(&Event::Compensate(asked)).map(|_| child)
    }

    /// Compensates as soon as the outcome is known.
    pub(crate) fn instruct(&mut self, amount: Option<i64>) -> Result<Decision, Refusal> {
        let mut asked = self.asked("later", amount);
        asked.request.when_resolved = true;
        self.hand(&Event::Compensate(asked))
    }

    pub(crate) fn queued(mut self) -> Self {
        if self.state() == State::Created {
            self.submit().expect("nothing in the way");
        }
        self
    }

    pub(crate) fn submitting(self) -> Self {
        let mut scene = self.queued();
        scene.open().expect("nothing in the way");
        scene
    }

    /// Sent, no answer.
    pub(crate) fn unknown(self) -> Self {
        let mut scene = self.submitting();
        scene.ambiguous(Hint::default());
        scene
    }

    /// Sent, and answered so.
    pub(crate) fn showing(self, shown: Shown) -> Self {
        let mut scene = self.submitting();
        let id = match scene.operation().intent.kind.is_payment() {
            true => "pay_1",
            false => "re_1",
        };
        let sighting = scene.ours(id, shown);
        scene.answered(evidence(Source::Response, vec![sighting]));
        scene
    }

    pub(crate) fn succeeded(self) -> Self {
        self.showing(Shown::Done)
    }

    pub(crate) fn declined(self) -> Self {
        self.showing(failed())
    }

    /// Proven absent.
    pub(crate) fn canceled(self) -> Self {
        self.showing(Shown::Withdrawn)
    }

    /// Puts the focus where no event leads it.
    pub(crate) fn forced(mut self, to: State) -> Self {
        self.write(self.focus, "forced", &[Fact::Moved { to }]);
        self
    }
}
