//! `payonce op submit`.

use std::time::Duration;

use clap::Args;

use super::shown;
use crate::cli::connection::{Connection, on_the_wire, seconds};
use crate::cli::help::help;
use crate::cli::output::Output;
use crate::cli::{Exit, Failure};
use crate::proto::v1::SubmitRequest;

/// Hand a recorded operation over and wait for a settled answer
///
/// Any number of times, from anywhere: one effect.
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce op submit 01997a3e-5a7c-7cc0-8000-3f1f6a9b1c2d --wait 2"))]
pub(super) struct Submit {
    /// The operation
    id: String,

    /// Longest wait, in seconds; absent: the server's agent deadline
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    wait: Option<Duration>,

    #[command(flatten)]
    connection: Connection,
}

impl Submit {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        let request = SubmitRequest {
            operation_id: self.id,
            wait: self.wait.map(on_the_wire),
        };
        let response = self.connection.open().await?.submit(request).await?;
        shown(response.operation, output)
    }
}
