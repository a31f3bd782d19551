//! What the integration tests take from the lab.

pub(crate) mod database;
pub(crate) mod fault_proxy;
pub(crate) mod harness;
#[allow(dead_code, reason = "the command line tool uses the rest")]
pub(crate) mod model;
