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
mod commit_cuts;
mod concurrency;
mod crash_matrix;
mod crashes;
mod customer_steps;
mod database;
mod database_faults;
mod deadline_sweep;
mod declines;
mod double_charges;
mod duplicates;
mod endpoints;
mod failover;
mod fault_proxy;
mod frozen;
mod graceful_stop;
mod guarantees;
mod harness;
mod key_window;
mod keys;
mod late_proof;
mod layering;
mod lost_rows;
mod model;
mod money;
mod odd_answers;
mod outages;
mod panics;
mod program;
mod provider;
mod python;
mod recovery;
mod refunds;
mod replicas;
mod seeded_bugs;
mod soak;
mod source;
mod sqlite;
mod starting_over;
mod tidy;
mod unanswered;
mod wake_ups;
mod weak_processors;
mod wrong_clocks;
mod wrong_knowledge;
mod zombies;
