//! The database's clock, as an expression in its SQL.

use sea_orm::DbBackend;

/// Microseconds since 1970, when the expression is evaluated: on PostgreSQL
/// `clock_timestamp()`, because `now()` is when the transaction began, before
/// it waited for anything. SQLite counts milliseconds.
pub(super) fn now_micros(backend: DbBackend) -> &'static str {
    match backend {
        DbBackend::Postgres => "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::BIGINT",
        _ => "CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) * 1000",
    }
}
