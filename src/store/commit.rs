//! The one shape of every change: plain data, applied as a whole or not at
//! all.

use uuid::Uuid;

use crate::domain::attempt::{Attempt, AttemptResult};
use crate::domain::ids::{AttemptId, CaseId, CommitId, OperationId};
use crate::domain::ledger::LedgerRow;
use crate::domain::operation::{Lease, Record, ReviewReason};
use crate::domain::reference::TenantId;
use crate::domain::time::Instant;

/// Everything that one decision changes.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Stands in its ledger rows, so that it is recognised when its
    /// acknowledgement was lost.
    pub id: CommitId,
    /// Whose rows it writes.
    pub tenant: TenantId,
    /// The operations it writes; at least one.
    pub writes: Vec<Write>,
    /// Rows it does not write but rests on.
    pub guards: Vec<Guard>,
    /// Attempts that begin or end with it, in order.
    pub attempts: Vec<AttemptWrite>,
    /// What is to be told once it is durable.
    pub outbox: Vec<OutboxMessage>,
    /// What the database must still be; for commits that open an attempt.
    pub footing: Option<Footing>,
}

/// The database that a decision to send rests on. One that was restored, or
/// that another server took over from, is not it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Footing {
    /// Its recovery epoch.
    pub epoch: i64,
    /// A beat that it has reached.
    pub beat: i64,
}

/// One operation as it is to be.
#[derive(Clone, Debug)]
pub struct Write {
    /// The version the row must have; `None` for a row that must not exist.
    pub expected: Option<i64>,
    /// The row as it is to be, version and ledger head included. Its lease is
    /// not read: [`Self::lease`] says what becomes of that.
    pub record: Record,
    /// The lease epoch that must still be the row's.
    pub fence: Option<i64>,
    /// What becomes of the lease.
    pub lease: LeaseWrite,
    /// The ledger row of this change.
    pub ledger: LedgerRow,
    /// Cases that are opened or closed with it, in order.
    pub cases: Vec<CaseWrite>,
}

/// What a commit does to a lease.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LeaseWrite {
    /// Nothing.
    Keep,
    /// Sets all of it. The row's epoch must be one less.
    Take(Lease),
    /// Moves its end. Somebody must hold it; use it with a fence.
    Extend {
        /// The new end.
        until: Instant,
    },
    /// Gives it back if the epoch is still this one; otherwise it belongs to
    /// somebody else and stays theirs.
    Release {
        /// The epoch that was held.
        epoch: i64,
    },
}

/// A row that must still have this version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The row.
    pub operation_id: OperationId,
    /// Its version.
    pub version: i64,
}

/// The beginning or the end of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a commit holds one or two of them, and lives for one transaction"
)]
pub enum AttemptWrite {
    /// It begins.
    Open(Attempt),
    /// It ended. If it had ended before, the first result stays.
    Close {
        /// Which.
        id: AttemptId,
        /// How.
        result: AttemptResult,
        /// When.
        ended_at: Instant,
    },
}

/// The beginning or the end of a case about the written operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CaseWrite {
    /// A person should look.
    Open {
        /// The case.
        case_id: CaseId,
        /// Why.
        reason: ReviewReason,
        /// Since when.
        opened_at: Instant,
    },
    /// The question is answered. If it was before, the first time stays.
    Close {
        /// The case.
        case_id: CaseId,
        /// When.
        closed_at: Instant,
    },
}

/// One message that leaves after the commit, at least once, with this id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutboxMessage {
    /// Its stable id.
    pub id: Uuid,
    /// The operation it is about.
    pub operation_id: OperationId,
    /// The version it tells of.
    pub version: i64,
    /// What it tells, such as `operation.created`.
    pub kind: &'static str,
    /// When it was made.
    pub created_at: Instant,
}

/// What became of a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All of it is durable.
    Applied,
    /// A version, a fence, a guard or a unique index did not hold. Nothing of
    /// it was written; load, and decide again.
    Stale,
    /// The footing did not hold: rows may have been lost. Nothing of it was
    /// written.
    Displaced,
}
