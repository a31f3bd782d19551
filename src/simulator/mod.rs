//! A payment processor to try and to test against; knows nothing of the rest.
//!
//! It is somebody else's computer: an HTTP/1.1 server with a durable ledger of
//! its own, which imports nothing of payonce. What it guarantees (both are
//! measured with [`Options::time_scale`] 1.0 and scale with it):
//!
//! - D: a request takes effect within 10 s of the arrival of its last byte, or
//!   never; V: a look-up sees an effect at most 30 s later; K: where a profile
//!   keeps idempotency keys, it keeps them for 24 h. A fault set through
//!   `/control` may break these on purpose.
//! - A change is in the ledger file, synced, before its answer leaves; a
//!   look-up never shows a change that a crash could still take away.
//! - The work of a request goes on when its caller hangs up.
//!
//! Test payment methods, for any client:
//!
//! | method                  | what happens                                                     |
//! |-------------------------|------------------------------------------------------------------|
//! | `pm_ok`                 | captured                                                         |
//! | `pm_declined`           | 402, `card_declined`                                             |
//! | `pm_insufficient_funds` | 402, `insufficient_funds`                                        |
//! | `pm_processing`         | `processing`, succeeds after 3 s                                 |
//! | `pm_customer_action`    | `requires_action` with a URL; opening it completes the payment   |
//! | `pm_drop_response`      | captured, the socket is closed without an answer                 |
//! | `pm_drop_request`       | the socket is closed before anything happens, on every send      |
//! | `pm_slow`               | captured at once, answered after 20 s                            |
//! | `pm_error_captured`     | captured, answered with 500                                      |
//! | `pm_garbage`            | captured, answered with 200 and HTML                             |
//! | `pm_lagging`            | captured, socket closed, look-ups find it only after 20 s        |
//!
//! With `"capture": false` each of them authorizes instead of capturing. The
//! page `docs/simulator.md` has the profiles, the faults and examples.
//!
//! How a call travels: `routes` → [`processor`] (record it, choose the fault) →
//! `execution` (a pure reading of `state` that yields changes) → `state` and
//! `journal` → `answer`, where faults spoil the answer.

mod answer;
mod call;
mod clock;
mod command;
mod control;
mod error;
mod execution;
mod fault;
mod fault_book;
mod journal;
mod keys;
mod look_up;
mod method;
mod model;
mod processor;
mod profile;
mod routes;
mod server;
mod state;
#[cfg(test)]
mod tests;
mod view;
mod wire_log;

pub use error::SimulatorError;
pub use profile::{Profile, UnknownProfile};
pub use server::Simulator;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// How a [`Simulator`] is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The ledger file; made if it does not exist, replayed if it does. One
    /// running simulator a file.
    pub ledger: PathBuf,
    /// What kind of processor it plays.
    pub profile: Profile,
    /// Multiplies every built-in delay and life (not those given with a fault):
    /// 0.05 makes a delay of 20 s one of 1 s. Must be finite and above 0.
    pub time_scale: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8090)),
            ledger: PathBuf::from("simulator-ledger.jsonl"),
            profile: Profile::default(),
            time_scale: 1.0,
        }
    }
}
