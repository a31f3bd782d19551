//! Text from outside, made safe for logs.
//!
//! A provider's message may hold a card number, a name, or line breaks that
//! forge a log line. What goes to a log is its length and the beginning of its
//! SHA-256: enough to see that two answers were the same, and to find the text
//! in the provider's own records.

use std::fmt;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// Bytes of the hash that are shown; as many hexadecimal digits as a short
/// commit id.
const SHOWN: usize = 4;

/// What may be logged about a text; see [`redact`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redacted {
    length: usize,
    hash: [u8; SHOWN],
}

/// Keeps the length in bytes and the first 8 hexadecimal digits of the SHA-256
/// of `text`, and nothing else of it.
pub fn redact(text: impl AsRef<[u8]>) -> Redacted {
    let text = text.as_ref();
    let digest: [u8; 32] = Sha256::digest(text).into();
    let [a, b, c, d, ..] = digest;
    Redacted {
        length: text.len(),
        hash: [a, b, c, d],
    }
}

/// For instance `[3 bytes, sha256 ba7816bf]`.
impl fmt::Display for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hash = HEXLOWER.encode(&self.hash);
        write!(f, "[{} bytes, sha256 {hash}]", self.length)
    }
}
