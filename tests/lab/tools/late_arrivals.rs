//! `lab late-arrivals`: payments that look-ups do not find until they land.

use std::process::ExitCode;

use super::{outcome, progress};
use crate::lab::soak::{On, Rush};

/// Hold up every payment on its way, so that look-ups find nothing at first
///
/// Exits with 1 unless each is known as what it is in the processors' ledgers,
/// or if no look-up came too early.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Three replicas on PostgreSQL, or one on SQLite
    #[arg(long, value_enum, default_value = "postgres")]
    database: On,
    /// How many payments
    #[arg(long, default_value_t = 1000)]
    operations: u64,
    /// Where all chance comes from; a new one if absent
    #[arg(long)]
    seed: Option<u64>,
    /// One line of JSON instead of an indented report
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(0..1_000_000));
    eprintln!("seed {seed}");
    let rush = Rush {
        on: args.database,
        seed,
        operations: args.operations,
    };
    let line = progress::line();
    let report = rush.run(|text| line.set_message(text)).await;
    line.finish();
    let violated = !report.is_clean() || !report.is_telling();
    let name = format!("late-arrivals-{}", report.database);
    outcome::show(&name, args.json, &report, violated)
}
