//! The small sections of the configuration; `timing` and `providers` have
//! files of their own.

use std::{fmt, net::SocketAddr, path::PathBuf};

use serde::{Deserialize, Deserializer};

use super::ProviderProfile;

/// The gRPC server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grpc {
    /// Address and port; port 0 takes a free one. Loopback only, because there
    /// are no credentials yet.
    pub listen: SocketAddr,
    /// Whether the server describes itself to tools such as grpcurl.
    pub reflection: bool,
}

/// Where operations are stored.
#[derive(Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Database {
    /// `sqlite://` or `postgres://` URLs of one database. Several only for
    /// PostgreSQL: the writable one is used. A single string is read as a list
    /// of one.
    #[serde(deserialize_with = "one_or_many")]
    pub urls: Vec<String>,
    /// Largest number of connections in the pool, 1 to 1,000.
    pub max_connections: u32,
    /// Whether a failover of the database can lose acknowledged commits.
    pub failover: Failover,
}

/// What the operator declares about failovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failover {
    /// A standby may lag: a new timeline begins a recovery.
    MayLose,
    /// Every acknowledged commit is on the standby that takes over: a new
    /// timeline is only recorded.
    Synchronous,
}

/// How a loss of rows is noticed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecoveryConfig {
    /// Longest time between the last beat of a database and the first on a
    /// server with a new timeline that counts as a failover, in seconds, 0 to
    /// 86,400. A longer one is a restore, and waits for a person.
    pub failover_window_s: u64,
    /// A file that remembers how far the database had come; not on the
    /// database's own disk. Absent: for SQLite beside the database, for
    /// PostgreSQL none.
    #[serde(default)]
    pub witness: Option<PathBuf>,
}

/// Shows the kind of database only: the rest of a URL may hold a password.
impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<&str> = self
            .urls
            .iter()
            .map(|url| url.split_once("://").map_or("?", |(scheme, _)| scheme))
            .collect();
        f.debug_struct("Database")
            .field("urls", &kinds)
            .field("max_connections", &self.max_connections)
            .field("failover", &self.failover)
            .finish()
    }
}

/// Who this installation is to its providers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deployment {
    /// Part of every provider key, recorded in the database at first start;
    /// another name is refused then. 1-64 characters of
    /// `[A-Za-z0-9._:/#@+=~-]`.
    pub name: String,
}

/// The worker pool of this process.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worker {
    /// Provider calls under way at once, 1 to 10,000.
    pub slots: usize,
    /// Operations claimed in one statement, 1 to 1,000.
    pub claim_batch: u32,
    /// Longest time between two looks for due work, in milliseconds, 1 to
    /// 60,000. Wake-ups make it shorter; nothing rests on them.
    pub poll_ms: u64,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// Lines for people.
    Pretty,
    /// One JSON object a line.
    Json,
}

/// What goes to standard error.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// Shape of a line.
    pub format: LogFormat,
    /// Levels by target, in the syntax of tracing's `EnvFilter`, for instance
    /// `info,payonce::worker=debug`.
    pub filter: String,
}

/// The payment processor to try and to test against.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimulatorConfig {
    /// Address and port of its HTTP server; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Its append-only ledger file, replayed at start.
    pub ledger: PathBuf,
    /// How it treats repeats and look-ups.
    pub profile: ProviderProfile,
    /// Factor on its own delays: 0.1 makes 20 s last 2 s. Above 0, at most 100.
    pub time_scale: f64,
}

/// Database time.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockConfig {
    /// Seconds added to database time, to try "25 hours later" for real. Only
    /// in debug builds: a release build refuses anything but 0. From 0 to ten
    /// years.
    pub shift_s: i64,
}

/// What becomes of a process that reaches `debug.fail_at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailHow {
    /// It ends at once.
    Abort,
    /// The task that is there panics, each time.
    Panic,
}

/// Failing on purpose, to see what a crash leads to. Only in debug builds: a
/// release build refuses any `fail_at`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Debugging {
    /// The name of a failure point; empty for none.
    pub fail_at: String,
    /// What happens there.
    pub fail_how: FailHow,
    /// At which time of reaching it, from 1.
    pub fail_nth: u32,
}

/// Reads a list, or one string as a list of one: that is how a single value
/// is written in an environment variable.
pub(super) fn one_or_many<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a string or a list of strings")]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match OneOrMany::deserialize(from)? {
        OneOrMany::One(one) => vec![one],
        OneOrMany::Many(many) => many,
    })
}
