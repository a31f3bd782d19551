//! `payonce demo`: the incident, twice, over real sockets.
//!
//! A real server and a real simulator run on free ports with everything in a
//! temporary folder. First a naive tool pays: its call times out after the
//! card was charged, it tries again under a new key, and the customer pays
//! twice. Then the same fault meets payonce. What counts is what the
//! processor's own ledger says afterwards.

mod ledgers;
mod naive;
mod processor;
mod result;
mod stage;
mod story;
mod with_payonce;

use clap::Args;

use super::help::help;
use super::output::Output;
use super::{Exit, Failure};
use crate::telemetry;

use processor::Processor;
use result::DemoResult;
use stage::Stage;
use story::Story;

/// The order of the naive tool, and the order that is paid through payonce.
const NAIVE_ORDER: &str = "8472";
const PAYONCE_ORDER: &str = "8473";

/// What both cost, in minor units of [`CURRENCY`].
const AMOUNT: i64 = 4900;
const CURRENCY: &str = "USD";

/// Play the incident twice: without payonce the customer pays twice, with it
/// once
///
/// Starts a real server and the simulated processor in a temporary folder, and
/// takes about ten seconds. Exits 0 only if the processor's own ledger shows
/// two captures for the naive tool, then one capture and one refund through
/// payonce.
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce demo\n  payonce demo --json"))]
pub(super) struct Demo {
    /// Levels of log lines on standard error
    #[arg(long, value_name = "FILTER", default_value = "error")]
    log_filter: String,
}

impl Demo {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        telemetry::init(telemetry::Format::Pretty, &self.log_filter)
            .map_err(|error| Failure::argument("--log-filter", error))?;
        let stage = Stage::set_up().await?;
        let played = play(&stage, output).await;
        stage.take_down().await;
        let result = played?;
        output.value(&result.to_json()?, &result.conclusion());
        result.require_the_promise()?;
        Ok(Exit::Done)
    }
}

async fn play(stage: &Stage, output: Output) -> Result<DemoResult, Failure> {
    let story = Story::begin(output);
    let processor = Processor::at(stage.simulator())?;
    stage.introduce(&story);

    let naive = naive::play(&processor, &story).await?;
    let payonce = with_payonce::play(stage, &processor, &story).await?;

    story.scene("What the processor's own ledger says");
    let naive_ledger = processor.ledger(NAIVE_ORDER).await?;
    let payonce_ledger = processor.ledger(PAYONCE_ORDER).await?;
    story.show(&ledgers::side_by_side(&naive_ledger, &payonce_ledger));
    Ok(DemoResult { naive, payonce })
}
