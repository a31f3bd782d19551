//! Where the configuration of `serve`, `simulator` and `migrate` comes from,
//! and how logging starts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Failure;
use crate::config::{self, Config, Loader};
use crate::telemetry;

/// The file, the database and the log.
#[derive(Debug, Args)]
pub(super) struct Settings {
    /// A TOML file over the compiled-in defaults
    #[arg(long, value_name = "FILE", env = "PAYONCE_CONFIG")]
    config: Option<PathBuf>,

    /// Shape of log lines
    #[arg(long, value_name = "FORMAT")]
    log_format: Option<LogFormat>,

    /// Levels of log lines by target, such as info,payonce::worker=debug
    #[arg(long, value_name = "FILTER")]
    log_filter: Option<String>,
}

/// Shape of a log line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogFormat {
    /// Lines for people
    Pretty,
    /// One JSON object a line
    Json,
}

impl Settings {
    /// File and environment, with the flags of this group on top.
    pub(super) fn loader(&self) -> Loader {
        let mut loader = Loader::new().process_environment();
        if let Some(file) = &self.config {
            loader = loader.file(file);
        }
        if let Some(format) = self.log_format {
            let name = match format {
                LogFormat::Pretty => "pretty",
                LogFormat::Json => "json",
            };
            loader = loader.set("log.format", name);
        }
        if let Some(filter) = &self.log_filter {
            loader = loader.set("log.filter", filter);
        }
        loader
    }
}

/// Starts logging to standard error, as configured.
pub(super) fn start_log(config: &Config) -> Result<(), Failure> {
    let format = match config.log.format {
        config::LogFormat::Pretty => telemetry::Format::Pretty,
        config::LogFormat::Json => telemetry::Format::Json,
    };
    telemetry::init(format, &config.log.filter)
        .map_err(|error| Failure::argument("log.filter", error))
}
