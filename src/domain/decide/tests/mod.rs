//! The rules, each test named after what must hold.

mod absence;
mod answers;
mod attempts;
mod create;
mod evidence;
mod instruction;
mod ledger;
mod mismatch;
mod one_payment;
mod properties;
mod recovery;
mod refund;
mod refusals;
mod resend;
mod supersede;
