//! What the replicas say in their logs about work that came too late.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;

/// Counts of log lines.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Logged {
    /// An attempt was durable, and its time was over before its first byte:
    /// nothing was sent.
    pub(crate) too_late_to_send: u64,
    /// An attempt was not opened: the lease was lost or the row had changed.
    pub(crate) not_opened: u64,
    /// Something was to be written and was not: the lease was lost meanwhile.
    pub(crate) not_written: u64,
    /// Something was written.
    pub(crate) recorded: u64,
}

#[derive(Deserialize)]
struct Line {
    message: String,
    cause: Option<String>,
}

/// Counts the lines in the logs of these names.
pub(super) fn counted(folder: &Path, names: impl Iterator<Item = String>) -> Logged {
    let mut logged = Logged::default();
    for name in names {
        let Ok(file) = File::open(folder.join(format!("{name}.log"))) else {
            continue;
        };
        for text in BufReader::new(file).lines().map_while(Result::ok) {
            // The last line of a killed process may be torn.
            if let Ok(line) = serde_json::from_str::<Line>(&text) {
                logged.add(&line);
            }
        }
    }
    logged
}

impl Logged {
    fn add(&mut self, line: &Line) {
        let count = match (line.message.as_str(), line.cause.as_deref()) {
            ("not sent", Some("too late to write the first byte")) => &mut self.too_late_to_send,
            ("another writer was faster, no attempt was opened", _) => &mut self.not_opened,
            ("the lease was lost meanwhile, nothing was written", _) => &mut self.not_written,
            ("recorded", _) => &mut self.recorded,
            _ => return,
        };
        *count += 1;
    }
}
