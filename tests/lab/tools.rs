//! The long tools: each is a subcommand of `lab` and prints what it found.

pub(crate) mod crash_matrix;
pub(crate) mod kill_cycles;
pub(crate) mod late_arrivals;
pub(crate) mod soak;
pub(crate) mod zombies;

mod outcome;
mod progress;
