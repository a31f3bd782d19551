//! `payonce op history`.

use clap::Args;

use crate::cli::connection::Connection;
use crate::cli::help::help;
use crate::cli::output::Output;
use crate::cli::{Exit, Failure, show};
use crate::proto::v1::GetHistoryRequest;

/// Show the ledger of an operation: what changed, when, with hashes
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce op history 01997a3e-5a7c-7cc0-8000-3f1f6a9b1c2d"))]
pub(super) struct History {
    /// The operation
    id: String,

    #[command(flatten)]
    connection: Connection,
}

impl History {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        let request = GetHistoryRequest {
            operation_id: self.id,
        };
        let history = self.connection.open().await?.history(request).await?;
        output.message(&history, || show::ledger(&history.entries))?;
        Ok(Exit::Done)
    }
}
