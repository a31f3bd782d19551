//! What callers ask for, after the edge has checked every field.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::ids::{OperationId, ProviderPaymentId};
use super::kind::Kind;
use super::money::Money;
use super::reference::{AgentRef, CustomerRef, Label, OrderId, Payee, ProviderAccount, Purpose};

/// A provider's token for the payer's means of payment. Never a card number:
/// the edge refuses those. 1 to 255 bytes of printable ASCII.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PaymentMethod(String);

impl PaymentMethod {
    /// The rule as it is told to callers.
    pub const RULE: &'static str = "must be 1 to 255 printable ASCII characters without spaces";

    /// `None` when the text does not keep [`Self::RULE`].
    pub fn parse(text: &str) -> Option<Self> {
        let fits = (1..=255).contains(&text.len());
        (fits && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Self(text.to_owned()))
    }

    /// The token as the caller gave it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The fields of `CreateOperation`. Optional fields are as they were sent,
/// before any default: the digest covers what the caller said.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CreateRequest {
    /// The merchant's order.
    pub order_id: OrderId,
    /// Why it is paid; absent means the first of the tenant's list.
    pub purpose: Option<Purpose>,
    /// What is to be done.
    pub kind: Kind,
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
    /// The provider account; absent means the tenant's default.
    pub provider: Option<ProviderAccount>,
    /// For a CAPTURE, its authorization.
    pub parent: Option<OperationId>,
    /// The declined or canceled operation that this one replaces.
    pub supersedes: Option<OperationId>,
    /// Free text for people. Not in the digest.
    pub description: Option<String>,
    /// Free pairs for people. Not in the digest.
    pub labels: BTreeMap<String, String>,
}

/// Why something is given back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CompensationReason {
    /// The payer asked for it.
    RequestedByCustomer,
    /// The payment was made twice.
    Duplicate,
    /// The payment was fraudulent.
    Fraudulent,
    /// The order was canceled.
    OrderCanceled,
    /// What was paid for could not be delivered.
    ServiceNotDelivered,
    /// Something else.
    Other,
}

impl CompensationReason {
    /// Every reason.
    pub const ALL: [Self; 6] = [
        Self::RequestedByCustomer,
        Self::Duplicate,
        Self::Fraudulent,
        Self::OrderCanceled,
        Self::ServiceNotDelivered,
        Self::Other,
    ];

    /// The name on the wire and in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::RequestedByCustomer => "REQUESTED_BY_CUSTOMER",
            Self::Duplicate => "DUPLICATE",
            Self::Fraudulent => "FRAUDULENT",
            Self::OrderCanceled => "ORDER_CANCELED",
            Self::ServiceNotDelivered => "SERVICE_NOT_DELIVERED",
            Self::Other => "OTHER",
        }
    }

    /// The reason of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

impl fmt::Display for CompensationReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The fields of `Compensate`. Its identity is the parent and the label.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CompensateRequest {
    /// The operation whose effect is given back.
    pub operation_id: OperationId,
    /// The merchant's name for this compensation.
    pub label: Label,
    /// Why. Not in the digest.
    pub reason: CompensationReason,
    /// How much; absent means all that is left when it is accepted.
    pub amount: Option<Money>,
    /// Which payment, when it is not the primary one.
    pub provider_payment_id: Option<ProviderPaymentId>,
    /// Accept it now for an operation whose outcome is not known yet.
    pub when_resolved: bool,
}
