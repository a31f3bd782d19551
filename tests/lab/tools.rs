//! The long tools: each is a subcommand of `lab` and prints what it found.

pub(crate) mod model;
