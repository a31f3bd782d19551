//! `lab soak`: load and every kind of fault for some time.

use std::process::ExitCode;
use std::time::Duration;

use super::{outcome, progress};
use crate::lab::soak::{Faults, Goal, On, Soak};

/// Load, and every kind of fault, until the time is over
///
/// Exits with 1 if money was taken twice, if anything that was said is no
/// longer true, if anything stays unresolved or was left to a person although
/// a look-up could tell, or if nothing was sent again or proven absent.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Three replicas on PostgreSQL, or one on SQLite
    #[arg(long, value_enum, default_value = "postgres")]
    database: On,
    /// How long faults last; recovery comes on top
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Where all chance comes from; a new one if absent
    #[arg(long)]
    seed: Option<u64>,
    /// Callers at once
    #[arg(long, default_value_t = 8)]
    callers: usize,
    /// One line of JSON instead of an indented report
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(0..1_000_000));
    eprintln!("seed {seed}");
    let soak = Soak {
        on: args.database,
        seed,
        buyers: args.callers,
        faults: Faults::ALL,
        goal: Goal::After(Duration::from_secs(args.seconds)),
    };
    let line = progress::line();
    let report = soak.run(|text| line.set_message(text)).await;
    line.finish();
    let violated = !report.is_clean() || !report.helped_itself();
    let name = format!("soak-{}", report.database);
    outcome::show(&name, args.json, &report, violated)
}
