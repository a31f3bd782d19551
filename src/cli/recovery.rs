//! `payonce recovery`: what a person asks and says after rows may have been
//! lost.

use clap::{Args, Subcommand};
use prost_types::Timestamp;
use serde_json::{Value, json};

use super::help::help;
use super::output::Output;
use super::settings::{self, Settings};
use super::{Exit, Failure};
use crate::app::recovery::{self, Present};
use crate::config::Config;
use crate::domain::recovery::RecoveryState;
use crate::domain::time::Instant;

/// See and steer what happens after rows may have been lost
///
/// Opens the database itself, so that it works before any replica runs.
/// Running replicas notice within timing.clock_sample_ms.
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce recovery show\n  payonce recovery begin --lost-since 2026-01-31T08:00:00Z --by anna\n  payonce recovery confirm --epoch 1769846400 --by anna"))]
pub(super) struct Recovery {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show what stands
    #[command(after_help = help!("  payonce recovery show"))]
    Show(Place),
    /// Say that rows may be missing, where nothing could notice it
    #[command(after_help = help!("  payonce recovery begin --lost-since 2026-01-31T08:00:00Z --by anna"))]
    Begin {
        #[command(flatten)]
        place: Place,
        /// From when on, in RFC 3339
        #[arg(long, value_name = "TIME")]
        lost_since: Timestamp,
        /// Who says so
        #[arg(long, value_name = "NAME")]
        by: String,
    },
    /// Say that the database may be worked with, look-ups first
    #[command(after_help = help!("  payonce recovery confirm --epoch 1769846400 --by anna"))]
    Confirm(Said),
    /// Say that nothing which was lost is still to come back
    #[command(after_help = help!("  payonce recovery end --epoch 1769846400 --by anna"))]
    End(Said),
}

/// Which database.
#[derive(Debug, Args)]
struct Place {
    #[command(flatten)]
    settings: Settings,

    /// The database, sqlite:// or postgres://; of several the writable one
    #[arg(long, value_name = "URL")]
    database: Vec<String>,
}

#[derive(Debug, Args)]
struct Said {
    #[command(flatten)]
    place: Place,
    /// The epoch that `show` shows
    #[arg(long, value_name = "NUMBER")]
    epoch: i64,
    /// Who says so
    #[arg(long, value_name = "NAME")]
    by: String,
}

impl Recovery {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        let value = shown_as_json(&act(self.action).await?);
        output.value(&json!({ "recovery": value }), &text(&value));
        Ok(Exit::Done)
    }
}

async fn act(action: Action) -> Result<Present, Failure> {
    Ok(match action {
        Action::Show(place) => recovery::show(&place.config()?).await?,
        Action::Begin {
            place,
            lost_since,
            by,
        } => recovery::begin(&place.config()?, instant(&lost_since), &by).await?,
        Action::Confirm(said) => {
            recovery::confirm(&said.place.config()?, said.epoch, &said.by).await?
        }
        Action::End(said) => recovery::end(&said.place.config()?, said.epoch, &said.by).await?,
    })
}

impl Place {
    fn config(&self) -> Result<Config, Failure> {
        let mut loader = self.settings.loader();
        if !self.database.is_empty() {
            loader = loader.set("database.urls", &self.database);
        }
        let config = loader.load()?;
        settings::start_log(&config)?;
        Ok(config)
    }
}

fn shown_as_json(present: &Present) -> Value {
    json!({
        "epoch": present.epoch,
        "state": present.state.name(),
        "lost_since": present.lost_since.map(shown),
        "since": present.since.map(shown),
        "by": present.by,
        "beat": present.beat,
        "beat_at": present.beat_at.map(shown),
        "timeline": present.timeline,
    })
}

fn instant(time: &Timestamp) -> Instant {
    let micros = time.seconds.saturating_mul(1_000_000);
    Instant(micros.saturating_add(i64::from(time.nanos / 1000)))
}

fn shown(at: Instant) -> String {
    let nanos = i32::try_from(at.0.rem_euclid(1_000_000) * 1000).unwrap_or(0);
    let seconds = at.0.div_euclid(1_000_000);
    Timestamp { seconds, nanos }.to_string()
}

/// One line for each thing that is known, and what a person can do next.
fn text(value: &Value) -> String {
    let known = value.as_object().into_iter().flatten();
    let known = known.filter(|(_, value)| !value.is_null());
    let mut lines: Vec<String> = known
        .map(|(name, value)| format!("{name:<11} {}", value.to_string().trim_matches('"')))
        .collect();
    let state = value["state"].as_str().and_then(RecoveryState::from_name);
    let epoch = &value["epoch"];
    match state {
        Some(RecoveryState::AwaitingConfirmation) => lines.push(format!(
            "\nNothing is sent. When this is the database to go on with:\n  \
             payonce recovery confirm --epoch {epoch} --by NAME"
        )),
        Some(RecoveryState::Held) => lines.push(format!(
            "\nEvery first send follows a look-up. When all callers have said again what \
             was lost:\n  payonce recovery end --epoch {epoch} --by NAME"
        )),
        Some(RecoveryState::None) | None => {}
    }
    lines.join("\n")
}
