//! Money: an ISO 4217 currency and a whole number of its minor units.
//!
//! Arithmetic is checked: a sum that does not fit is an error, never a wrap.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Largest amount of one operation, in minor units.
pub const MAX_MINOR_UNITS: i64 = 999_999_999_999_999;

/// An ISO 4217 code that has an exponent (`XXX`, `XAU` and their like have
/// none and are refused). Always upper case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Currency([u8; 3]);

impl Currency {
    /// Reads a code in any case; `None` for a code that ISO 4217 does not
    /// list or that has no minor unit.
    pub fn parse(code: &str) -> Option<Self> {
        let bytes: [u8; 3] = code.as_bytes().try_into().ok()?;
        let upper = bytes.map(|byte| byte.to_ascii_uppercase());
        let text = std::str::from_utf8(&upper).ok()?;
        iso_currency::Currency::from_code(text)?.exponent()?;
        Some(Self(upper))
    }

    /// The upper-case code.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).expect("three ASCII letters, checked by parse")
    }

    /// How many decimals the minor unit has (JPY 0, USD 2, KWD 3).
    pub fn exponent(&self) -> u32 {
        iso_currency::Currency::from_code(self.code())
            .and_then(|currency| currency.exponent())
            .map_or(0, u32::from)
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Currency {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&code).ok_or_else(|| serde::de::Error::custom("not an ISO 4217 currency"))
    }
}

/// A number of minor units of one currency: 4900 of USD is 49.00 USD.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Money {
    /// The currency.
    pub currency: Currency,
    /// Whole minor units. Never negative in a stored operation.
    pub minor_units: i64,
}

/// Why a decimal text is no amount of a currency.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotAnAmount {
    /// Not digits with at most one decimal point.
    #[error("must be digits with at most one decimal point, such as 49.00")]
    Malformed,
    /// More decimals than the currency has.
    #[error("must not have more than {0} decimals in this currency")]
    TooManyDecimals(u32),
    /// Outside 1 to [`MAX_MINOR_UNITS`].
    #[error("must be from 1 to 999999999999999 minor units")]
    OutOfRange,
}

impl Money {
    /// An amount.
    pub fn new(currency: Currency, minor_units: i64) -> Self {
        Self {
            currency,
            minor_units,
        }
    }

    /// Reads `49.00`, `49` or `1234.5` as an exact amount of `currency`.
    pub fn parse_decimal(currency: Currency, text: &str) -> Result<Self, NotAnAmount> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let dangling = text.contains('.') && decimals.is_empty();
        if whole.is_empty() || dangling || !digits(whole) || !digits(decimals) {
            return Err(NotAnAmount::Malformed);
        }
        let exponent = currency.exponent();
        if decimals.len() > exponent as usize {
            return Err(NotAnAmount::TooManyDecimals(exponent));
        }
        let padded = format!("{whole}{decimals:0<width$}", width = exponent as usize);
        let minor_units: i64 = padded.parse().map_err(|_| NotAnAmount::OutOfRange)?;
        if !(1..=MAX_MINOR_UNITS).contains(&minor_units) {
            return Err(NotAnAmount::OutOfRange);
        }
        Ok(Self::new(currency, minor_units))
    }
}

impl fmt::Display for Money {
    /// `49.00 USD`, with exactly the currency's decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exponent = self.currency.exponent();
        let unit = 10_u64.pow(exponent);
        let sign = if self.minor_units < 0 { "-" } else { "" };
        let units = self.minor_units.unsigned_abs();
        let (whole, rest) = (units / unit, units % unit);
        match exponent {
            0 => write!(f, "{sign}{whole} {}", self.currency),
            _ => write!(
                f,
                "{sign}{whole}.{rest:0width$} {}",
                self.currency,
                width = exponent as usize
            ),
        }
    }
}

/// The sum of minor units, or `None` when it does not fit an `i64`.
pub fn checked_sum(amounts: impl IntoIterator<Item = i64>) -> Option<i64> {
    amounts.into_iter().try_fold(0_i64, i64::checked_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn currency(code: &str) -> Currency {
        Currency::parse(code).expect(code)
    }

    #[test]
    fn currencies_are_listed_codes_with_an_exponent_in_any_case() {
        assert_eq!(currency("usd"), currency("USD"));
        for (code, exponent) in [("JPY", 0), ("USD", 2), ("KWD", 3), ("CLF", 4)] {
            assert_eq!(currency(code).exponent(), exponent, "{code}");
        }
        for bad in ["", "US", "USDX", "XXX", "XAU", "ZZZ", "US\0", "ÜSD", "uß"] {
            assert_eq!(Currency::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn decimals_become_exact_minor_units() {
        for (text, code, units) in [
            ("49.00", "USD", 4900),
            ("49", "USD", 4900),
            ("49.5", "USD", 4950),
            ("100", "JPY", 100),
            ("18.600", "KWD", 18_600),
            ("0.01", "EUR", 1),
            ("4999000000", "VND", 4_999_000_000),
        ] {
            let money = Money::parse_decimal(currency(code), text).expect(text);
            assert_eq!(money.minor_units, units, "{text} {code}");
        }
        use NotAnAmount::*;
        for (text, code, error) in [
            ("", "USD", Malformed),
            (".5", "USD", Malformed),
            ("5.", "USD", Malformed),
            ("-1", "USD", Malformed),
            ("1e3", "USD", Malformed),
            ("1.2.3", "USD", Malformed),
            ("1.5", "JPY", TooManyDecimals(0)),
            ("1.005", "USD", TooManyDecimals(2)),
            ("0", "USD", OutOfRange),
            ("10000000000000", "USD", OutOfRange),
            ("99999999999999999999", "JPY", OutOfRange),
        ] {
            assert_eq!(
                Money::parse_decimal(currency(code), text),
                Err(error),
                "{text}"
            );
        }
    }

    #[test]
    fn sums_that_do_not_fit_are_refused() {
        assert_eq!(checked_sum([i64::MAX, 1]), None);
        assert_eq!(checked_sum([1, 2, 3]), Some(6));
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(units in 1..=MAX_MINOR_UNITS, code in "USD|JPY|KWD|CLF") {
            let money = Money::new(currency(&code), units);
            let shown = money.to_string();
            let (decimal, _) = shown.split_once(' ').expect("amount and code");
            prop_assert_eq!(Money::parse_decimal(money.currency, decimal), Ok(money));
        }
    }
}
