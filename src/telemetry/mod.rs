//! Log lines and what may be in them.
//!
//! Guarantees: lines go to standard error, never to standard output, which
//! belongs to commands that print results; in JSON, a line has `timestamp`,
//! `level`, `target`, `message`, the event's own fields beside them, and the
//! fields of all spans it happened in under `span` and `spans`. Names of fields
//! are the constants of [`fields`]; text from outside goes through [`redact`].

pub mod fields;
mod redact;
#[cfg(test)]
mod tests;

use std::io;

use tracing::{Subscriber, subscriber::set_global_default};
use tracing_subscriber::{
    EnvFilter, Layer, Registry, filter::ParseError, fmt::MakeWriter, layer::SubscriberExt,
};

pub use redact::{Redacted, redact};

/// Shape of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines for people; coloured when standard error is a terminal.
    Pretty,
    /// One JSON object a line.
    Json,
}

/// Why logging could not start.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The filter is not in the syntax of `EnvFilter`.
    #[error("log.filter is not valid: {0}")]
    Filter(#[from] ParseError),
    /// Logging was started before in this process.
    #[error("logging is already started")]
    AlreadyStarted,
}

/// Starts logging to standard error for the whole process, once.
///
/// `filter` gives levels by target, for instance
/// `info,payonce::worker=debug`.
///
/// # Errors
///
/// A filter that cannot be parsed, or a second call.
pub fn init(format: Format, filter: &str) -> Result<(), TelemetryError> {
    set_global_default(subscriber(format, filter, io::stderr)?)
        .map_err(|_| TelemetryError::AlreadyStarted)
}

/// The subscriber that [`init`] installs, writing elsewhere.
fn subscriber<W>(
    format: Format,
    filter: &str,
    writer: W,
) -> Result<impl Subscriber + Send + Sync + use<W>, TelemetryError>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let filter = EnvFilter::try_new(filter)?;
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match format {
        Format::Pretty => lines.with_ansi(colour()).boxed(),
        Format::Json => lines.json().flatten_event(true).boxed(),
    };
    Ok(Registry::default().with(lines.with_filter(filter)))
}

/// Colour only for a person: not in files and pipes, and not where `NO_COLOR`
/// asks for none.
fn colour() -> bool {
    io::IsTerminal::is_terminal(&io::stderr())
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
