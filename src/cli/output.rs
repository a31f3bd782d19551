//! Where results and errors go.

use std::io::{self, Write};

use prost::{Message, Name};
use serde_json::Value;

use super::failure::Failure;
use crate::proto;

/// Standard output and standard error, for people or for programs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    json: bool,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self { json }
    }

    pub(super) fn is_json(self) -> bool {
        self.json
    }

    /// A result: `message` for programs, `text` for people.
    pub(super) fn message<M: Message + Name>(
        self,
        message: &M,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.json {
            let value = proto::to_json(message).map_err(Failure::internal)?;
            self.line(&value.to_string());
        } else {
            self.line(text().trim_end());
        }
        Ok(())
    }

    /// A result that is no message of the contract.
    pub(super) fn value(self, value: &Value, text: &str) {
        if self.json {
            self.line(&value.to_string());
        } else {
            self.line(text);
        }
    }

    /// A line for people only.
    pub(super) fn text(self, text: &str) {
        if !self.json {
            self.line(text);
        }
    }

    /// An error, on standard error.
    pub(super) fn failure(self, failure: &Failure) {
        let text = if self.json {
            failure.to_json().to_string()
        } else {
            format!("error: {failure}")
        };
        // A reader that has gone is no reason to fail.
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    fn line(self, text: &str) {
        let mut out = io::stdout().lock();
        // As above: `payonce op list | head` is no error.
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }
}
