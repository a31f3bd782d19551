//! `lab kill-cycles`: kill -9 under load, again and again.

use std::process::ExitCode;

use super::{outcome, progress};
use crate::lab::soak::{Faults, Goal, On, Soak};

/// Kill replicas at random moments under load, start them again
///
/// Exits with 1 if money was taken twice, if anything that was said is no
/// longer true, or if anything stays unresolved.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Three replicas on PostgreSQL, or one on SQLite
    #[arg(long, value_enum, default_value = "postgres")]
    database: On,
    /// How many kills
    #[arg(long, default_value_t = 50)]
    cycles: u64,
    /// Where all chance comes from; a new one if absent
    #[arg(long)]
    seed: Option<u64>,
    /// Callers at once
    #[arg(long, default_value_t = 6)]
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
        faults: Faults::KILLS,
        goal: Goal::Kills(args.cycles),
    };
    let line = progress::line();
    let report = soak.run(|text| line.set_message(text)).await;
    line.finish();
    let violated = !report.is_clean() || report.kills < args.cycles;
    let name = format!("kill-cycles-{}", report.database);
    outcome::show(&name, args.json, &report, violated)
}
