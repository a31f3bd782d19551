//! A model of one order, for a model checker.
//!
//! What decides in it is the service's own code: `domain::decide`,
//! `domain::schedule::plan` and `domain::evolve`. Around them stand plain
//! pictures of what the domain meets:
//!
//! - [`store`]: rows behind the guards of a commit (version, fence, rows it
//!   rests on), which answer "applied" or "stale";
//! - [`worker`]: claims, opens, sends, is paused, dies at any point, comes
//!   back with a late answer;
//! - [`provider`]: a ledger of its own, keys that expire, requests that take
//!   effect late or never, look-ups that lag;
//! - [`caller`]: submits, cancels, gives back, supersedes.
//!
//! Time is a small number of ticks of one microsecond. What no rule reads
//! (when a row was made, how many versions it had) is levelled, so that
//! worlds that differ in nothing else are one. Not in the model: what the
//! database does inside a commit, the network below a request, and how an
//! adapter reads bytes; other tests run those for real.

pub(crate) mod caller;
pub(crate) mod check;
pub(crate) mod machine;
pub(crate) mod promises;
pub(crate) mod provider;
pub(crate) mod setting;
pub(crate) mod settings;
pub(crate) mod store;
pub(crate) mod table;
pub(crate) mod worker;
pub(crate) mod world;
pub(crate) mod wrong;
