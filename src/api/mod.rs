//! The gRPC server: what comes from the wire is checked once, what goes out
//! is the state of an operation.
//!
//! Guarantees:
//! - every rule of the contract is kept by [`parse`](self) before the engine
//!   is asked, and all faults of a request are told together;
//! - after a durable accept there are no errors about an operation (P14): the
//!   answer is its state, in time before the caller's own deadline;
//! - every error says what was recorded because of the call;
//! - nothing here decides anything about money: that is the engine's.

mod compensate;
mod create;
mod deadline;
mod front;
mod get_status;
mod history;
mod list;
mod page_token;
mod parse;
mod render;
mod server;
mod service;
mod span;
mod status;
mod stream_events;
mod submit;
mod tenant;
mod waiting;
mod watch;

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::engine::Engine;

pub use server::{Bound, Options, ServerError, bind};

/// What the handlers share.
#[derive(Clone)]
struct Api {
    engine: Engine,
    limits: deadline::Limits,
    /// Cancelled when the server stops: whoever waits gets the present state.
    stopping: CancellationToken,
    /// Room for streams, which outlive their calls.
    watchers: Arc<Semaphore>,
}
