//! Facts: what a decision lays down. A commit of an operation is one ledger
//! row, which holds its facts; replaying them gives the row (P15).

use serde::{Deserialize, Serialize};

use super::attempt::{AttemptResult, Step};
use super::effect::Effect;
use super::evidence::{CustomerAction, Decline, Source};
use super::ids::{AttemptId, CaseId, EffectId, OperationId, ProviderPaymentId};
use super::operation::{Instruction, Intent, ReviewReason};
use super::state::State;
use super::time::Instant;

/// What a look-up came to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// The provider showed something.
    Found,
    /// Nothing of ours, too early to mean anything.
    NotFound,
    /// Nothing of ours, and it counts towards proof of absence.
    Absent,
    /// No verdict.
    None,
}

/// One thing that became so.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
pub enum Fact {
    /// The operation was recorded.
    Created {
        /// What it is.
        intent: Box<Intent>,
    },
    /// It was handed over.
    Submitted,
    /// An attempt became durable; only now may it be sent.
    AttemptOpened {
        /// Which.
        attempt: AttemptId,
        /// 1 for the first.
        number: i32,
        /// What it asks for.
        step: Step,
        /// When its first byte may be written at the latest.
        not_after: Instant,
        /// The same request went out before.
        resend: bool,
    },
    /// An attempt ended.
    AttemptClosed {
        /// Which.
        attempt: AttemptId,
        /// How.
        result: AttemptResult,
    },
    /// The state changed.
    Moved {
        /// To.
        to: State,
    },
    /// The provider was asked.
    LookedUp {
        /// What came of it.
        verdict: Verdict,
    },
    /// Rows may have been lost: what look-ups showed before counts no more.
    RecoveryEntered {
        /// The recovery.
        epoch: i64,
    },
    /// Evidence came.
    EvidenceSeen {
        /// By which road.
        source: Source,
    },
    /// The provider gave a sign that it has the payment.
    SignSeen,
    /// Nothing will be sent again.
    ResendsEnded,
    /// The provider asked to wait.
    RetryNotBefore {
        /// Until.
        at: Instant,
    },
    /// The provider's id became known.
    ProviderPaymentNamed {
        /// The id.
        provider_payment_id: ProviderPaymentId,
    },
    /// A payment at the provider was confirmed as ours.
    EffectRecorded {
        /// The payment.
        effect: Box<Effect>,
    },
    /// Somebody else gave money back at the provider.
    EffectReturned {
        /// Which payment.
        effect: EffectId,
        /// How much in all, in minor units.
        returned: i64,
    },
    /// A compensation reserved what it will give back.
    RefundReserved {
        /// Which payment.
        effect: EffectId,
        /// How much, in minor units.
        amount: i64,
        /// The compensation.
        by: OperationId,
    },
    /// A compensation was refused or proven not applied.
    RefundReleased {
        /// Which payment.
        effect: EffectId,
        /// How much, in minor units.
        amount: i64,
        /// The compensation.
        by: OperationId,
    },
    /// A compensation was confirmed.
    RefundConfirmed {
        /// Which payment.
        effect: EffectId,
        /// How much, in minor units.
        amount: i64,
        /// The compensation.
        by: OperationId,
    },
    /// A confirmed compensation came back.
    RefundReversed {
        /// Which payment.
        effect: EffectId,
        /// How much, in minor units.
        amount: i64,
        /// The compensation.
        by: OperationId,
    },
    /// This compensation came back after it had succeeded.
    Reversed,
    /// The provider refused, and why.
    DeclineExplained {
        /// Why.
        decline: Decline,
    },
    /// The payer must act.
    CustomerActionAsked {
        /// How.
        action: CustomerAction,
    },
    /// A person should look.
    ReviewOpened {
        /// The case.
        case_id: CaseId,
        /// Why.
        reason: ReviewReason,
    },
    /// Settling evidence answered the case.
    ReviewClosed {
        /// The case.
        case_id: CaseId,
    },
    /// A compensation waits for the outcome.
    InstructionAccepted {
        /// Which.
        instruction: Box<Instruction>,
    },
    /// The instruction was carried out, or has nothing to do any more.
    InstructionEnded,
    /// A full compensation was accepted.
    FulfilmentForbidden,
    /// A corrected request replaced this operation.
    SupersededBy {
        /// Which.
        by: OperationId,
    },
    /// When a worker should next look at it.
    CheckScheduled {
        /// `None`: never.
        at: Option<Instant>,
    },
}

/// One ledger row before it is sealed: what happened to one operation in one
/// commit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Entry {
    /// The version that the operation has after it.
    pub version: i64,
    /// When, by the database's clock.
    pub at: Instant,
    /// What was handed to `decide`.
    pub event: &'static str,
    /// What became so, in order.
    pub facts: Vec<Fact>,
}
