//! What the integration tests take from the lab.

pub(crate) mod database;
pub(crate) mod fault_proxy;
pub(crate) mod harness;
pub(crate) mod standby;
