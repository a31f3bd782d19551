//! Pure and synchronous: what an operation is and what may become of it.
//!
//! Guarantees:
//! - nothing here does input or output, reads a clock, makes an identifier or
//!   draws a random number: all of that comes in as an argument, so that the
//!   same input always gives the same decision and a model checker can run it;
//! - [`decide::decide`] is the only place that chooses a next state, and
//!   [`evolve::evolve`] the only place that writes one;
//! - what is stored is an enum or a plain record; what comes from outside is
//!   turned into these types once, at the edge, and refused there.

pub mod attempt;
pub mod card_number;
pub mod decide;
pub mod digest;
pub mod effect;
pub mod evidence;
pub mod evolve;
pub mod fact;
pub mod ids;
pub mod kind;
pub mod ledger;
pub mod money;
pub mod operation;
pub mod outcome;
pub mod profile;
pub mod provider_key;
pub mod recovery;
pub mod reference;
pub mod refusal;
pub mod request;
pub mod schedule;
pub mod state;
pub mod time;
