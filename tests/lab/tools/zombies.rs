//! `lab zombies`: replicas that come back after others took over.

use std::process::ExitCode;

use super::{outcome, progress};
use crate::lab::soak::{Faults, Goal, On, Soak};

/// Stop replicas past their leases, let others take over, let them go on
///
/// Exits with 1 if a write that only the holder of a lease may make was made
/// by somebody else, if nothing stale was ever refused, or if money, answers
/// and rows do not agree.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many stops
    #[arg(long, default_value_t = 20)]
    count: u64,
    /// Where all chance comes from; a new one if absent
    #[arg(long)]
    seed: Option<u64>,
    /// Callers at once
    #[arg(long, default_value_t = 16)]
    callers: usize,
    /// One line of JSON instead of an indented report
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(0..1_000_000));
    eprintln!("seed {seed}");
    let soak = Soak {
        on: On::Postgres,
        seed,
        buyers: args.callers,
        faults: Faults::ZOMBIES,
        goal: Goal::Zombies(args.count),
    };
    let line = progress::line();
    let report = soak.run(|text| line.set_message(text)).await;
    line.finish();
    let violated = !report.is_clean() || report.stale_dispatches_refused == 0;
    outcome::show("zombies", args.json, &report, violated)
}
