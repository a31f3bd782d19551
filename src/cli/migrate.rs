//! `payonce migrate`: the tables.

use clap::Args;
use serde_json::json;

use super::help::help;
use super::output::Output;
use super::settings::{self, Settings};
use super::{Exit, Failure};
use crate::app;

/// Bring the database to the shape of this version; repeats change nothing
///
/// `serve` does this by itself unless it is told not to.
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce migrate\n  payonce migrate --database postgres://payonce@127.0.0.1/payonce"))]
pub(super) struct Migrate {
    #[command(flatten)]
    settings: Settings,

    /// The database, sqlite:// or postgres://; of several the writable one
    #[arg(long, value_name = "URL")]
    database: Vec<String>,
}

impl Migrate {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        let mut loader = self.settings.loader();
        if !self.database.is_empty() {
            loader = loader.set("database.urls", &self.database);
        }
        let config = loader.load()?;
        settings::start_log(&config)?;
        app::migrate(&config).await?;
        let text = "the database has the shape of this version";
        output.value(&json!({ "migrated": true }), text);
        Ok(Exit::Done)
    }
}
