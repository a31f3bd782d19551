//! What the integration tests and the long tools share.

pub(crate) mod cluster;
pub(crate) mod commit_cuts;
pub(crate) mod crash_matrix;
pub(crate) mod database;
pub(crate) mod fault_proxy;
pub(crate) mod harness;
pub(crate) mod local;
#[allow(dead_code, reason = "the command line tool uses the rest")]
pub(crate) mod model;
pub(crate) mod postgres_proxy;
pub(crate) mod soak;
