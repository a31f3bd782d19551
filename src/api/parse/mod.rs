//! Requests from the wire to the domain, one file a request.
//!
//! Guarantees: what comes out keeps every rule of the contract; what does not
//! is refused with all its faults at once, each by the field's wire path and
//! the rule, never by the value; and no text field carries a card number on
//! into the service (P16).

mod compensate;
mod create;
mod field;
mod get_history;
mod get_status;
mod list;
mod money;
mod named;
mod submit;
mod text;
mod time;
mod watch;

use std::borrow::Cow;

pub(super) use compensate::{Compensation, compensate};
pub(super) use create::{Creation, create};
pub(super) use get_history::history;
pub(super) use get_status::{Asked, Target, get_status};
pub(super) use list::{Listing, list};
pub(super) use submit::{Submission, submit};
pub(super) use watch::{Watching, watch};

/// One field and the rule it breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Violation {
    /// The field's path on the wire, such as `amount.minor_units`.
    pub(super) field: &'static str,
    /// The rule as it is told to callers.
    pub(super) rule: Cow<'static, str>,
}

/// Everything that is wrong with a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Malformed {
    /// In the order of the contract's fields; at least one.
    pub(super) violations: Vec<Violation>,
    /// One of the fields holds a card number.
    pub(super) card_number: bool,
}

/// Collects the faults of one request.
#[derive(Default)]
struct Faults {
    violations: Vec<Violation>,
    card_number: bool,
}

impl Faults {
    fn add(&mut self, field: &'static str, rule: impl Into<Cow<'static, str>>) {
        let violation = Violation {
            field,
            rule: rule.into(),
        };
        if !self.violations.contains(&violation) {
            self.violations.push(violation);
        }
    }

    /// What was read, if nothing was wrong. Each part that is `None` has left
    /// a fault behind.
    fn finish<T>(self, read: Option<T>) -> Result<T, Malformed> {
        match read {
            Some(read) if self.violations.is_empty() => Ok(read),
            Some(_) | None => Err(Malformed {
                violations: self.violations,
                card_number: self.card_number,
            }),
        }
    }
}

#[cfg(test)]
mod tests;
