//! `payonce op get`.

use std::time::Duration;

use clap::Args;

use super::shown;
use crate::cli::connection::{Connection, on_the_wire, seconds};
use crate::cli::help::help;
use crate::cli::output::Output;
use crate::cli::{Exit, Failure};
use crate::proto::v1::get_status_request::Target;
use crate::proto::v1::{GetStatusRequest, OperationReference};

/// Show how an operation stands, by its id or by its order; never causes an
/// effect
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce op get 01997a3e-5a7c-7cc0-8000-3f1f6a9b1c2d\n  payonce op get --order 8472 --wait 5"))]
pub(super) struct Get {
    /// The operation
    #[arg(required_unless_present = "order", conflicts_with = "order")]
    id: Option<String>,

    /// The order instead of the id
    #[arg(long)]
    order: Option<String>,

    /// With --order: the purpose; absent: purchase
    #[arg(long, requires = "order")]
    purpose: Option<String>,

    /// With --order: the generation, from 1; absent: the newest
    #[arg(long, requires = "order")]
    generation: Option<i32>,

    /// Wait for news at most this long, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    wait: Option<Duration>,

    /// With --wait: news is a version above this one; absent: a settled answer
    #[arg(long, value_name = "VERSION", requires = "wait")]
    after_version: Option<i64>,

    #[command(flatten)]
    connection: Connection,
}

impl Get {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        let client = self.connection.open().await?;
        let response = client.status(self.request()).await?;
        shown(response.operation, output)
    }

    fn request(self) -> GetStatusRequest {
        let by_order = self.order.map(|order_id| {
            Target::Reference(OperationReference {
                order_id,
                purpose: self.purpose.unwrap_or_default(),
                generation: self.generation.unwrap_or_default(),
            })
        });
        GetStatusRequest {
            target: by_order.or(self.id.map(Target::OperationId)),
            wait: self.wait.map(on_the_wire),
            after_version: self.after_version.unwrap_or_default(),
        }
    }
}
