//! The operation: one durable row for one business intention.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::digest::Fingerprint;
use super::effect::{Effect, Role};
use super::evidence::{CustomerAction, Decline};
use super::ids::{AttemptId, CaseId, OperationId, ProviderPaymentId};
use super::kind::Kind;
use super::money::Money;
use super::provider_key::{PaymentIdentity, ProviderKey};
use super::reference::{
    AgentRef, CustomerRef, Label, OrderId, Payee, ProviderAccount, Purpose, TenantId,
};
use super::request::{CompensationReason, PaymentMethod};
use super::state::State;
use super::time::Instant;

/// What never changes after the operation was recorded.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Intent {
    /// Whose it is.
    pub tenant: TenantId,
    /// What it does.
    pub kind: Kind,
    /// The order it is about.
    pub order_id: OrderId,
    /// Why the order is paid.
    pub purpose: Purpose,
    /// 1, or one more than the operation it supersedes.
    pub generation: i32,
    /// The payment that a capture, refund or void is about.
    pub parent: Option<OperationId>,
    /// The merchant's name for a compensation.
    pub label: Option<Label>,
    /// Why a compensation is made.
    pub reason: Option<CompensationReason>,
    /// The payment at the provider that a compensation gives back.
    pub target: Option<ProviderPaymentId>,
    /// The operation that this one replaces.
    pub supersedes: Option<OperationId>,
    /// How much.
    pub amount: Money,
    /// The provider's token for the payer's means of payment.
    pub payment_method: Option<PaymentMethod>,
    /// Who is paid.
    pub payee: Option<Payee>,
    /// Who pays.
    pub customer_ref: Option<CustomerRef>,
    /// The principal that may submit and read it.
    pub agent: Option<AgentRef>,
    /// Free text for people.
    pub description: Option<String>,
    /// Free pairs for people.
    pub labels: BTreeMap<String, String>,
    /// What was asked, for comparison with repeats.
    pub fingerprint: Fingerprint,
    /// The account it goes through.
    pub provider: ProviderAccount,
    /// The key that the provider gets, for ever.
    pub provider_key: ProviderKey,
    /// No other payment of the order may be unresolved beside it.
    pub exclusive: bool,
}

/// An attempt whose end is not known yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct OpenAttempt {
    /// Which.
    pub id: AttemptId,
    /// When it became durable.
    pub opened_at: Instant,
    /// When its first byte may be written at the latest.
    pub not_after: Instant,
}

/// How far sending and looking have come.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Attempts opened so far.
    pub attempts: i32,
    /// Of these, resends.
    pub resends: i32,
    /// Attempts that ended otherwise than NotSent.
    pub left: i32,
    /// The attempt whose end is not known yet.
    pub open: Option<OpenAttempt>,
    /// When the first attempt that may have left was opened.
    pub first_sent_at: Option<Instant>,
    /// When a byte of the last such attempt was written at the latest.
    pub last_not_after: Option<Instant>,
    /// The provider has shown a sign of the payment (P8).
    pub sign_seen: bool,
    /// Nothing is to be sent again (a stored failure was replayed).
    pub resends_ended: bool,
    /// Not before this instant may anything be sent (Retry-After).
    pub retry_not_before: Option<Instant>,
    /// Look-ups since the operation was last sent.
    pub look_ups: i32,
    /// "Not found" answers that count, V apart, since it was last sent.
    pub absences: i32,
    /// When the last of them came.
    pub last_absence_at: Option<Instant>,
    /// When "not found" last came, whether it counts or not.
    pub last_not_found_at: Option<Instant>,
    /// The recovery that the look-ups counted here belong to; 0 for none.
    pub recovery_epoch: i64,
}

impl Progress {
    /// A byte of this operation may have reached the provider.
    pub fn may_have_left(&self) -> bool {
        self.left > 0 || self.open.is_some()
    }
}

/// Why a person should look.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewReason {
    /// Unresolved for longer than the observation window.
    ObservationWindowOver,
    /// The provider shows another amount.
    AmountMismatch,
    /// The provider shows another currency.
    CurrencyMismatch,
    /// The payment stands in another account.
    AccountMismatch,
    /// Evidence contradicts what was settled.
    Contradiction,
    /// More than one payment for one operation.
    DuplicateEffect,
    /// The provider refused a refund.
    RefundDeclined,
    /// A refund came back after it had succeeded.
    RefundReversed,
    /// A payment names the order but carries neither our id nor our key.
    ReferenceOnlyMatch,
    /// The instruction asks to give back more than was captured.
    InstructionExceedsEffect,
    /// The customer step lapsed and nothing proves what happened.
    CustomerActionExpired,
}

impl ReviewReason {
    /// Every reason.
    pub const ALL: [Self; 11] = [
        Self::ObservationWindowOver,
        Self::AmountMismatch,
        Self::CurrencyMismatch,
        Self::AccountMismatch,
        Self::Contradiction,
        Self::DuplicateEffect,
        Self::RefundDeclined,
        Self::RefundReversed,
        Self::ReferenceOnlyMatch,
        Self::InstructionExceedsEffect,
        Self::CustomerActionExpired,
    ];

    /// The name on the wire and in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::ObservationWindowOver => "OBSERVATION_WINDOW_OVER",
            Self::AmountMismatch => "AMOUNT_MISMATCH",
            Self::CurrencyMismatch => "CURRENCY_MISMATCH",
            Self::AccountMismatch => "ACCOUNT_MISMATCH",
            Self::Contradiction => "CONTRADICTION",
            Self::DuplicateEffect => "DUPLICATE_EFFECT",
            Self::RefundDeclined => "REFUND_DECLINED",
            Self::RefundReversed => "REFUND_REVERSED",
            Self::ReferenceOnlyMatch => "REFERENCE_ONLY_MATCH",
            Self::InstructionExceedsEffect => "INSTRUCTION_EXCEEDS_EFFECT",
            Self::CustomerActionExpired => "CUSTOMER_ACTION_EXPIRED",
        }
    }

    /// The reason of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// Something does not fit what we believe: fulfilment is forbidden until
    /// a person has looked, and settling evidence does not close the case.
    pub fn is_disagreement(self) -> bool {
        match self {
            Self::AmountMismatch
            | Self::CurrencyMismatch
            | Self::AccountMismatch
            | Self::Contradiction
            | Self::DuplicateEffect
            | Self::RefundReversed
            | Self::ReferenceOnlyMatch
            | Self::InstructionExceedsEffect => true,
            Self::ObservationWindowOver | Self::RefundDeclined | Self::CustomerActionExpired => {
                false
            }
        }
    }
}

/// An open case, as the operation carries it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Review {
    /// The case.
    pub case_id: CaseId,
    /// Why it was opened.
    pub reason: ReviewReason,
    /// When.
    pub opened_at: Instant,
}

/// `Compensate` with `when_resolved`: what to do once the outcome is known.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Instruction {
    /// The label the compensation will have.
    pub label: Label,
    /// Why.
    pub reason: CompensationReason,
    /// How much; absent means all that is captured.
    pub amount: Option<Money>,
    /// What was asked, for comparison with repeats.
    pub fingerprint: Fingerprint,
    /// When it was accepted.
    pub accepted_at: Instant,
}

/// Who works on the row, and until when. Written by claims and by opening
/// attempts; not part of the ledger.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Lease {
    /// Rises with every claim; writes of an older epoch are refused.
    pub epoch: i64,
    /// The replica.
    pub owner: Option<String>,
    /// Until when, by the database's clock.
    pub until: Option<Instant>,
}

/// One business operation. Everything but `lease` is what its ledger replays
/// to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    /// Its id.
    pub id: OperationId,
    /// 1 when recorded; one more with every commit.
    pub version: i64,
    /// What never changes.
    pub intent: Intent,
    /// Where it is in the lifecycle.
    pub state: State,
    /// How far sending and looking have come.
    pub progress: Progress,
    /// The provider's id of the payment, or of the refund.
    pub provider_payment_id: Option<ProviderPaymentId>,
    /// Why it was declined.
    pub decline: Option<Decline>,
    /// What the payer must do.
    pub customer_action: Option<CustomerAction>,
    /// The open case.
    pub review: Option<Review>,
    /// What to do once the outcome is known.
    pub instruction: Option<Instruction>,
    /// A full compensation was accepted; only a person lifts this.
    pub fulfilment_forbidden: bool,
    /// The operation that replaced this one.
    pub superseded_by: Option<OperationId>,
    /// When a worker should next look at it; `None`: never.
    pub next_check_at: Option<Instant>,
    /// When it was recorded.
    pub created_at: Instant,
    /// When it was handed over.
    pub submitted_at: Option<Instant>,
    /// Since when it is UNKNOWN, PENDING or waiting for the payer.
    pub unresolved_since: Option<Instant>,
    /// When its result was learned.
    pub settled_at: Option<Instant>,
    /// When a refund that had succeeded came back.
    pub reversed_at: Option<Instant>,
    /// Time of the newest evidence.
    pub as_of: Instant,
    /// Hash of its newest ledger row.
    pub ledger_head: [u8; 32],
    /// Who works on it.
    pub lease: Lease,
}

impl Operation {
    /// The identity that provider keys derive from.
    pub fn identity<'a>(&'a self, deployment: &'a str) -> PaymentIdentity<'a> {
        PaymentIdentity {
            deployment,
            account: &self.intent.provider,
            tenant: &self.intent.tenant,
            order_id: &self.intent.order_id,
            purpose: &self.intent.purpose,
            generation: self.intent.generation,
        }
    }

    /// A case is open because something does not fit.
    pub fn is_disputed(&self) -> bool {
        self.review
            .as_ref()
            .is_some_and(|review| review.reason.is_disagreement())
    }
}

/// An operation and the payments at providers that belong to it: all that its
/// ledger replays to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Record {
    /// The operation.
    pub operation: Operation,
    /// Its effects; empty for captures, refunds and voids, whose effect is
    /// their parent's.
    pub effects: Vec<Effect>,
}

impl Record {
    /// The payment that state and fulfilment follow.
    pub fn primary(&self) -> Option<&Effect> {
        self.effects
            .iter()
            .find(|effect| effect.role == Role::Primary)
    }

    /// The effect with that provider id, or the primary one.
    pub fn effect(&self, named: Option<&ProviderPaymentId>) -> Option<&Effect> {
        match named {
            Some(id) => self
                .effects
                .iter()
                .find(|effect| &effect.provider_payment_id == id),
            None => self.primary(),
        }
    }

    /// As far as other payments of its order are concerned (P1, P9): in the
    /// middle of things, disputed, or declined or canceled with money that
    /// has not been given back.
    pub fn blocks_its_order(&self) -> bool {
        self.operation.state.is_unresolved()
            || self.operation.is_disputed()
            || self.money_stands_after_all()
    }

    /// Declined or canceled, and yet money was taken that has not been given
    /// back (P9): a person must see to it.
    pub fn money_stands_after_all(&self) -> bool {
        let closed = matches!(self.operation.state, State::Declined | State::Canceled);
        closed && self.effects.iter().any(Effect::stands)
    }
}
