//! Puts the layers of a configuration on top of each other and checks the
//! result once.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use figment::{
    Figment,
    providers::{Format, Serialized, Toml},
};
use serde::Serialize;

use super::{Config, ConfigError, Problem, environment::Environment, problem::FILE_FLAG, rules};

pub(super) const DEFAULT: &str = include_str!("default.toml");

/// Collects the layers; [`Loader::load`] reads and checks them.
#[must_use]
pub struct Loader {
    file: Option<PathBuf>,
    environment: Environment,
    flags: Figment,
}

impl Loader {
    /// The compiled-in defaults alone.
    pub fn new() -> Self {
        Self {
            file: None,
            environment: Environment(Vec::new()),
            flags: Figment::new(),
        }
    }

    /// A TOML file over the defaults. It must exist.
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// The variables `PAYONCE_SECTION__KEY` of this process over the file.
    pub fn process_environment(mut self) -> Self {
        self.environment = Environment::of_process();
        self
    }

    /// Variables handed in, in place of the process's.
    pub fn environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        self.environment = Environment(variables.into_iter().collect());
        self
    }

    /// One value, as a flag gives it, over everything else. `key` has dots
    /// between levels, for instance `database.urls`.
    pub fn set(mut self, key: &str, value: impl Serialize) -> Self {
        self.flags = self.flags.merge(Serialized::default(key, value));
        self
    }

    /// Reads all layers and checks the result.
    ///
    /// # Errors
    ///
    /// A file that is missing or not TOML, an unknown key or a value of the
    /// wrong shape (the first one found), or else all broken rules together.
    pub fn load(self) -> Result<Config, ConfigError> {
        let mut layers = Figment::from(Toml::string(DEFAULT));
        if let Some(path) = self.file {
            must_be_readable(&path)?;
            layers = layers.merge(Toml::file_exact(path));
        }
        let config: Config = layers.merge(self.environment).merge(self.flags).extract()?;
        rules::check(&config)?;
        Ok(config)
    }
}

/// A file that is not there would be no layer at all, without a word.
fn must_be_readable(path: &Path) -> Result<(), ConfigError> {
    let Err(error) = File::open(path) else {
        return Ok(());
    };
    Err(ConfigError {
        problems: vec![Problem {
            key: FILE_FLAG.to_owned(),
            rule: format!("cannot read {}: {error}", path.display()),
            origin: None,
        }],
    })
}

impl Default for Loader {
    fn default() -> Self {
        Self::new()
    }
}
