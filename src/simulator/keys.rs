//! Idempotency keys: what a repeat is told.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::answer::{Refusal, Reply};
use super::clock::TimeScale;
use super::model::KeyRecord;
use super::processor::lock;
use super::profile::Profile;
use super::view::View;

/// SHA-256 of the bytes, in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// The keys whose first request has not been answered yet.
#[derive(Debug, Clone, Default)]
pub(super) struct KeysInFlight(Arc<Mutex<HashSet<String>>>);

/// Marks a key as in flight until dropped.
#[derive(Debug)]
pub(super) struct InFlight {
    keys: KeysInFlight,
    key: String,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        lock(&self.keys.0).remove(&self.key);
    }
}

impl KeysInFlight {
    pub(super) fn begin(&self, key: &str) -> InFlight {
        lock(&self.0).insert(key.to_owned());
        InFlight {
            keys: self.clone(),
            key: key.to_owned(),
        }
    }

    fn holds(&self, key: &str) -> bool {
        lock(&self.0).contains(key)
    }
}

/// A request that carries a key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keyed<'a> {
    pub(super) key: &'a str,
    pub(super) path: &'a str,
    pub(super) body_sha256: &'a str,
}

/// The answer to a repeat; `None` if the key is new, or old enough to have been
/// forgotten.
pub(super) fn repeat(
    view: View<'_>,
    in_flight: &KeysInFlight,
    profile: Profile,
    scale: TimeScale,
    asked: Keyed<'_>,
) -> Option<Result<Reply, Refusal>> {
    let record = view.state.key(asked.key)?;
    if in_flight.holds(asked.key) {
        return Some(Err(if same_request(record, asked) {
            Refusal::key_in_flight()
        } else {
            Refusal::key_mismatch()
        }));
    }
    let forgotten_at_ms = record.first_ms.saturating_add(scale.key_life_ms());
    if view.state.now_ms() >= forgotten_at_ms {
        return None;
    }
    if !same_request(record, asked) {
        return Some(Err(Refusal::key_mismatch()));
    }
    let stored = Reply::new(record.status, record.body.clone());
    let reply = match profile {
        Profile::LatestStatus => view.reply(&record.object).unwrap_or(stored),
        Profile::StripeLike | Profile::NoIdempotency | Profile::ReportOnly => stored,
    };
    Some(Ok(Reply {
        replayed: true,
        ..reply
    }))
}

fn same_request(record: &KeyRecord, asked: Keyed<'_>) -> bool {
    record.path == asked.path && record.body_sha256 == asked.body_sha256
}
