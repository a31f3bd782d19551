//! Why a simulator cannot start or stop cleanly.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a simulator did not start.
#[derive(Debug, thiserror::Error)]
pub enum SimulatorError {
    /// `time_scale` is not a finite number above 0.
    #[error("time_scale must be a finite number above 0, not {0}")]
    TimeScale(f64),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The ledger file cannot be opened, read or written.
    #[error("ledger {}: {source}", path.display())]
    Ledger {
        /// The ledger file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another simulator holds the ledger file.
    #[error("ledger {}: another simulator is using it", path.display())]
    LedgerInUse {
        /// The ledger file.
        path: PathBuf,
    },
    /// A finished line of the ledger cannot be read. Nothing is repaired: what
    /// happened at the processor would no longer be known.
    #[error("ledger {}: line {line} is corrupt: {reason}", path.display())]
    LedgerCorrupt {
        /// The ledger file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
}
