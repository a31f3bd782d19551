//! `lab model`: looks at one order as a whole.

use std::process::ExitCode;
use std::time::Duration;

use serde::Serialize;

use crate::lab::model::check::{Report, check, shortest};
use crate::lab::model::promises::{CLOSED_IS_TRUE, ONE_EFFECT};
use crate::lab::model::setting::Setting;
use crate::lab::model::settings;
use crate::lab::model::table::{KINDS, REACTIONS};
use crate::tools::outcome::show;

/// Look at every world that one order can get into
///
/// What decides in it is the service's own code. Without `--table`: the rules
/// as they are shipped, in each story. It ends with 1 if a promise is broken
/// or, with `--table`, if a policy is wrong elsewhere than it is said to be.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The table of policies after "not found", with a shortest way to the
    /// harm that each of the wrong ones does
    #[arg(long)]
    table: bool,
    /// Only what has this in its name; repeat it for several
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// How often workers die
    #[arg(long, value_name = "COUNT")]
    crashes: Option<u8>,
    /// How many webhooks come, repeats included
    #[arg(long, value_name = "COUNT")]
    webhooks: Option<u8>,
    /// How many ticks trouble lasts
    #[arg(long, value_name = "TICKS")]
    calm_from: Option<u8>,
    /// Stop looking after so long, for each setting
    #[arg(long, value_name = "SECONDS")]
    limit_s: Option<u64>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Outcome {
    ok: bool,
    runs: Vec<Run>,
}

#[derive(Serialize)]
struct Run {
    /// The promise that is known to be broken here.
    expected: Option<&'static str>,
    as_expected: bool,
    #[serde(flatten)]
    report: Report,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let json = args.json;
    let outcome = tokio::task::spawn_blocking(move || look(&args)).await?;
    if !json {
        outcome.runs.iter().for_each(tell);
    }
    show("model", json, &outcome, !outcome.ok)
}

fn look(args: &Args) -> Outcome {
    let wanted = |setting: &Setting| {
        args.only.is_empty() || args.only.iter().any(|part| setting.name.contains(part))
    };
    let settings = if args.table { cells() } else { stories(args) };
    let mut runs = Vec::new();
    for (setting, expected) in settings.into_iter().filter(|(setting, _)| wanted(setting)) {
        eprintln!("looking at {}", setting.name);
        runs.push(look_at(&setting, expected, args));
    }
    let ok = runs.iter().all(|run| run.as_expected);
    Outcome { ok, runs }
}

fn look_at(setting: &Setting, expected: Option<&'static str>, args: &Args) -> Run {
    let only: &[&str] = if args.table {
        &[ONE_EFFECT, CLOSED_IS_TRUE]
    } else {
        &[]
    };
    let mut report = check(setting, only, args.limit_s.map(Duration::from_secs));
    report.broken = report.broken.map(|broken| shortest(setting, broken));
    let found = report.broken.as_ref().map(|broken| broken.promise);
    Run {
        expected,
        as_expected: found == expected,
        report,
    }
}

fn cells() -> Vec<(Setting, Option<&'static str>)> {
    let pairs = REACTIONS
        .into_iter()
        .flat_map(|reaction| KINDS.map(|kind| (reaction, kind)));
    pairs
        .map(|(reaction, kind)| (reaction.setting(kind), reaction.breaks(kind)))
        .collect()
}

fn stories(args: &Args) -> Vec<(Setting, Option<&'static str>)> {
    let with_bounds = |mut setting: Setting| {
        let bounds = &mut setting.bounds;
        bounds.crashes = args.crashes.unwrap_or(bounds.crashes);
        bounds.webhooks = args.webhooks.unwrap_or(bounds.webhooks);
        if let Some(calm_from) = args.calm_from {
            let later = calm_from.saturating_sub(bounds.calm_from);
            bounds.calm_from = calm_from;
            bounds.asked_until += later;
            bounds.end += later;
        }
        (setting, None)
    };
    settings::all().into_iter().map(with_bounds).collect()
}

fn tell(run: &Run) {
    let report = &run.report;
    let verdict = match (&report.broken, run.as_expected) {
        (None, true) if report.exhausted => "safe",
        (None, true) => "nothing found, and not all was looked at",
        (Some(_), true) => "wrong, as is known",
        (_, false) => "NOT AS EXPECTED",
    };
    eprintln!(
        "{}: {verdict}; {} states, depth {}, {:.1} s",
        report.name, report.states, report.depth, report.seconds
    );
    if let Some(broken) = &report.broken {
        eprintln!("  broken: {}", broken.promise);
        broken.path.iter().for_each(|step| eprintln!("    {step}"));
    }
}
