//! What arrived on the wire, for judges: kept in memory, the last 100,000.

use std::collections::VecDeque;

use serde::Serialize;

use super::call::{Call, Subject};
use super::keys::sha256;

const KEPT: usize = 100_000;

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// It is being worked on, or its work was cut off by a stop.
    Received,
    /// It had its effect, whatever was answered.
    Executed,
    /// It was recognised by its key.
    Replayed,
    /// It had no effect and was told so.
    Refused,
    /// It had no effect and no answer.
    Dropped,
    LookedUp,
}

/// One request.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Request {
    at_ms: i64,
    method: &'static str,
    path: String,
    idempotency_key: Option<String>,
    body_sha256: String,
    body: String,
    reference: Option<String>,
    #[serde(skip)]
    references: Vec<String>,
    outcome: Outcome,
    /// The status of the answer; none while it is awaited, and none where the
    /// socket was closed instead.
    answer: Option<u16>,
    fault: Option<&'static str>,
}

impl Request {
    pub(super) fn new(call: &Call, subject: &Subject, at_ms: i64) -> Self {
        Self {
            at_ms,
            method: call.method,
            path: call.path.clone(),
            idempotency_key: call.key.clone(),
            body_sha256: sha256(&call.body),
            body: String::from_utf8_lossy(&call.body).into_owned(),
            reference: subject.references.first().cloned(),
            references: subject.references.clone(),
            outcome: Outcome::Received,
            answer: None,
            fault: None,
        }
    }
}

/// Where a request is found again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place(u64);

/// The requests, oldest first.
#[derive(Debug, Default)]
pub(super) struct WireLog {
    requests: VecDeque<Request>,
    dropped: u64,
}

impl WireLog {
    pub(super) fn add(&mut self, request: Request) -> Place {
        if self.requests.len() == KEPT {
            self.requests.pop_front();
            self.dropped += 1;
        }
        self.requests.push_back(request);
        Place(self.dropped + self.requests.len() as u64 - 1)
    }

    pub(super) fn set_fault(&mut self, place: Place, fault: &'static str) {
        if let Some(request) = self.at(place) {
            request.fault = Some(fault);
        }
    }

    pub(super) fn set_outcome(&mut self, place: Place, outcome: Outcome) {
        if let Some(request) = self.at(place) {
            request.outcome = outcome;
        }
    }

    pub(super) fn set_answer(&mut self, place: Place, status: u16) {
        if let Some(request) = self.at(place) {
            request.answer = Some(status);
        }
    }

    fn at(&mut self, place: Place) -> Option<&mut Request> {
        let position = place.0.checked_sub(self.dropped)?;
        self.requests.get_mut(usize::try_from(position).ok()?)
    }

    /// The requests with this reference (their own or their payment's) and this
    /// key; what is absent matches everything.
    pub(super) fn find(&self, reference: Option<&String>, key: Option<&String>) -> Vec<&Request> {
        let found = self.requests.iter().filter(|request| {
            reference.is_none_or(|it| request.references.contains(it))
                && key.is_none_or(|it| request.idempotency_key.as_ref() == Some(it))
        });
        found.collect()
    }
}
