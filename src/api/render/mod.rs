//! From the domain to the wire.
//!
//! Guarantees: every enum of the domain has its value on the wire, named one
//! by one; every text is one of ours or was checked on entry (P16); nothing is
//! computed here that callers act on.

mod ledger;
mod message;
mod named;
mod operation;
mod parts;

pub(super) use ledger::ledger;
pub(super) use operation::operation;

#[cfg(test)]
mod tests;
