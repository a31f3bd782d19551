//! `payonce op watch`.

use clap::Args;

use crate::cli::connection::Connection;
use crate::cli::help::help;
use crate::cli::output::Output;
use crate::cli::{Exit, Failure, show};
use crate::proto::v1::WatchOperationRequest;

/// Print the states of an operation as they come, until it is final
///
/// With --json one object a line.
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce op watch 01997a3e-5a7c-7cc0-8000-3f1f6a9b1c2d"))]
pub(super) struct WatchCommand {
    /// The operation
    id: String,

    /// Only versions above this one
    #[arg(long, value_name = "VERSION", default_value = "0")]
    after_version: i64,

    #[command(flatten)]
    connection: Connection,
}

impl WatchCommand {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        let request = WatchOperationRequest {
            operation_id: self.id,
            after_version: self.after_version,
        };
        let mut states = self.connection.open().await?.watch(request).await?;
        let mut exit = Exit::Done;
        while let Some(operation) = states.next().await? {
            output.message(&operation, || show::state(&operation))?;
            exit = Exit::of_operation(&operation);
        }
        Ok(exit)
    }
}
