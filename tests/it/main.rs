//! The integration tests, one binary: each file is one subject.
#![allow(
    clippy::unwrap_used,
    reason = "a test that unwraps fails, which is what it is for"
)]

#[path = "../lab/mod.rs"]
mod lab;

mod api;
mod command_line;
mod database;
mod fault_proxy;
mod layering;
mod provider;
mod source;
mod tidy;
