//! How a tool ends: its report, and whether anything was violated.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use serde::Serialize;

/// Writes the report to `target/reports/NAME.json` and prints it: as one line
/// of JSON, or indented for people.
pub(super) fn show(
    name: &str,
    json: bool,
    report: &impl Serialize,
    violated: bool,
) -> anyhow::Result<ExitCode> {
    let folder = Path::new("target/reports");
    fs::create_dir_all(folder).context("no folder for the report")?;
    let text = serde_json::to_string(report)?;
    let pretty = serde_json::to_string_pretty(report)?;
    fs::write(folder.join(format!("{name}.json")), format!("{text}\n"))
        .context("the report cannot be written")?;
    println!("{}", if json { text } else { pretty });
    Ok(if violated {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}
