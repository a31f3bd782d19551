//! The one door: execute, record, queries; load, decide, commit, re-decide on Stale.
