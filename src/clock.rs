//! Database time, manual time.
