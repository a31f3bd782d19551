//! `payonce op compensate`.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::present;
use crate::cli::connection::{Connection, on_the_wire, seconds};
use crate::cli::help::help;
use crate::cli::output::Output;
use crate::cli::{Exit, Failure, amount, show};
use crate::proto::v1::{CompensateRequest, CompensationReason, Money};

/// Give money back, or make sure that none is taken
///
/// Captured: a refund. Authorized: a void. Never sent: the operation is
/// canceled. Unresolved: refused, unless --when-resolved records it for later.
/// The same label again joins the same compensation.
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce op compensate 01997a3e-5a7c-7cc0-8000-3f1f6a9b1c2d --label return-1 --reason requested-by-customer\n  payonce op compensate 01997a3e-5a7c-7cc0-8000-3f1f6a9b1c2d --label part-1 --reason other --amount 10.00 --currency USD"))]
pub(super) struct Compensate {
    /// The operation to give back
    id: String,

    /// The merchant's name for this compensation
    #[arg(long)]
    label: String,

    /// Why; only recorded
    #[arg(long, default_value = "other")]
    reason: Reason,

    /// How much; absent: all that is left
    #[arg(long, requires = "currency", allow_hyphen_values = true)]
    amount: Option<String>,

    /// ISO 4217 code of the amount
    #[arg(long, requires = "amount")]
    currency: Option<String>,

    /// The amount is a whole number of minor units
    #[arg(long, requires = "amount")]
    minor: bool,

    /// The payment to give back, by the provider's id; absent: the primary one
    #[arg(
        long,
        value_name = "PAYMENT",
        default_value = "",
        hide_default_value = true
    )]
    effect: String,

    /// If the operation is unresolved, give back as soon as it is resolved
    #[arg(long)]
    when_resolved: bool,

    /// Longest wait, in seconds; absent: the server's agent deadline
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    wait: Option<Duration>,

    #[command(flatten)]
    connection: Connection,
}

/// Why money is given back.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Reason {
    /// The customer asked for it
    RequestedByCustomer,
    /// The customer paid more than once
    Duplicate,
    /// The payment was fraudulent
    Fraudulent,
    /// The order was canceled
    OrderCanceled,
    /// The goods or the service were not delivered
    ServiceNotDelivered,
    /// Anything else
    Other,
}

impl From<Reason> for CompensationReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::RequestedByCustomer => Self::RequestedByCustomer,
            Reason::Duplicate => Self::Duplicate,
            Reason::Fraudulent => Self::Fraudulent,
            Reason::OrderCanceled => Self::OrderCanceled,
            Reason::ServiceNotDelivered => Self::ServiceNotDelivered,
            Reason::Other => Self::Other,
        }
    }
}

impl Compensate {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        let request = CompensateRequest {
            amount: self.money()?,
            operation_id: self.id,
            reason: CompensationReason::from(self.reason).into(),
            label: self.label,
            provider_payment_id: self.effect,
            when_resolved: self.when_resolved,
            wait: self.wait.map(on_the_wire),
        };
        let response = self.connection.open().await?.compensate(request).await?;
        output.message(&response, || {
            let parts = [&response.compensation, &response.operation];
            let shown = parts.into_iter().flatten().map(show::operation);
            shown.collect::<Vec<_>>().join("\n")
        })?;
        let decides = response.compensation.or(response.operation);
        Ok(Exit::of_operation(&present(decides)?))
    }

    fn money(&self) -> Result<Option<Money>, Failure> {
        let pair = self.amount.as_deref().zip(self.currency.as_deref());
        pair.map(|(amount, currency)| amount::parse(amount, currency, self.minor))
            .transpose()
    }
}
