//! `payonce op list`.

use clap::Args;
use prost_types::Timestamp;

use crate::cli::connection::Connection;
use crate::cli::help::help;
use crate::cli::output::Output;
use crate::cli::{Exit, Failure, show, words};
use crate::proto::v1::{ListOperationsRequest, OperationState};

/// List operations, the newest first, page by page
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce op list --state unknown --state queued\n  payonce op list --order 8472 --json\n  payonce op list --created-before 2030-01-31T12:00:00Z --page-size 200"))]
pub(super) struct List {
    /// Only operations in this state; may be repeated
    #[arg(long = "state", value_parser = words::parse_state)]
    states: Vec<OperationState>,

    /// Only operations of this order
    #[arg(long, default_value = "", hide_default_value = true)]
    order: String,

    /// Only operations recorded at this time or later, RFC 3339
    #[arg(long, value_name = "TIME", value_parser = time)]
    created_from: Option<Timestamp>,

    /// Only operations recorded before this time, RFC 3339
    #[arg(long, value_name = "TIME", value_parser = time)]
    created_before: Option<Timestamp>,

    /// At most so many, up to 500
    #[arg(long, value_name = "NUMBER", default_value = "50")]
    page_size: i32,

    /// The token of the page before, with the same filters
    #[arg(
        long,
        value_name = "TOKEN",
        default_value = "",
        hide_default_value = true
    )]
    page_token: String,

    #[command(flatten)]
    connection: Connection,
}

fn time(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .map_err(|_| "must be a time such as 2030-01-31T12:00:00Z".to_owned())
}

impl List {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        let request = ListOperationsRequest {
            page_size: self.page_size,
            page_token: self.page_token,
            states: self.states.into_iter().map(i32::from).collect(),
            order_id: self.order,
            created_from: self.created_from,
            created_before: self.created_before,
        };
        let page = self.connection.open().await?.list(request).await?;
        output.message(&page, || {
            let mut text = show::table(&page.operations);
            if !page.next_page_token.is_empty() {
                text.push_str("\nmore: --page-token ");
                text.push_str(&page.next_page_token);
            }
            text
        })?;
        Ok(Exit::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_rfc_3339() {
        assert_eq!(
            time("1970-01-02T00:00:00Z").map(|time| time.seconds),
            Ok(86_400)
        );
        assert!(time("yesterday").is_err());
    }
}
