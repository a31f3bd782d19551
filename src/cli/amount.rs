//! Amounts on the command line: a decimal that fits the currency exactly, or
//! with `--minor` a whole number of minor units.

use super::Failure;
use crate::domain::money::{Currency, MAX_MINOR_UNITS, Money};
use crate::proto::v1;

/// Reads an amount. Nothing is rounded: what does not fit is refused.
pub(super) fn parse(amount: &str, currency: &str, minor: bool) -> Result<v1::Money, Failure> {
    let currency = Currency::parse(currency).ok_or_else(|| {
        Failure::argument(
            "CURRENCY",
            "must be an ISO 4217 code with a minor unit, such as USD",
        )
    })?;
    let money = if minor {
        Money::new(currency, minor_units(amount)?)
    } else {
        Money::parse_decimal(currency, amount)
            .map_err(|broken| Failure::argument("AMOUNT", broken))?
    };
    Ok(v1::Money {
        currency_code: money.currency.code().to_owned(),
        minor_units: money.minor_units,
    })
}

fn minor_units(text: &str) -> Result<i64, Failure> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let units: Option<i64> = digits.then(|| text.parse().ok()).flatten();
    units
        .filter(|units| (1..=MAX_MINOR_UNITS).contains(units))
        .ok_or_else(|| {
            Failure::argument(
                "AMOUNT",
                "must be a whole number of minor units from 1 to 999999999999999",
            )
        })
}

/// An amount as people read it, `49.00 USD`.
pub(super) fn show(money: &v1::Money) -> String {
    match Currency::parse(&money.currency_code) {
        Some(currency) => Money::new(currency, money.minor_units).to_string(),
        None => format!("{} minor units {}", money.minor_units, money.currency_code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(amount: &str, currency: &str, minor: bool) -> Result<i64, String> {
        let money = parse(amount, currency, minor);
        money
            .map(|money| money.minor_units)
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn amounts_fit_their_currency_exactly() {
        assert_eq!(read("49.00", "usd", false), Ok(4900));
        assert_eq!(read("49", "USD", false), Ok(4900));
        assert_eq!(read("100", "JPY", false), Ok(100));
        assert_eq!(read("18.600", "KWD", false), Ok(18_600));
        assert_eq!(read("4900", "USD", true), Ok(4900));
    }

    #[test]
    fn what_does_not_fit_names_field_and_rule() {
        for (amount, currency, minor, message) in [
            (
                "49.001",
                "USD",
                false,
                "AMOUNT: must not have more than 2 decimals",
            ),
            (
                "1.5",
                "JPY",
                false,
                "AMOUNT: must not have more than 0 decimals",
            ),
            ("-1", "USD", false, "AMOUNT: must be digits"),
            ("1e3", "USD", false, "AMOUNT: must be digits"),
            ("49,00", "USD", false, "AMOUNT: must be digits"),
            ("0", "USD", false, "AMOUNT: must be from 1 to"),
            ("49.00", "USD", true, "AMOUNT: must be a whole number"),
            ("+1", "USD", true, "AMOUNT: must be a whole number"),
            (
                "1000000000000000",
                "USD",
                true,
                "AMOUNT: must be a whole number",
            ),
            ("1", "XXX", false, "CURRENCY: must be an ISO 4217 code"),
            ("1", "dollars", false, "CURRENCY: must be an ISO 4217 code"),
        ] {
            let error = read(amount, currency, minor).expect_err(amount);
            assert!(error.starts_with(message), "{amount} {currency}: {error}");
        }
    }

    #[test]
    fn amounts_are_shown_with_their_decimals() {
        let money = |code: &str| v1::Money {
            currency_code: code.to_owned(),
            minor_units: 4900,
        };
        assert_eq!(show(&money("USD")), "49.00 USD");
        assert_eq!(show(&money("JPY")), "4900 JPY");
        assert_eq!(show(&money("QQQ")), "4900 minor units QQQ");
    }
}
