//! The integration tests, one binary: each file is one subject.
#![allow(
    clippy::unwrap_used,
    reason = "a test that unwraps fails, which is what it is for"
)]

#[path = "../lab/mod.rs"]
mod lab;

mod api;
mod bad_input;
mod cancellation;
mod command_line;
mod concurrency;
mod crash_matrix;
mod crashes;
mod customer_steps;
mod database;
mod declines;
mod double_charges;
mod fault_proxy;
mod graceful_stop;
mod guarantees;
mod harness;
mod key_window;
mod keys;
mod late_proof;
mod layering;
mod lost_rows;
mod money;
mod panics;
mod program;
mod provider;
mod python;
mod recovery;
mod refunds;
mod replicas;
mod soak;
mod source;
mod starting_over;
mod tidy;
mod unanswered;
mod weak_processors;
mod zombies;
