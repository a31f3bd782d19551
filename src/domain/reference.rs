//! The names callers give: order ids, purposes, labels and their like.
//!
//! All obey one rule, 1 to 64 characters of `[A-Za-z0-9._:/#@+=~-]`. They are
//! compared as bytes; no two spellings are ever taken for the same name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Longest reference, in characters (which are bytes: the set is ASCII).
pub const MAX_CHARS: usize = 64;

/// The rule as it is told to callers.
pub const RULE: &str = "must be 1 to 64 characters of A-Z a-z 0-9 . _ : / # @ + = ~ -";

/// The text does not keep [`RULE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{RULE}")]
pub struct NotAReference;

fn keeps_rule(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/#@+=~-".contains(&byte);
    (1..=MAX_CHARS).contains(&text.len()) && text.bytes().all(allowed)
}

macro_rules! reference {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Checks the text against [`RULE`].
            pub fn parse(text: &str) -> Result<Self, NotAReference> {
                keeps_rule(text).then(|| Self(text.to_owned())).ok_or(NotAReference)
            }

            /// The name, byte for byte as the caller gave it.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = NotAReference;

            fn try_from(text: String) -> Result<Self, NotAReference> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

reference!(
    /// Whose operation it is. Comes from the verified credential only (P13).
    TenantId
);
reference!(
    /// The merchant's own id of the order that is paid.
    OrderId
);
reference!(
    /// Why the order is paid (`purchase`, `deposit`…), from the tenant's list.
    Purpose
);
reference!(
    /// The merchant's name for one compensation of one operation.
    Label
);
reference!(
    /// The merchant's own id of the payer.
    CustomerRef
);
reference!(
    /// Who is paid.
    Payee
);
reference!(
    /// The agent principal that may submit and read an operation.
    AgentRef
);
reference!(
    /// The configured name of one account at one provider.
    ProviderAccount
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_kept_at_its_edges() {
        for good in ["a", "order/8472#1", "A.b_c:d@e+f=g~h-i", &"x".repeat(64)] {
            assert_eq!(OrderId::parse(good).map(String::from).as_deref(), Ok(good));
        }
        for bad in [
            "",
            " ",
            "a b",
            "a\0",
            "é",
            "a\u{200b}",
            "a%",
            &"x".repeat(65),
        ] {
            assert_eq!(OrderId::parse(bad), Err(NotAReference), "{bad:?}");
        }
    }

    #[test]
    fn a_stored_name_is_checked_again() {
        assert!(serde_json::from_str::<OrderId>("\"a b\"").is_err());
    }
}
