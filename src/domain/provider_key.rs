//! The idempotency key that a provider gets (P2): the service makes it, from
//! the business identity alone, and so makes the same one again after a row
//! was lost. No request field supplies or changes it.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::kind::Kind;
use super::reference::{Label, OrderId, ProviderAccount, Purpose, TenantId};

/// `po` and 32 characters of lower-case base32: 34 characters of ASCII.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProviderKey(String);

/// What names one payment of one order, whatever row holds it.
#[derive(Clone, Copy, Debug)]
pub struct PaymentIdentity<'a> {
    /// `deployment.name`, recorded in the database at first start.
    pub deployment: &'a str,
    /// The account that is charged through.
    pub account: &'a ProviderAccount,
    /// Whose order.
    pub tenant: &'a TenantId,
    /// Which order.
    pub order_id: &'a OrderId,
    /// Why it is paid.
    pub purpose: &'a Purpose,
    /// Which try after a definitive decline, from 1.
    pub generation: i32,
}

impl ProviderKey {
    /// The key of a CHARGE or AUTHORIZE.
    pub fn for_payment(identity: PaymentIdentity<'_>) -> Self {
        Self::over(&identity.fields())
    }

    /// The key of a REFUND or VOID: over the parent's identity, the kind of
    /// step and the label.
    pub fn for_compensation(parent: PaymentIdentity<'_>, step: Kind, label: &Label) -> Self {
        let mut fields = parent.fields();
        fields.push(step.name().to_owned());
        fields.push(label.as_str().to_owned());
        Self::over(&fields)
    }

    /// Takes a stored key as it is.
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// The 34 characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Every field goes in behind its length, so that no two lists of fields
    /// run together to the same bytes.
    fn over(fields: &[String]) -> Self {
        let mut hash = Sha256::new();
        for field in fields {
            hash.update((field.len() as u64).to_be_bytes());
            hash.update(field.as_bytes());
        }
        let text = data_encoding::BASE32_NOPAD.encode(&hash.finalize());
        Self(format!("po{}", text[..32].to_ascii_lowercase()))
    }
}

impl PaymentIdentity<'_> {
    fn fields(&self) -> Vec<String> {
        vec![
            self.deployment.to_owned(),
            self.account.as_str().to_owned(),
            self.tenant.as_str().to_owned(),
            self.order_id.as_str().to_owned(),
            self.purpose.as_str().to_owned(),
            self.generation.to_string(),
        ]
    }
}

impl fmt::Display for ProviderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_identity<T>(
        order: &str,
        purpose: &str,
        generation: i32,
        make: impl FnOnce(PaymentIdentity<'_>) -> T,
    ) -> T {
        make(PaymentIdentity {
            deployment: "default",
            account: &ProviderAccount::parse("simulator").expect("account"),
            tenant: &TenantId::parse("default").expect("tenant"),
            order_id: &OrderId::parse(order).expect("order"),
            purpose: &Purpose::parse(purpose).expect("purpose"),
            generation,
        })
    }

    fn key(order: &str, purpose: &str, generation: i32) -> ProviderKey {
        with_identity(order, purpose, generation, ProviderKey::for_payment)
    }

    fn compensation_key(order: &str, step: Kind, label: &str) -> ProviderKey {
        let label = Label::parse(label).expect("label");
        with_identity(order, "purchase", 1, |parent| {
            ProviderKey::for_compensation(parent, step, &label)
        })
    }

    #[test]
    fn the_key_is_fixed_for_ever() {
        // A change of this value would give every stored operation a second
        // key at its provider. It must never be edited. Computed apart from
        // this code: SHA-256 over (8 bytes of length, big-endian, and the
        // field) for default, simulator, default, 8472, purchase, 1; base32.
        let payment = key("8472", "purchase", 1);
        assert_eq!(payment.as_str(), "pov4xgj4ozxqydsug5gxnll5rpxsepuoj7");
    }

    #[test]
    fn the_key_of_a_compensation_is_fixed_for_ever() {
        // As above, with REFUND and refund-1 behind the six fields.
        let refund = compensation_key("8472", Kind::Refund, "refund-1");
        assert_eq!(refund.as_str(), "posg2m5pgae5pcwayp4quoqfs6bg44flks");
    }

    #[test]
    fn a_payment_its_refund_and_its_void_have_three_keys() {
        let payment = key("8472", "purchase", 1);
        let refund = compensation_key("8472", Kind::Refund, "one");
        let void = compensation_key("8472", Kind::Void, "one");
        let other = compensation_key("8472", Kind::Refund, "two");
        let keys = [payment, refund, void, other];
        for (i, one) in keys.iter().enumerate() {
            assert!(keys[i + 1..].iter().all(|other| other != one));
        }
    }

    #[test]
    fn neighbouring_identities_have_other_keys() {
        let keys = [
            key("8472", "purchase", 1),
            key("8472", "purchase", 2),
            key("8472", "deposit", 1),
            key("8472p", "urchase", 1),
        ];
        for (i, one) in keys.iter().enumerate() {
            assert_eq!(one.as_str().len(), 34);
            assert!(one.as_str().bytes().all(|b| b.is_ascii_alphanumeric()));
            assert!(keys[i + 1..].iter().all(|other| other != one));
        }
    }
}
