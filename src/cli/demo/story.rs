//! Tells the story step by step, while it happens.

use std::time::Duration;

use indicatif::ProgressBar;

use crate::cli::output::Output;
use crate::clock::BootTime;

/// Prints for people; with `--json` it tells nothing.
pub(super) struct Story {
    output: Output,
    began: BootTime,
}

impl Story {
    pub(super) fn begin(output: Output) -> Self {
        Self {
            output,
            began: BootTime::now(),
        }
    }

    /// A heading.
    pub(super) fn scene(&self, title: &str) {
        self.output.text(&format!("\n{title}"));
    }

    /// Who did what, and how many seconds after the beginning.
    pub(super) fn step(&self, who: &str, what: &str) {
        let at = BootTime::now().since(self.began).as_secs_f64();
        self.output
            .text(&format!("  {at:>4.1} s  {who:<9}  {what}"));
    }

    /// Anything else, as it is.
    pub(super) fn show(&self, text: &str) {
        self.output.text(text);
    }

    /// Waits, with something that moves on a terminal.
    pub(super) async fn while_waiting<T>(
        &self,
        for_what: &'static str,
        work: impl Future<Output = T>,
    ) -> T {
        let spinner = if self.output.is_json() {
            ProgressBar::hidden()
        } else {
            ProgressBar::new_spinner()
        };
        spinner.set_message(for_what);
        spinner.enable_steady_tick(Duration::from_millis(100));
        let result = work.await;
        spinner.finish_and_clear();
        result
    }
}
