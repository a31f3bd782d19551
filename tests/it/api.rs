//! The gRPC server in this process, over a real store, worker and simulator:
//! what callers see of calls, deadlines, streams and errors.

mod calls;
mod compensations;
mod deadlines;
mod desk;
mod errors;
mod lists;
mod server;
mod watching;
