//! Amounts.

use crate::domain::money::{Currency, MAX_MINOR_UNITS, Money};
use crate::proto::v1;

use super::Faults;
use super::field::REQUIRED;

const CURRENCY_RULE: &str = "must be an ISO 4217 code of a currency that has a minor unit";
const UNITS_RULE: &str = "must be 1 to 999999999999999";

impl Faults {
    /// An amount that must be there.
    pub(super) fn amount(&mut self, amount: Option<v1::Money>) -> Option<Money> {
        if amount.is_none() {
            self.add("amount", REQUIRED);
        }
        self.optional_amount(amount)
    }

    /// An amount that may be absent.
    pub(super) fn optional_amount(&mut self, amount: Option<v1::Money>) -> Option<Money> {
        let amount = amount?;
        let currency = if self.free_of_cards("amount.currency_code", &amount.currency_code) {
            let read = Currency::parse(&amount.currency_code);
            if read.is_none() {
                self.add("amount.currency_code", CURRENCY_RULE);
            }
            read
        } else {
            None
        };
        if !(1..=MAX_MINOR_UNITS).contains(&amount.minor_units) {
            self.add("amount.minor_units", UNITS_RULE);
            return None;
        }
        Some(Money::new(currency?, amount.minor_units))
    }
}
