//! What is wrong with a configuration: keys and rules, never values.

use std::fmt;

use figment::{Metadata, Source, error::Kind};

use super::environment::ENVIRONMENT;

/// Key of a problem with the file itself.
pub(super) const FILE_FLAG: &str = "--config";

/// One thing wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The key, for instance `timing.lease_ms`; for a file that cannot be read
    /// or parsed, `--config`.
    pub key: String,
    /// The rule that is broken. Never holds the value: it may be a secret.
    pub rule: String,
    /// Where the value came from, for instance a file or the environment, as
    /// far as that is known.
    pub origin: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.rule)?;
        match &self.origin {
            Some(origin) => write!(f, " (from {origin})"),
            None => Ok(()),
        }
    }
}

/// Everything wrong with a configuration. Its text has one line a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// At least one.
    pub problems: Vec<Problem>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the configuration is not usable:")?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

/// Values of the wrong shape, as figment reports them: the first one only,
/// because reading stops there.
impl From<figment::Error> for ConfigError {
    fn from(error: figment::Error) -> Self {
        Self {
            problems: error.into_iter().map(Problem::from).collect(),
        }
    }
}

impl From<figment::Error> for Problem {
    fn from(error: figment::Error) -> Self {
        let mut path = error.path;
        let rule = match error.kind {
            Kind::UnknownField(_, known) => {
                format!("unknown key; known here: {}", known.join(", "))
            }
            Kind::MissingField(field) => {
                path.push(field.into_owned());
                "is missing".to_owned()
            }
            Kind::UnknownVariant(_, known) => format!("must be one of {}", known.join(", ")),
            Kind::InvalidType(_, expected)
            | Kind::InvalidValue(_, expected)
            | Kind::InvalidLength(_, expected) => format!("must be {expected}"),
            Kind::ISizeOutOfRange(_) | Kind::USizeOutOfRange(_) => "is out of range".to_owned(),
            Kind::DuplicateField(_) => "is given twice".to_owned(),
            Kind::Unsupported(_) | Kind::UnsupportedKey(..) => {
                "has a type that is not supported".to_owned()
            }
            Kind::Message(text) => without_source_lines(&text),
        };
        Self {
            key: key_at(&path),
            rule,
            origin: error.metadata.and_then(|layer| origin(&layer)),
        }
    }
}

/// Joins a path as the rules write it: `providers[0].url`.
fn key_at(path: &[String]) -> String {
    let mut key = String::new();
    for part in path {
        if part.bytes().all(|b| b.is_ascii_digit()) {
            key.push_str(&format!("[{part}]"));
        } else {
            key.push_str(if key.is_empty() { "" } else { "." });
            key.push_str(part);
        }
    }
    if key.is_empty() {
        FILE_FLAG.to_owned()
    } else {
        key
    }
}

/// The file or the environment; the place in our own code that set a flag
/// helps nobody.
fn origin(layer: &Metadata) -> Option<String> {
    match &layer.source {
        Some(Source::File(path)) => Some(path.display().to_string()),
        None if layer.name == ENVIRONMENT => Some(ENVIRONMENT.to_owned()),
        _ => None,
    }
}

/// TOML's parse errors quote the line they are about, which may hold a
/// password; the lines of the quotation contain a bar.
fn without_source_lines(text: &str) -> String {
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains('|') && !line.trim().is_empty())
        .collect();
    kept.join(": ")
}

/// Collects broken rules.
#[derive(Default)]
pub(super) struct Problems(Vec<Problem>);

impl Problems {
    pub(super) fn require(&mut self, kept: bool, key: impl fmt::Display, rule: &str) {
        if !kept {
            self.add(key, rule);
        }
    }

    pub(super) fn add(&mut self, key: impl fmt::Display, rule: &str) {
        self.0.push(Problem {
            key: key.to_string(),
            rule: rule.to_owned(),
            origin: None,
        });
    }

    pub(super) fn into_result(self) -> Result<(), ConfigError> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(ConfigError { problems: self.0 })
    }
}
