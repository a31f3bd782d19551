//! Why a command did not do what was asked.

use std::fmt::{self, Display};

use serde_json::{Value, json};

use super::{Exit, words};
use crate::app::StartError;
use crate::client::ClientError;
use crate::config::ConfigError;

/// Why a command failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The command line itself.
    Usage { message: String },
    /// A value on the command line, and the rule that it breaks.
    Argument { field: &'static str, rule: String },
    /// The configuration.
    Config(ConfigError),
    /// Starting a part of payonce.
    Start(StartError),
    /// A call.
    Client(Box<ClientError>),
    /// Anything else.
    Internal(anyhow::Error),
}

impl Failure {
    pub(super) fn usage(message: &str) -> Self {
        Self::Usage {
            message: message.trim().to_owned(),
        }
    }

    pub(super) fn argument(field: &'static str, rule: impl Display) -> Self {
        Self::Argument {
            field,
            rule: rule.to_string(),
        }
    }

    pub(super) fn internal(error: impl Into<anyhow::Error>) -> Self {
        Self::Internal(error.into())
    }

    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } | Self::Argument { .. } | Self::Config(_) => Exit::Usage,
            Self::Start(error) if error.is_unavailable() => Exit::Unavailable,
            Self::Start(error) if error.is_refusal() => Exit::Refused,
            Self::Start(_) | Self::Internal(_) => Exit::Internal,
            Self::Client(error) => Exit::of_error(error),
        }
    }

    /// The error for programs. `effect` says what was recorded because of the
    /// command, as in the contract's ErrorDetail.
    pub(super) fn to_json(&self) -> Value {
        let mut error = match self {
            Self::Client(error) => of_client(error),
            Self::Usage { .. } => plain("USAGE", &[]),
            Self::Argument { field, rule } => {
                plain("USAGE", &[((*field).to_owned(), rule.clone())])
            }
            Self::Config(error) => {
                let problems = error.problems.iter();
                let problems: Vec<_> = problems
                    .map(|problem| (problem.key.clone(), problem.rule.clone()))
                    .collect();
                plain("CONFIGURATION", &problems)
            }
            Self::Start(_) => plain("NOT_STARTED", &[]),
            Self::Internal(_) => plain("INTERNAL", &[]),
        };
        error["message"] = self.to_string().into();
        error["exit_code"] = (self.exit() as u8).into();
        json!({ "error": error })
    }
}

/// An error of this side: nothing was recorded because of it.
fn plain(code: &str, violations: &[(String, String)]) -> Value {
    let violation = |(field, rule): &(String, String)| json!({ "field": field, "rule": rule });
    let violations: Vec<Value> = violations.iter().map(violation).collect();
    json!({ "code": code, "effect": "NONE", "violations": violations })
}

fn of_client(error: &ClientError) -> Value {
    let violations = error.violations.iter();
    let violations: Vec<Value> = violations
        .map(|violation| json!({ "field": violation.field, "rule": violation.rule }))
        .collect();
    json!({
        "code": error.code_name(),
        "reason": error.reason,
        "effect": words::effect(error.effect),
        "operation_id": error.operation_id,
        "safe_next_action": words::action(error.safe_next_action.into()),
        "violations": violations,
        "retry_after_ms": error.retry_after.map(|pause| u64::try_from(pause.as_millis()).ok()),
    })
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage { message } => f.write_str(message),
            Self::Argument { field, rule } => write!(f, "{field}: {rule}"),
            Self::Config(error) => error.fmt(f),
            Self::Start(error) => error.fmt(f),
            Self::Client(error) => error.fmt(f),
            Self::Internal(error) => write!(f, "{error:#}"),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        Self::Start(error)
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Self::Client(Box::new(error))
    }
}
