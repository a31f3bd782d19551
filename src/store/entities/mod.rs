//! The tables as SeaORM sees them. Private to the store: rows become domain
//! types in `rows` and never leave as they are.
//!
//! The derives make public items that nothing outside can reach.
#![allow(unreachable_pub)]

pub(super) mod attempts;
pub(super) mod cases;
pub(super) mod effects;
pub(super) mod ledger;
pub(super) mod operations;
pub(super) mod outbox;
