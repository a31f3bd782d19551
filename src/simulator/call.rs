//! One call under `/v1`, as it came off the wire.

use axum::body::Bytes;
use serde::{Deserialize, Serialize};

use super::answer::Refusal;
use super::command::Command;
use super::look_up::LookUp;
use super::state::State;

/// What kind of call it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Operation {
    Payment,
    Capture,
    Void,
    Refund,
    LookUp,
}

/// What is wanted.
#[derive(Debug)]
pub(super) enum Work {
    Change(Command),
    LookUp(LookUp),
}

/// A call whose whole body has arrived.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) operation: Operation,
    pub(super) method: &'static str,
    /// Path and query.
    pub(super) path: String,
    /// The `Idempotency-Key` header as sent, also where it is ignored.
    pub(super) key: Option<String>,
    pub(super) body: Bytes,
    /// What is wanted, or why it cannot be read.
    pub(super) work: Result<Work, Refusal>,
}

/// What a call is about, for faults and for the list of requests.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) operation: Operation,
    /// The call's own merchant reference, then that of its payment.
    pub(super) references: Vec<String>,
    /// The key sent, or that of the object looked up.
    pub(super) key: Option<String>,
}

impl Subject {
    pub(super) fn of(call: &Call, state: &State) -> Self {
        let payment_reference = |id: &str| state.payment(id)?.reference.clone();
        let mut key = call.key.clone();
        let references = match &call.work {
            Err(_) => [None, None],
            Ok(Work::Change(command)) => match command {
                Command::Pay(asked) => [asked.reference.clone(), None],
                Command::Capture { payment, .. } | Command::Void { payment } => {
                    [payment_reference(payment), None]
                }
                Command::Refund { payment, asked } => {
                    [asked.reference.clone(), payment_reference(payment)]
                }
            },
            Ok(Work::LookUp(look_up)) => {
                let (references, looked_up_key) = look_up.subject(state);
                key = key.or(looked_up_key);
                references
            }
        };
        Self {
            operation: call.operation,
            references: references.into_iter().flatten().collect(),
            key,
        }
    }
}
