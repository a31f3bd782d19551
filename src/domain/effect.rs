//! An effect: one payment at a provider that belongs to an operation.
//!
//! Sums are held per effect (P10): what is given back, pending and outside
//! returns and chargebacks included, never exceeds what was captured.

use serde::{Deserialize, Serialize};

use super::ids::{EffectId, ProviderPaymentId};
use super::money::Currency;
use super::reference::ProviderAccount;
use super::time::Instant;

/// What an effect is to its operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Role {
    /// The payment that the state and the fulfilment follow: the first
    /// confirmed one.
    Primary,
    /// A further payment for the same operation.
    Duplicate,
    /// A payment that appeared after the operation was declined or canceled.
    Late,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 3] = [Role::Primary, Role::Duplicate, Role::Late];

    /// The name on the wire and in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Role::Primary => "PRIMARY",
            Role::Duplicate => "DUPLICATE",
            Role::Late => "LATE",
        }
    }

    /// The role of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// One payment at a provider. All amounts in minor units of `currency`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Effect {
    /// Its id here.
    pub id: EffectId,
    /// The account it was seen in.
    pub account: ProviderAccount,
    /// Its id there.
    pub provider_payment_id: ProviderPaymentId,
    /// What it is to the operation.
    pub role: Role,
    /// The provider's currency, which is the operation's unless a case says
    /// otherwise.
    pub currency: Currency,
    /// Held and not (yet) captured or let go.
    pub authorized: i64,
    /// Taken.
    pub captured: i64,
    /// Confirmed as given back by our own compensations.
    pub refunded: i64,
    /// Reserved by compensations whose outcome is not known yet.
    pub refund_pending: i64,
    /// Taken back by the payer's bank.
    pub charged_back: i64,
    /// Given back at the provider by somebody else than us.
    pub returned: i64,
    /// When the provider's word for it was first accepted.
    pub confirmed_at: Instant,
}

impl Effect {
    /// What a new compensation may still give back; never negative.
    pub fn left(&self) -> i64 {
        let gone = [
            self.refunded,
            self.refund_pending,
            self.charged_back,
            self.returned,
        ];
        gone.into_iter()
            .fold(self.captured, i64::saturating_sub)
            .max(0)
    }

    /// Money that reached us and has not been given back for certain.
    pub fn stands(&self) -> bool {
        let back = self
            .refunded
            .saturating_add(self.charged_back)
            .saturating_add(self.returned);
        self.authorized > 0 || self.captured > back
    }
}
