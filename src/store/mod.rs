//! The only user of SeaORM: commit, claims, inbox, reads.
