//! An attempt that was opened here and is to be sent.

use tokio::sync::OwnedSemaphorePermit;

use crate::clock::BootTime;
use crate::domain::attempt::Attempt;
use crate::domain::operation::Record;

/// A lease that this replica holds on an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// Its epoch. Writes under an older one are refused.
    pub epoch: i64,
}

/// A durable attempt on its way to the provider. Until it was sent, or its
/// lease lapses, nobody else touches the operation.
#[derive(Debug)]
pub struct Dispatch {
    /// The operation as committed with the attempt.
    pub record: Record,
    /// The attempt, with the exact bytes to send.
    pub attempt: Attempt,
    /// The lease under which it was opened.
    pub held: Held,
    /// The first byte may be written until then, by this machine's own clock,
    /// which counts suspension.
    pub write_by: BootTime,
    /// Its place among the provider calls of this replica.
    pub slot: OwnedSemaphorePermit,
}
