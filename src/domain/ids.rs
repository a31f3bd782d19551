//! Each kind of identifier is a type of its own, so that one cannot stand
//! where another belongs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::reference::ProviderAccount;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

uuid_id!(
    /// One business operation. A UUIDv7 (RFC 9562), made by the engine.
    /// Safety never depends on its order, only its uniqueness.
    OperationId
);
uuid_id!(
    /// One durable intent to contact a provider.
    AttemptId
);
uuid_id!(
    /// One payment at a provider that belongs to an operation.
    EffectId
);
impl EffectId {
    /// The id of the payment `payment` in `account` as an effect of
    /// `operation`: a UUIDv8 (RFC 9562) made from these three, so that the
    /// same payment, seen twice, is one effect.
    pub fn of(
        operation: OperationId,
        account: &ProviderAccount,
        payment: &ProviderPaymentId,
    ) -> Self {
        let mut hash = Sha256::new();
        hash.update(operation.0.as_bytes());
        hash.update([account.as_str().len() as u8]);
        hash.update(account.as_str().as_bytes());
        hash.update(payment.as_str().as_bytes());
        let digest = hash.finalize();
        let mut bytes = [0_u8; 16];
        bytes.copy_from_slice(&digest[..16]);
        bytes[6] = (bytes[6] & 0x0f) | 0x80;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        Self(Uuid::from_bytes(bytes))
    }
}

uuid_id!(
    /// One question for a person.
    CaseId
);
uuid_id!(
    /// One commit. It stands in the ledger row, so that a commit whose
    /// acknowledgement was lost can be recognised.
    CommitId
);

/// A payment's own id at its provider (`pay_…`, `pi_…`), taken as it is:
/// 1 to 255 bytes of printable ASCII, checked by the adapter that reads it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProviderPaymentId(String);

impl ProviderPaymentId {
    /// Longest id that is taken from a provider, in bytes.
    pub const MAX_BYTES: usize = 255;

    /// `None` when the text cannot be a provider's id: empty, too long, or
    /// holding anything but printable ASCII without spaces.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = !text.is_empty() && text.len() <= Self::MAX_BYTES;
        (fits && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Self(text.to_owned()))
    }

    /// The id as the provider wrote it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProviderPaymentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_id_is_printable_ascii_within_its_bound() {
        assert!(ProviderPaymentId::parse("pay_1").is_some());
        for bad in ["", "pay 1", "pay\n1", "pay_é", &"x".repeat(256)] {
            assert!(ProviderPaymentId::parse(bad).is_none(), "{bad:?}");
        }
    }
}
