//! What an error of the database means for what is to be done next.
//!
//! Guarantee: a commit counts as not written only where that is certain.
//! Whatever is not recognised leaves it open.

use sea_orm::sqlx;
use sea_orm::{DbErr, RuntimeErr};

use super::StoreError;

/// What an error of the database means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Trouble {
    /// A unique index did not hold.
    Unique,
    /// A rule of the schema did not hold, or the statement makes no sense: a
    /// mistake in the code.
    Rule(String),
    /// It passes: another try can succeed.
    Passing(String),
    /// It does not pass by itself soon.
    Lasting(String),
    /// What is stored is not what was written.
    Damaged(String),
}

impl Trouble {
    /// Reads an error.
    pub(super) fn of(error: &DbErr) -> Self {
        let said = error.to_string();
        match cause(error) {
            Some(sqlx::Error::Database(database)) => {
                let code = database.code().unwrap_or_default();
                match database.try_downcast_ref::<sqlx::sqlite::SqliteError>() {
                    Some(_) => of_sqlite(code.parse().unwrap_or(0), said),
                    None => of_sqlstate(&code, said),
                }
            }
            Some(
                sqlx::Error::Io(_)
                | sqlx::Error::Protocol(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::WorkerCrashed,
            ) => Self::Passing(said),
            Some(
                sqlx::Error::ColumnDecode { .. }
                | sqlx::Error::Decode(_)
                | sqlx::Error::Encode(_)
                | sqlx::Error::ColumnNotFound(_),
            ) => Self::Rule(said),
            Some(_) => Self::Lasting(said),
            None if matches!(error, DbErr::ConnectionAcquire(_)) => Self::Passing(said),
            None if matches!(error, DbErr::Conn(_)) => Self::Lasting(said),
            None => Self::Rule(said),
        }
    }

    /// The error for a caller when nothing was written.
    pub(super) fn into_error(self) -> StoreError {
        match self {
            Self::Unique => StoreError::Invariant("a unique index did not hold".to_owned()),
            Self::Rule(said) => StoreError::Invariant(said),
            Self::Passing(said) | Self::Lasting(said) | Self::Damaged(said) => {
                StoreError::Unavailable(said)
            }
        }
    }
}

/// The answer to COMMIT was an error that says for certain that nothing was
/// written: a rule or a conflict, found before anything became durable. Other
/// errors, a terminated session (57P01) among them, can follow a commit that
/// is durable already.
pub(super) fn surely_rolled_back(error: &DbErr) -> bool {
    let Some(sqlx::Error::Database(database)) = cause(error) else {
        return false;
    };
    let code = database.code().unwrap_or_default();
    match database.try_downcast_ref::<sqlx::sqlite::SqliteError>() {
        Some(_) => matches!(primary(code.parse().unwrap_or(0)), BUSY | CONSTRAINT),
        None => code.starts_with("23") || code.starts_with("40"),
    }
}

/// The answer to COMMIT was an error after which what was not found can still
/// come to light: the log of SQLite may hold the whole transaction, written
/// and not known to be synced. As long as the process lives nobody sees it,
/// and the next commit overwrites it; but a crash before that brings it back.
pub(super) fn may_surface_after_a_crash(error: &DbErr) -> bool {
    let Some(sqlx::Error::Database(database)) = cause(error) else {
        return true;
    };
    let code = database.code().unwrap_or_default();
    match database.try_downcast_ref::<sqlx::sqlite::SqliteError>() {
        Some(_) => !matches!(
            primary(code.parse().unwrap_or(0)),
            BUSY | LOCKED | FULL | READONLY | CONSTRAINT
        ),
        None => true,
    }
}

/// The server has no such thing: a name it does not know, or a feature that
/// it does not offer.
pub(super) fn is_unknown_to_the_server(error: &DbErr) -> bool {
    let Some(sqlx::Error::Database(database)) = cause(error) else {
        return false;
    };
    let code = database.code().unwrap_or_default();
    code.starts_with("42") || code.starts_with("0A")
}

fn cause(error: &DbErr) -> Option<&sqlx::Error> {
    match error {
        DbErr::Conn(RuntimeErr::SqlxError(error))
        | DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error)) => Some(error),
        _ => None,
    }
}

/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
fn of_sqlstate(code: &str, said: String) -> Trouble {
    match code {
        "23505" => Trouble::Unique,
        // Serialization failure, deadlock, lock and statement timeouts,
        // shutdown and crash of the server or its session.
        "40001" | "40P01" | "55P03" | "57014" | "57P01" | "57P02" | "57P03" | "57P05" | "53300"
        | "25P03" => Trouble::Passing(said),
        _ if code.starts_with("08") => Trouble::Passing(said),
        _ if ["22", "23", "42"]
            .iter()
            .any(|class| code.starts_with(class)) =>
        {
            Trouble::Rule(said)
        }
        _ => Trouble::Lasting(said),
    }
}

const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const CONSTRAINT: i32 = 19;
const CONSTRAINT_UNIQUE: i32 = 2067;
const CONSTRAINT_PRIMARY_KEY: i32 = 1555;
const GENERIC: i32 = 1;
const READONLY: i32 = 8;
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const NOT_A_DATABASE: i32 = 26;

/// <https://sqlite.org/rescode.html>; the low byte is the primary code.
fn of_sqlite(code: i32, said: String) -> Trouble {
    match (code, primary(code)) {
        (CONSTRAINT_UNIQUE | CONSTRAINT_PRIMARY_KEY, _) => Trouble::Unique,
        (_, BUSY | LOCKED) => Trouble::Passing(said),
        (_, CONSTRAINT | GENERIC) => Trouble::Rule(said),
        (_, CORRUPT | NOT_A_DATABASE) => Trouble::Damaged(said),
        _ => Trouble::Lasting(said),
    }
}

fn primary(code: i32) -> i32 {
    code & 0xff
}
