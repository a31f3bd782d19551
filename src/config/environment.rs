//! The layer of environment variables. It works on pairs handed in, not on the
//! process, so that tests never change their own environment.

use figment::{
    Error, Metadata, Profile, Provider,
    util::nest,
    value::{Dict, Map, Value},
};

const PREFIX: &str = "PAYONCE_";

/// What this layer is called in messages.
pub(super) const ENVIRONMENT: &str = "the environment";

/// Begin with the prefix, but are no configuration: variables of the tests,
/// and those the command line reads itself (which file, which server).
const NOT_CONFIGURATION: [&str; 3] = ["TEST_", "CONFIG", "SERVER"];

/// Variables `PAYONCE_SECTION__KEY`; two underscores separate levels. A value
/// is read as TOML reads it where that is possible, else as text.
pub(super) struct Environment(pub(super) Vec<(String, String)>);

impl Environment {
    /// The process's variables; those that are not UTF-8 are left out.
    pub(super) fn of_process() -> Self {
        let text = |s: std::ffi::OsString| s.into_string().ok();
        Self(
            std::env::vars_os()
                .filter_map(|(name, value)| Some((text(name)?, text(value)?)))
                .collect(),
        )
    }
}

/// The key a variable stands for, with dots between levels.
fn key_of(variable: &str) -> Option<String> {
    let name = variable.strip_prefix(PREFIX)?;
    let [test, command_line @ ..] = NOT_CONFIGURATION;
    if name.is_empty() || name.starts_with(test) || command_line.contains(&name) {
        return None;
    }
    Some(name.to_ascii_lowercase().replace("__", "."))
}

impl Provider for Environment {
    fn metadata(&self) -> Metadata {
        Metadata::named(ENVIRONMENT)
    }

    fn data(&self) -> Result<Map<Profile, Dict>, Error> {
        let mut all = Dict::new();
        for (name, value) in &self.0 {
            if let Some(key) = key_of(name) {
                let value = value.parse().unwrap_or_else(|never| match never {});
                if let Value::Dict(_, nested) = nest(&key, value) {
                    join(&mut all, nested);
                }
            }
        }
        Ok(Profile::Default.collect(all))
    }
}

/// Adds `more` to `all`, level by level.
fn join(all: &mut Dict, more: Dict) {
    for (key, value) in more {
        match (all.get_mut(&key), value) {
            (Some(Value::Dict(_, below)), Value::Dict(_, nested)) => join(below, nested),
            (_, value) => {
                all.insert(key, value);
            }
        }
    }
}
