//! The text of the schema, in the words of either database.

use sea_orm_migration::sea_orm::DbBackend;
use sha2::{Digest, Sha256};

/// The number of the schema's shape. The checksum says more; the number is
/// for people.
pub const SCHEMA_VERSION: i32 = 1;

const TABLES: [&str; 12] = [
    include_str!("../sql/deployment.sql"),
    include_str!("../sql/operations.sql"),
    include_str!("../sql/effects.sql"),
    include_str!("../sql/attempts.sql"),
    include_str!("../sql/ledger.sql"),
    include_str!("../sql/outbox.sql"),
    include_str!("../sql/provider_events.sql"),
    include_str!("../sql/cases.sql"),
    include_str!("../sql/fulfilments.sql"),
    include_str!("../sql/mandates.sql"),
    include_str!("../sql/settlement.sql"),
    include_str!("../sql/provider_leases.sql"),
];

/// What marks a SQLite file as payonce's ("payo" in ASCII), see `PRAGMA
/// application_id`.
pub const SQLITE_APPLICATION_ID: i32 = 0x70_61_79_6f;

const SQLITE_MARK: &str = include_str!("../sql/sqlite_mark.sql");

const POSTGRES_TUNING: &str = include_str!("../sql/postgres_tuning.sql");

/// The statements that make an empty database into a store, without comments
/// and blank lines.
///
/// # Panics
/// On a backend other than SQLite and PostgreSQL, which the store refuses
/// before it comes here.
pub fn schema(backend: DbBackend) -> String {
    let (words, tuning): ([(&str, &str); 5], &str) = match backend {
        DbBackend::Postgres => (
            [
                ("{uuid}", "UUID"),
                ("{bytes}", "BYTEA"),
                ("{big}", "BIGINT"),
                ("{bool}", "BOOLEAN"),
                ("{strict}", ""),
            ],
            POSTGRES_TUNING,
        ),
        DbBackend::Sqlite => (
            [
                ("{uuid}", "BLOB"),
                ("{bytes}", "BLOB"),
                ("{big}", "INTEGER"),
                ("{bool}", "INTEGER"),
                ("{strict}", " STRICT"),
            ],
            SQLITE_MARK,
        ),
        other => panic!("no schema for {other:?}"),
    };
    let text = TABLES.join("\n") + tuning;
    let lines = text.lines().filter(|line| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with("--")
    });
    let bare = lines.collect::<Vec<_>>().join("\n");
    words
        .into_iter()
        .fold(bare, |text, (word, meaning)| text.replace(word, meaning))
}

/// SHA-256 of [`schema`] in hexadecimal: the same for two databases exactly
/// if their tables, checks and indexes were made alike.
pub fn checksum(backend: DbBackend) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(schema(backend).as_bytes()))
}
