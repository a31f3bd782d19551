//! The ledger row: facts as canonical bytes, chained by SHA-256.
//!
//! A row holds `hash = SHA-256(hash of the row before || body)`. Strings that
//! come from people or providers are kept apart: the body holds a salted
//! digest of each, so that they can be removed one day without breaking the
//! chain, and so that a salted digest cannot be guessed from a list.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::evolve::{Unreplayable, evolve};
use super::fact::{Entry, Fact};
use super::ids::{CommitId, OperationId};
use super::operation::Record;
use super::reference::TenantId;
use super::time::Instant;

/// The names of fact fields whose values are foreign strings.
const FOREIGN: [&str; 8] = [
    "payment_method",
    "payee",
    "customer_ref",
    "agent",
    "description",
    "labels",
    "canonical",
    "url",
];

/// One stored ledger row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerRow {
    /// Whose.
    pub tenant: TenantId,
    /// Of which operation.
    pub operation_id: OperationId,
    /// The version the operation has after it.
    pub version: i64,
    /// When, by the database's clock.
    pub at: Instant,
    /// The commit that wrote it.
    pub commit_id: CommitId,
    /// What was handed to `decide`.
    pub event: String,
    /// The facts as JSON, byte for byte what was hashed.
    pub body: String,
    /// The foreign strings that the body holds digests of, as JSON.
    pub foreign: String,
    /// The hash of the row before; zeros for the first.
    pub previous: [u8; 32],
    /// `SHA-256(previous || body)`.
    pub hash: [u8; 32],
}

/// A ledger that does not hold together.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Broken {
    /// A version is missing or doubled.
    #[error("version {0} does not follow its predecessor")]
    Gap(i64),
    /// A row does not name the hash of the row before.
    #[error("version {0} does not name the hash of the row before")]
    Unchained(i64),
    /// A row's bytes do not have its hash.
    #[error("version {0} does not have its hash")]
    Altered(i64),
    /// A foreign string does not have the digest that the body holds.
    #[error("version {0} holds a foreign string that was altered or taken away")]
    ForeignAltered(i64),
    /// A body that cannot be read.
    #[error("version {0} cannot be read")]
    Unreadable(i64),
    /// Facts that do not fit each other.
    #[error("version {0}: {1}")]
    Unreplayable(i64, Unreplayable),
}

#[derive(Serialize, Deserialize)]
struct Body {
    operation_id: OperationId,
    version: i64,
    at: Instant,
    commit_id: CommitId,
    event: String,
    facts: Value,
}

#[derive(Serialize, Deserialize)]
struct Foreign {
    salt: String,
    value: Value,
}

type Foreigners = BTreeMap<String, Foreign>;

impl Body {
    /// The columns beside the body repeat it for queries; the chain covers
    /// only the body.
    fn is_of(&self, row: &LedgerRow) -> bool {
        self.operation_id == row.operation_id
            && self.version == row.version
            && self.at == row.at
            && self.commit_id == row.commit_id
            && self.event == row.event
    }
}

/// Who and where a sealed row belongs.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Whose.
    pub tenant: &'a TenantId,
    /// Of which operation.
    pub operation_id: OperationId,
    /// The commit that writes it.
    pub commit_id: CommitId,
    /// The hash of the row before.
    pub previous: [u8; 32],
}

/// Seals an entry into a row. `salt` is 16 random bytes, fresh for each row.
pub fn seal(place: Place<'_>, entry: &Entry, salt: [u8; 16]) -> LedgerRow {
    let mut facts = serde_json::to_value(&entry.facts).expect("facts are plain data");
    let mut foreign = Foreigners::new();
    take_apart(
        &mut facts,
        "",
        &data_encoding::HEXLOWER.encode(&salt),
        &mut foreign,
    );
    let body = Body {
        operation_id: place.operation_id,
        version: entry.version,
        at: entry.at,
        commit_id: place.commit_id,
        event: entry.event.to_owned(),
        facts,
    };
    let body = serde_json::to_string(&body).expect("plain data");
    LedgerRow {
        tenant: place.tenant.clone(),
        operation_id: place.operation_id,
        version: entry.version,
        at: entry.at,
        commit_id: place.commit_id,
        event: entry.event.to_owned(),
        hash: chain(&place.previous, &body),
        previous: place.previous,
        body,
        foreign: serde_json::to_string(&foreign).expect("plain data"),
    }
}

fn chain(previous: &[u8; 32], body: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(previous);
    hash.update(body.as_bytes());
    hash.finalize().into()
}

fn digest(foreign: &Foreign) -> String {
    let mut hash = Sha256::new();
    hash.update(foreign.salt.as_bytes());
    hash.update(foreign.value.to_string().as_bytes());
    data_encoding::HEXLOWER.encode(&hash.finalize())
}

fn take_apart(value: &mut Value, path: &str, salt: &str, foreign: &mut Foreigners) {
    match value {
        Value::Object(map) => {
            for (name, inner) in map.iter_mut() {
                let path = format!("{path}/{name}");
                if FOREIGN.contains(&name.as_str()) && !inner.is_null() {
                    let kept = Foreign {
                        salt: format!("{salt}{path}"),
                        value: inner.take(),
                    };
                    *inner = Value::String(digest(&kept));
                    foreign.insert(path, kept);
                } else {
                    take_apart(inner, &path, salt, foreign);
                }
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter_mut().enumerate() {
                take_apart(inner, &format!("{path}/{index}"), salt, foreign);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The places of foreign strings in a body.
fn find_foreign(value: &Value, path: &str, places: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (name, inner) in map {
                let path = format!("{path}/{name}");
                if FOREIGN.contains(&name.as_str()) && !inner.is_null() {
                    places.insert(path);
                } else {
                    find_foreign(inner, &path, places);
                }
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                find_foreign(inner, &format!("{path}/{index}"), places);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Reads a row's facts back, foreign strings in their places.
pub fn open(row: &LedgerRow) -> Result<Vec<Fact>, Broken> {
    let unreadable = |_| Broken::Unreadable(row.version);
    let mut body: Body = serde_json::from_str(&row.body).map_err(unreadable)?;
    let foreign: Foreigners = serde_json::from_str(&row.foreign).map_err(unreadable)?;
    if !body.is_of(row) {
        return Err(Broken::Altered(row.version));
    }
    let mut places = BTreeSet::new();
    find_foreign(&body.facts, "", &mut places);
    if !foreign.keys().eq(&places) {
        return Err(Broken::ForeignAltered(row.version));
    }
    for (path, kept) in foreign {
        let slot = body
            .facts
            .pointer_mut(&path)
            .ok_or(Broken::Unreadable(row.version))?;
        if slot.as_str() != Some(digest(&kept).as_str()) {
            return Err(Broken::ForeignAltered(row.version));
        }
        *slot = kept.value;
    }
    serde_json::from_value(body.facts).map_err(unreadable)
}

/// Checks the chain and replays it to the record it stands for. `None` for an
/// empty ledger.
pub fn replay(rows: &[LedgerRow]) -> Result<Option<Record>, Broken> {
    let (mut record, mut head) = (None, [0; 32]);
    for (expected, row) in (1..).zip(rows) {
        if row.version != expected {
            return Err(Broken::Gap(row.version));
        }
        if row.previous != head {
            return Err(Broken::Unchained(row.version));
        }
        if chain(&row.previous, &row.body) != row.hash {
            return Err(Broken::Altered(row.version));
        }
        let facts = open(row)?;
        let next = evolve(row.operation_id, record, row.version, row.at, &facts);
        let mut next = next.map_err(|error| Broken::Unreplayable(row.version, error))?;
        if next.operation.intent.tenant != row.tenant {
            return Err(Broken::Altered(row.version));
        }
        (head, next.operation.ledger_head) = (row.hash, row.hash);
        record = Some(next);
    }
    Ok(record)
}
