//! What an operation does to money.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What an operation does to money.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Kind {
    /// Takes the amount in one step.
    Charge,
    /// Holds the amount, to be captured or voided later.
    Authorize,
    /// Takes (part of) what an authorization holds.
    Capture,
    /// Gives captured money back.
    Refund,
    /// Lets go of what an authorization holds.
    Void,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 5] = [
        Kind::Charge,
        Kind::Authorize,
        Kind::Capture,
        Kind::Refund,
        Kind::Void,
    ];

    /// Makes a payment of its own at the provider, and so owns effects.
    pub fn is_payment(self) -> bool {
        match self {
            Kind::Charge | Kind::Authorize => true,
            Kind::Capture | Kind::Refund | Kind::Void => false,
        }
    }

    /// Gives something back; made by `Compensate` only.
    pub fn is_compensation(self) -> bool {
        match self {
            Kind::Refund | Kind::Void => true,
            Kind::Charge | Kind::Authorize | Kind::Capture => false,
        }
    }

    /// The name on the wire, in the tables and in the digest.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Charge => "CHARGE",
            Kind::Authorize => "AUTHORIZE",
            Kind::Capture => "CAPTURE",
            Kind::Refund => "REFUND",
            Kind::Void => "VOID",
        }
    }

    /// The kind of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
