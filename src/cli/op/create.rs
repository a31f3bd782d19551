//! `payonce op create`.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::shown;
use crate::cli::connection::{Connection, on_the_wire, seconds};
use crate::cli::help::help;
use crate::cli::output::Output;
use crate::cli::{Exit, Failure, amount};
use crate::proto::v1::{CreateOperationRequest, OperationKind};

/// Record an operation; contacts no provider without --submit
///
/// The same order, purpose and content again gives the recorded operation; the
/// same order and purpose with other content is refused.
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce op create --order 8472 --amount 49.00 --currency USD --payment-method pm_ok\n  payonce op create --order 8472 --amount 49.00 --currency USD --payment-method pm_ok --submit --wait 2"))]
pub(super) struct Create {
    /// The merchant's own id of the order
    #[arg(long)]
    order: String,

    /// What the operation does to money
    #[arg(long, default_value = "charge")]
    kind: Kind,

    /// How much, a decimal that fits the currency exactly
    #[arg(long, allow_hyphen_values = true)]
    amount: String,

    /// ISO 4217 code
    #[arg(long)]
    currency: String,

    /// The amount is a whole number of minor units
    #[arg(long)]
    minor: bool,

    /// The provider's token for the payment method
    #[arg(long, value_name = "TOKEN", default_value = "")]
    payment_method: String,

    /// Why the order is paid, from the configured list; absent: purchase
    #[arg(long, default_value = "", hide_default_value = true)]
    purpose: String,

    /// Who is paid
    #[arg(long, default_value = "", hide_default_value = true)]
    payee: String,

    /// The merchant's own id of the payer
    #[arg(long, default_value = "", hide_default_value = true)]
    customer_ref: String,

    /// The agent that may submit and read the operation
    #[arg(long, default_value = "", hide_default_value = true)]
    agent: String,

    /// The provider account; absent: the default account
    #[arg(
        long,
        value_name = "ACCOUNT",
        default_value = "",
        hide_default_value = true
    )]
    provider: String,

    /// For a capture: its authorization
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    parent: String,

    /// The declined or canceled operation whose place this one takes
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    supersedes: String,

    /// For people
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    description: String,

    /// For programs; may be repeated
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = key_and_value)]
    labels: Vec<(String, String)>,

    /// Hand it over in the same step and wait
    #[arg(long)]
    submit: bool,

    /// With --submit: longest wait, in seconds; absent: the server's agent
    /// deadline
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "submit")]
    wait: Option<Duration>,

    #[command(flatten)]
    connection: Connection,
}

/// The kinds that can be created.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// Authorize and capture in one step
    Charge,
    /// Hold funds
    Authorize,
    /// Take held funds
    Capture,
}

impl From<Kind> for OperationKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Charge => Self::Charge,
            Kind::Authorize => Self::Authorize,
            Kind::Capture => Self::Capture,
        }
    }
}

fn key_and_value(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .ok_or_else(|| "must be KEY=VALUE".to_owned())
}

impl Create {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        let request = CreateOperationRequest {
            amount: Some(amount::parse(&self.amount, &self.currency, self.minor)?),
            order_id: self.order,
            purpose: self.purpose,
            kind: OperationKind::from(self.kind).into(),
            payment_method: self.payment_method,
            payee: self.payee,
            customer_ref: self.customer_ref,
            agent: self.agent,
            provider: self.provider,
            parent_operation_id: self.parent,
            supersedes_operation_id: self.supersedes,
            authorization: String::new(),
            description: self.description,
            labels: self.labels.into_iter().collect(),
            submit: self.submit,
            wait: self.wait.map(on_the_wire),
        };
        let response = self.connection.open().await?.create(request).await?;
        if response.replayed {
            output.text("recorded before, nothing new was started:");
        }
        shown(response.operation, output)
    }
}
