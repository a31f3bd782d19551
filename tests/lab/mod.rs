//! What the integration tests and the long tools share.

pub(crate) mod crash_matrix;
pub(crate) mod database;
pub(crate) mod fault_proxy;
pub(crate) mod harness;
pub(crate) mod soak;
pub(crate) mod standby;
