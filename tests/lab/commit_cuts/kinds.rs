//! Every kind of commit: what must have happened before it, and the one call
//! that makes it.

use payonce::domain::decide::{Event, Hint};
use payonce::domain::evidence::LookUp;
use payonce::domain::ids::OperationId;
use payonce::domain::operation::Record;
use payonce::engine::{EngineError, Opened, Recorded};

use super::world::{Sent, World, done, refund_of, request};

/// The kinds of commits that the engine makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Create,
    CreateAndSubmit,
    Submit,
    Open,
    Answered,
    Ambiguous,
    NotSent,
    LeaseLapsed,
    LookedUp,
    Refund,
    Cancel,
    Instruction,
    Supersede,
}

/// What is there before the cut.
pub(super) enum Before {
    Nothing,
    Operation(OperationId),
    Claimed(Box<Record>),
    Sent(Box<Sent>),
}

impl Before {
    /// The operation that the commit changes, or none for a new one.
    pub(super) fn id(&self) -> Option<OperationId> {
        match self {
            Before::Nothing => None,
            Before::Operation(id) => Some(*id),
            Before::Claimed(record) => Some(record.operation.id),
            Before::Sent(sent) => Some(sent.record.operation.id),
        }
    }

    fn sent(&self) -> &Sent {
        match self {
            Before::Sent(sent) => sent,
            _ => unreachable!("prepared with an attempt"),
        }
    }

    fn existing(&self) -> OperationId {
        self.id().expect("prepared with an operation")
    }
}

impl Kind {
    pub(crate) const ALL: [Kind; 13] = [
        Kind::Create,
        Kind::CreateAndSubmit,
        Kind::Submit,
        Kind::Open,
        Kind::Answered,
        Kind::Ambiguous,
        Kind::NotSent,
        Kind::LeaseLapsed,
        Kind::LookedUp,
        Kind::Refund,
        Kind::Cancel,
        Kind::Instruction,
        Kind::Supersede,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Create => "create",
            Kind::CreateAndSubmit => "create_and_submit",
            Kind::Submit => "submit",
            Kind::Open => "open",
            Kind::Answered => "answered",
            Kind::Ambiguous => "ambiguous",
            Kind::NotSent => "not_sent",
            Kind::LeaseLapsed => "lease_lapsed",
            Kind::LookedUp => "looked_up",
            Kind::Refund => "compensate_refund",
            Kind::Cancel => "compensate_cancel",
            Kind::Instruction => "instruction",
            Kind::Supersede => "supersede",
        }
    }

    /// Everything up to the commit, in peace.
    pub(super) async fn prepare(self, world: &mut World, order: &str) -> Before {
        match self {
            Kind::Create | Kind::CreateAndSubmit => Before::Nothing,
            Kind::Submit | Kind::Cancel => Before::Operation(world.recorded(order).await),
            Kind::Open => Before::Claimed(Box::new(world.claimed(order).await)),
            Kind::Answered | Kind::Ambiguous | Kind::NotSent | Kind::LeaseLapsed => {
                Before::Sent(Box::new(world.sent(order).await))
            }
            Kind::LookedUp | Kind::Instruction => {
                let sent = world.sent(order).await;
                world
                    .record(&sent, Kind::Ambiguous.event(&sent))
                    .await
                    .expect("recorded");
                Before::Sent(Box::new(sent))
            }
            Kind::Refund => {
                let sent = world.sent(order).await;
                world
                    .record(&sent, Kind::Answered.event(&sent))
                    .await
                    .expect("recorded");
                Before::Sent(Box::new(sent))
            }
            Kind::Supersede => {
                let id = world.recorded(order).await;
                world
                    .compensate(refund_of(id, false))
                    .await
                    .expect("canceled");
                Before::Operation(id)
            }
        }
    }

    fn event(self, sent: &Sent) -> Event {
        let attempt = sent.attempt;
        match self {
            Kind::Answered => Event::Answered {
                attempt,
                evidence: done(&sent.record, false),
            },
            Kind::Ambiguous => Event::Ambiguous {
                attempt,
                hint: Hint::default(),
            },
            Kind::NotSent => Event::NotSent { attempt },
            Kind::LeaseLapsed => Event::LeaseLapsed,
            Kind::LookedUp => Event::LookedUp(LookUp::Found(done(&sent.record, true))),
            _ => unreachable!("not an event of an attempt"),
        }
    }

    /// The one commit. Returns the record that was acknowledged.
    pub(super) async fn commit(
        self,
        world: &mut World,
        order: &str,
        before: &Before,
    ) -> Result<Record, EngineError> {
        match self {
            Kind::Create => world.create(request(order), false).await,
            Kind::CreateAndSubmit => world.create(request(order), true).await,
            Kind::Supersede => {
                let mut again = request(order);
                again.supersedes = before.id();
                world.create(again, false).await
            }
            Kind::Submit => world.submit(before.existing()).await,
            Kind::Open => match before {
                Before::Claimed(record) => match world.open(record).await? {
                    Opened::Dispatch(dispatch) => Ok(dispatch.record),
                    Opened::Refused | Opened::Stale => Err(EngineError::Contended),
                },
                _ => unreachable!("prepared with a claim"),
            },
            Kind::Answered
            | Kind::Ambiguous
            | Kind::NotSent
            | Kind::LeaseLapsed
            | Kind::LookedUp => {
                let sent = before.sent();
                match world.record(sent, self.event(sent)).await? {
                    Recorded::Done(record) => Ok(*record),
                    Recorded::Fenced | Recorded::NoPlace => Err(EngineError::Contended),
                }
            }
            Kind::Refund | Kind::Cancel => {
                world.compensate(refund_of(before.existing(), false)).await
            }
            Kind::Instruction => world.compensate(refund_of(before.existing(), true)).await,
        }
    }

    /// How many rows of the ledger the commit writes.
    pub(super) fn ledger_rows(self) -> usize {
        match self {
            Kind::Refund | Kind::Supersede => 2,
            _ => 1,
        }
    }

    /// Whether it records a new operation.
    pub(super) fn makes_an_operation(self) -> bool {
        matches!(
            self,
            Kind::Create | Kind::CreateAndSubmit | Kind::Refund | Kind::Supersede
        )
    }
}
