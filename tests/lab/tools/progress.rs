//! One line on standard error that tells how a long tool goes on.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A line that shows the last thing it was told; nothing where standard error
/// is no terminal.
pub(super) fn line() -> ProgressBar {
    let style =
        ProgressStyle::with_template("{spinner} {elapsed_precise} {wide_msg}").expect("a template");
    let line = ProgressBar::new_spinner().with_style(style);
    line.enable_steady_tick(Duration::from_millis(200));
    line
}
