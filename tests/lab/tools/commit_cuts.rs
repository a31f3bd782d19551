//! `lab commit-cuts`: connections that are cut at COMMIT.

use std::process::ExitCode;

use super::{outcome, progress};
use crate::lab::commit_cuts::cut_all;

/// Cut the connection to PostgreSQL at every kind of commit
///
/// Each kind is cut before its COMMIT is executed and after it was executed,
/// before its answer arrives. Exits with 1 if a commit was acknowledged that
/// is not there, or said not to be there and is, if anything was written
/// twice, if a ledger does not lead to its row, or if the engine could not
/// tell although the database could be asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many cuts of each kind on each side
    #[arg(long, default_value_t = 200)]
    cuts: usize,
    /// The order of the cuts comes from it; a new one if absent
    #[arg(long)]
    seed: Option<u64>,
    /// Databases at once
    #[arg(long, default_value_t = 8)]
    worlds: usize,
    /// One line of JSON instead of an indented report
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(0..1_000_000));
    eprintln!("seed {seed}");
    let line = progress::line();
    let tell = |text| line.set_message(text);
    let report = cut_all(args.cuts, seed, args.worlds.max(1), tell).await;
    line.finish();
    outcome::show("commit-cuts", args.json, &report, !report.is_clean())
}
