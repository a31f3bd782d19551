//! `decide`: what an event makes of an operation.
//!
//! Guarantees:
//! - every pair of state and event is named; there is no arm that catches
//!   the rest (`docs/lifecycle.md` is printed from this function);
//! - time alone never turns UNKNOWN into anything but a review (P5);
//! - a settled state is never rewritten: late evidence adds effects or opens
//!   a review (P9).

mod attempts;
mod compensate;
mod create;
mod draft;
mod evidence;
mod look_up;
mod money;
mod refund;
mod submit;
mod supersede;
#[cfg(test)]
mod table;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use create::{CreatePlace, create};

use std::time::Duration;

use super::evidence::{Evidence, LookUp};
use super::fact::Fact;
use super::ids::{AttemptId, CaseId, OperationId};
use super::operation::{Operation, Record};
use super::profile::Policy;
use super::recovery::Recovery;
use super::refusal::Refusal;
use super::request::CompensateRequest;
use super::time::Instant;
use draft::Draft;

/// All that a decision may look at. Every row in it is guarded by its version
/// when the decision is committed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Subject {
    /// The operation that the event is about.
    pub own: Record,
    /// Its parent, for captures, refunds and voids.
    pub parent: Option<Record>,
    /// For `Submit`, and for opening attempts: the other payments of its order.
    pub order: Vec<Record>,
    /// For `Compensate`: the compensations it already has.
    pub compensations: Vec<Operation>,
}

impl Subject {
    /// An operation alone.
    pub fn alone(own: Record) -> Self {
        Self {
            own,
            parent: None,
            order: Vec::new(),
            compensations: Vec::new(),
        }
    }
}

/// An attempt that is to be opened under a lease that its opener holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Opening {
    /// Its id.
    pub attempt: AttemptId,
    /// When its first byte may be written at the latest.
    pub not_after: Instant,
}

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A caller hands the operation over. With an opening, its first attempt
    /// is opened in the same commit.
    Submit(Option<Opening>),
    /// A worker opens an attempt.
    Open(Opening),
    /// An attempt ended before a request byte left.
    NotSent {
        /// Which.
        attempt: AttemptId,
    },
    /// An attempt ended without a trustworthy answer.
    Ambiguous {
        /// Which.
        attempt: AttemptId,
        /// What can be said all the same.
        hint: Hint,
    },
    /// An attempt was answered.
    Answered {
        /// Which.
        attempt: AttemptId,
        /// With what.
        evidence: Evidence,
    },
    /// The provider was asked.
    LookedUp(LookUp),
    /// Evidence came by another road.
    Noticed(Evidence),
    /// The owner of an open attempt let its lease lapse.
    LeaseLapsed,
    /// A check was due and the provider cannot be asked.
    Overdue,
    /// A caller wants the effect given back.
    Compensate(Compensation),
    /// A corrected request replaces the operation.
    Supersede {
        /// The new operation.
        by: OperationId,
    },
}

impl Event {
    /// The name in the ledger.
    pub fn name(&self) -> &'static str {
        match self {
            Event::Submit(_) => "submit",
            Event::Open(_) => "open",
            Event::NotSent { .. } => "not_sent",
            Event::Ambiguous { .. } => "ambiguous",
            Event::Answered { .. } => "answered",
            Event::LookedUp(_) => "looked_up",
            Event::Noticed(_) => "noticed",
            Event::LeaseLapsed => "lease_lapsed",
            Event::Overdue => "overdue",
            Event::Compensate(_) => "compensate",
            Event::Supersede { .. } => "supersede",
        }
    }

    /// Whether it is void without the lease under which it happened. Evidence
    /// never is: the truth enters whoever brings it.
    pub fn is_fenced(&self) -> bool {
        match self {
            Event::Open(_)
            | Event::NotSent { .. }
            | Event::Ambiguous { .. }
            | Event::LeaseLapsed
            | Event::Overdue
            | Event::LookedUp(LookUp::NotFound | LookUp::NoVerdict) => true,
            Event::Answered { .. }
            | Event::Noticed(_)
            | Event::LookedUp(LookUp::Found(_))
            | Event::Submit(_)
            | Event::Compensate(_)
            | Event::Supersede { .. } => false,
        }
    }
}

/// What an ambiguous end shows beyond "maybe".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Hint {
    /// The provider has the payment: a 409, a mismatch answer, an id.
    pub sign: bool,
    /// A stored failure was replayed: sending again brings nothing new.
    pub replayed_failure: bool,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
}

/// A `Compensate`, with what the engine prepared for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compensation {
    /// What was asked.
    pub request: CompensateRequest,
    /// The id of the compensation's own operation, if one is made.
    pub child: OperationId,
    /// Open its first attempt in the same commit.
    pub opening: Option<Opening>,
}

/// What a decision may use besides the subject.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The rules of the operation's account.
    pub policy: &'a Policy,
    /// `deployment.name`, part of every provider key.
    pub deployment: &'a str,
    /// Now, by the database's clock.
    pub now: Instant,
    /// The recovery that stands, if one does.
    pub recovery: Option<Recovery>,
    /// A random number from 0 to 1000.
    pub jitter: u16,
    /// The id of a case, if one is opened.
    pub case_id: CaseId,
    /// The id of a compensation that an instruction makes, if it does.
    pub child: OperationId,
}

/// What is to be committed: facts for each row that changes. Nothing at all
/// for a replay.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Decision {
    /// Facts of the operation itself.
    pub own: Vec<Fact>,
    /// Facts of its parent.
    pub parent: Vec<Fact>,
    /// A compensation that is recorded with it.
    pub child: Option<(OperationId, Vec<Fact>)>,
}

impl Decision {
    /// Nothing changes.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Whether anything is to be committed.
    pub fn is_nothing(&self) -> bool {
        self.own.is_empty() && self.parent.is_empty() && self.child.is_none()
    }
}

/// Decides what `event` makes of `subject`.
pub fn decide(subject: &Subject, event: &Event, context: Context<'_>) -> Result<Decision, Refusal> {
    let mut draft = Draft::new(subject, context);
    match event {
        Event::Submit(opening) => submit::submit(&mut draft, *opening)?,
        Event::Open(opening) => submit::open(&mut draft, *opening)?,
        Event::NotSent { attempt } => attempts::not_sent(&mut draft, *attempt)?,
        Event::Ambiguous { attempt, hint } => attempts::ambiguous(&mut draft, *attempt, *hint)?,
        Event::Answered { attempt, evidence } => attempts::answered(&mut draft, *attempt, evidence),
        Event::LookedUp(look_up) => look_up::looked_up(&mut draft, look_up),
        Event::Noticed(evidence) => evidence::weigh(&mut draft, evidence),
        Event::LeaseLapsed => attempts::lease_lapsed(&mut draft),
        Event::Overdue => look_up::overdue(&mut draft),
        Event::Compensate(compensation) => compensate::compensate(&mut draft, compensation)?,
        Event::Supersede { by } => supersede::supersede(&mut draft, *by)?,
    }
    Ok(draft.finish())
}
