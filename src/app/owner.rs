//! The name that leases are held under.

use uuid::Uuid;

/// Host and process for people, and random bits that make the name unique
/// among all replicas and all lives of one of them: a new process must never
/// take the leases of a dead one for its own.
pub(super) fn name() -> String {
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy();
    let process = std::process::id();
    let life = Uuid::now_v7().simple().to_string();
    // The random part of a UUIDv7 (RFC 9562) is at its end.
    format!("{host}:{process}:{}", &life[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_lives_share_a_name() {
        let (one, other) = (name(), name());
        assert_ne!(one, other);
        let process = std::process::id().to_string();
        assert_eq!(one.split(':').rev().nth(1), Some(process.as_str()));
    }
}
