//! An attempt: one durable intent to contact a provider (P4).

use serde::{Deserialize, Serialize};

use super::ids::{AttemptId, OperationId};
use super::provider_key::ProviderKey;
use super::reference::{ProviderAccount, TenantId};
use super::time::Instant;

/// What an attempt asks the provider to do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Step {
    /// Make the payment.
    Create,
    /// Capture an authorization.
    Capture,
    /// Void an authorization.
    Void,
    /// Refund a payment.
    Refund,
    /// Cancel a payment that can still take money.
    Cancel,
}

impl Step {
    /// Every step.
    pub const ALL: [Step; 5] = [
        Step::Create,
        Step::Capture,
        Step::Void,
        Step::Refund,
        Step::Cancel,
    ];

    /// The name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Step::Create => "CREATE",
            Step::Capture => "CAPTURE",
            Step::Void => "VOID",
            Step::Refund => "REFUND",
            Step::Cancel => "CANCEL",
        }
    }

    /// The step of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.name() == name)
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AttemptResult {
    /// No request byte left.
    NotSent,
    /// It may have been executed.
    Ambiguous,
    /// The provider gave a trustworthy answer.
    Answered,
    /// Its owner lost the lease: it may have been executed, or never sent.
    Lost,
}

impl AttemptResult {
    /// Every result.
    pub const ALL: [Self; 4] = [Self::NotSent, Self::Ambiguous, Self::Answered, Self::Lost];

    /// The name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotSent => "NOT_SENT",
            Self::Ambiguous => "AMBIGUOUS",
            Self::Answered => "ANSWERED",
            Self::Lost => "LOST",
        }
    }

    /// The result of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|result| result.name() == name)
    }
}

/// The exact bytes of a request, without the key (which stands in its own
/// column and goes out as a header). Made from digest fields only, stored
/// before the first send, resent as they were.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct PreparedRequest {
    /// The base address of the account when the first attempt was opened.
    /// A resend goes to the same place.
    pub endpoint: String,
    /// HTTP method.
    pub method: String,
    /// Path below the endpoint.
    pub path: String,
    /// Body bytes.
    pub body: Vec<u8>,
}

/// One row of `attempts`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Attempt {
    /// Its id.
    pub id: AttemptId,
    /// Whose operation.
    pub tenant: TenantId,
    /// Which operation.
    pub operation_id: OperationId,
    /// 1 for the first of an operation.
    pub number: i32,
    /// What it asks for.
    pub step: Step,
    /// The account that is contacted.
    pub account: ProviderAccount,
    /// The key that goes out with it.
    pub key: ProviderKey,
    /// The bytes that go out.
    pub request: PreparedRequest,
    /// The lease epoch under which it was opened.
    pub epoch: i64,
    /// When it became durable.
    pub opened_at: Instant,
    /// The latest instant at which its first byte may be written.
    pub not_after: Instant,
}
