//! `payonce pay`: one payment, as an agent would make it.

use std::time::Duration;

use clap::Args;

use super::connection::{Connection, on_the_wire, seconds};
use super::help::help;
use super::output::Output;
use super::{Exit, Failure, amount, show};
use crate::proto::v1::{CreateOperationRequest, OperationKind};

/// Pay an order once: record, hand over, wait; prints what an agent would see
///
/// Running it again with the same order is safe at any time: it joins the same
/// payment. Exit code 0 means that the order may be fulfilled, and nothing else
/// does.
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce pay 8472 49.00 USD\n  payonce pay 8473 4900 USD --minor --payment-method pm_drop_response --json"))]
pub(super) struct Pay {
    /// The order, 1 to 64 characters of A-Z a-z 0-9 . _ : / # @ + = ~ -
    order: String,

    /// How much, a decimal that fits the currency exactly, such as 49.00
    #[arg(allow_hyphen_values = true)]
    amount: String,

    /// ISO 4217 code, such as USD
    currency: String,

    /// The amount is a whole number of minor units: 4900 is 49.00 USD
    #[arg(long)]
    minor: bool,

    /// The provider's token for the payment method
    #[arg(long, value_name = "TOKEN", default_value = "pm_ok")]
    payment_method: String,

    /// Why the order is paid, from the configured list; absent: purchase
    #[arg(long)]
    purpose: Option<String>,

    /// Longest wait for a settled answer, in seconds; absent: the server's
    /// agent deadline
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    wait: Option<Duration>,

    #[command(flatten)]
    connection: Connection,
}

impl Pay {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        let request = CreateOperationRequest {
            order_id: self.order,
            purpose: self.purpose.unwrap_or_default(),
            kind: OperationKind::Charge.into(),
            amount: Some(amount::parse(&self.amount, &self.currency, self.minor)?),
            payment_method: self.payment_method,
            submit: true,
            wait: self.wait.map(on_the_wire),
            ..CreateOperationRequest::default()
        };
        let response = self.connection.open().await?.create(request).await?;
        let operation = super::op::present(response.operation)?;
        if response.replayed {
            output.text("this order has a payment already, nothing new was started:");
        }
        output.message(&operation, || show::answer(&operation))?;
        Ok(Exit::of_payment(&operation))
    }
}
