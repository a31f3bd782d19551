//! Evidence: what a provider, by whatever road, shows about a payment.
//!
//! Adapters turn answers into evidence; nothing outside `decide` draws a
//! conclusion from it. An answer that an adapter does not positively
//! recognise never becomes evidence (DESIGN "how an answer is classified").

use serde::{Deserialize, Serialize};

use super::ids::ProviderPaymentId;
use super::money::Money;
use super::provider_key::ProviderKey;
use super::reference::ProviderAccount;
use super::time::Instant;

/// The road by which evidence came.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Source {
    /// The answer to an attempt.
    Response,
    /// A question we asked.
    LookUp,
    /// The provider told us.
    Webhook,
    /// A settlement report.
    Settlement,
    /// A person, with a reference to what was seen.
    Operator,
}

/// Why a provider refused, from our own closed list. The provider's own words
/// never come in (P16).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DeclineCategory {
    /// Not enough money.
    InsufficientFunds,
    /// The issuer refused without saying why.
    CardDeclined,
    /// The means of payment has expired.
    ExpiredMethod,
    /// The means of payment is not valid.
    InvalidMethod,
    /// Fraud is suspected.
    FraudSuspected,
    /// A limit of the payer or the account is exceeded.
    LimitExceeded,
    /// The payer failed or refused to authenticate.
    AuthenticationFailed,
    /// The provider does not support this payment.
    NotSupported,
    /// None of the above.
    Other,
}

impl DeclineCategory {
    /// Every category.
    pub const ALL: [Self; 9] = [
        Self::InsufficientFunds,
        Self::CardDeclined,
        Self::ExpiredMethod,
        Self::InvalidMethod,
        Self::FraudSuspected,
        Self::LimitExceeded,
        Self::AuthenticationFailed,
        Self::NotSupported,
        Self::Other,
    ];

    /// The name on the wire and in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::InsufficientFunds => "INSUFFICIENT_FUNDS",
            Self::CardDeclined => "CARD_DECLINED",
            Self::ExpiredMethod => "EXPIRED_METHOD",
            Self::InvalidMethod => "INVALID_METHOD",
            Self::FraudSuspected => "FRAUD_SUSPECTED",
            Self::LimitExceeded => "LIMIT_EXCEEDED",
            Self::AuthenticationFailed => "AUTHENTICATION_FAILED",
            Self::NotSupported => "NOT_SUPPORTED",
            Self::Other => "OTHER",
        }
    }

    /// The category of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|category| category.name() == name)
    }
}

/// A definitive refusal.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Decline {
    /// Our category.
    pub category: DeclineCategory,
    /// The provider's code, only if it stands on the adapter's closed list.
    pub provider_code: Option<String>,
}

/// What the payer must do.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct CustomerAction {
    /// `REDIRECT` or `OTHER`.
    pub kind: CustomerActionKind,
    /// Where to send the payer. For back-end credentials only.
    pub url: Option<String>,
    /// When the step lapses at the provider.
    pub expires_at: Option<Instant>,
}

/// The shape of a customer step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CustomerActionKind {
    /// The payer opens a page.
    Redirect,
    /// Anything else.
    Other,
}

/// What a provider shows of one payment, capture, void or refund.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Shown {
    /// Done as asked: captured, refunded, voided.
    Done,
    /// The money is held.
    Held,
    /// The provider is still at it.
    Processing,
    /// The payer must act.
    ActionRequired(CustomerAction),
    /// Failed, and can no longer take (or give back) money.
    Failed(Decline),
    /// Withdrawn at the provider before anything was applied.
    Withdrawn,
}

/// One payment (or refund) as a provider shows it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Sighting {
    /// The provider's id of it.
    pub id: ProviderPaymentId,
    /// The key it carries, where the provider shows it. A payment is ours
    /// only if its id or its key is ours; an order id alone is not enough.
    pub key: Option<ProviderKey>,
    /// The account it stands in, where the provider shows it.
    pub account: Option<ProviderAccount>,
    /// Where it stands.
    pub shown: Shown,
    /// The amount it is about, in the provider's own number. `None` when it
    /// shows a number or currency that cannot be an amount.
    pub amount: Option<Money>,
    /// Of a captured payment, what the provider has given back so far, in
    /// minor units; 0 where it does not say.
    pub given_back: i64,
    /// When the provider made it, where it says; orders several.
    pub made_at: Option<Instant>,
}

/// What came by one road at one time: all that carries our reference.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Evidence {
    /// The road.
    pub source: Source,
    /// The account that was asked or that answered.
    pub account: ProviderAccount,
    /// Everything that was shown.
    pub sightings: Vec<Sighting>,
    /// The provider refused the request itself in a way that its profile
    /// lists as a refusal of the payment. Only ever in a response.
    pub refused: Option<Decline>,
}

/// What a look-up brought.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LookUp {
    /// The provider showed something.
    Found(Evidence),
    /// The provider answered in full, and has nothing of ours.
    NotFound,
    /// No verdict: it failed, was cut short, or cannot be trusted.
    NoVerdict,
}
