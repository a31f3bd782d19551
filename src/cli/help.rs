//! What stands below the help of every command.

/// Examples, then the exit codes. The codes are those of [`super::Exit`]; a
/// test compares them.
macro_rules! help {
    ($examples:literal) => {
        concat!(
            "Example:\n",
            $examples,
            "\n\nExit codes: 0 done, 1 internal, 2 usage, 3 pending, 4 declined, 5 refused, \
             6 unavailable"
        )
    };
}

pub(super) use help;
