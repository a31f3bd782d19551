//! Rows become domain types here, and domain types rows.
//!
//! Guarantee: a row that the domain does not allow is an error which names
//! the table and the row; nothing is guessed or left out.

mod attempt;
mod effect;
mod intent;
mod ledger;
mod operation;

use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use crate::domain::money::Currency;

pub(super) use attempt::{attempt_from, attempt_row};
pub(super) use effect::{effect_from, effect_row};
pub(super) use ledger::{ledger_from, ledger_row};
pub(super) use operation::{inserted, operation_from, updated};

/// Reads the fields of one row.
struct Reader {
    table: &'static str,
    id: String,
}

impl Reader {
    fn new(table: &'static str, id: impl Display) -> Self {
        Self {
            table,
            id: id.to_string(),
        }
    }

    fn corrupt(&self, what: impl Into<String>) -> StoreError {
        StoreError::Corrupt {
            table: self.table,
            id: self.id.clone(),
            what: what.into(),
        }
    }

    /// A value that was read from `column`, if it could be.
    fn take<T>(&self, column: &str, value: Option<T>) -> Result<T, StoreError> {
        value.ok_or_else(|| self.corrupt(format!("{column} holds a value that is not allowed")))
    }

    /// A nullable text, read by `parse`.
    fn option<T>(
        &self,
        column: &str,
        text: Option<String>,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, StoreError> {
        text.map(|text| self.take(column, parse(&text))).transpose()
    }

    fn currency(&self, code: &str) -> Result<Currency, StoreError> {
        self.take("currency", Currency::parse(code))
    }

    fn json<T: DeserializeOwned>(&self, column: &str, text: &str) -> Result<T, StoreError> {
        serde_json::from_str(text).map_err(|error| self.corrupt(format!("{column}: {error}")))
    }

    fn hash(&self, column: &str, bytes: &[u8]) -> Result<[u8; 32], StoreError> {
        self.take(column, bytes.try_into().ok())
    }
}

/// Plain data as JSON text.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data with text keys has a JSON form")
}
