//! PostgreSQL.
//!
//! Guarantees:
//! - no connection is handed out that was not found writable when it was
//!   opened, and again after it was idle;
//! - where several addresses are given, all connections follow to another
//!   server when the one in use is gone, without a restart;
//! - a server on an older timeline than one that this process has seen is
//!   refused, also when it takes writes: it is a primary that others have
//!   left.

mod servers;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use backon::{ConstantBuilder, Retryable};
use sea_orm::sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sea_orm::{DatabaseConnection, SqlxPostgresConnector};

use super::{ACQUIRE, Connections, SameFile, Shares, TRUSTED_IDLE};
use crate::store::StoreError;
use servers::Servers;

pub(super) use watch::Watch;

/// One that listens, and one that tells.
const HINTS: u32 = 2;

/// Opens the writable server.
pub(super) async fn open(urls: &[String], shares: Shares) -> Result<Connections, StoreError> {
    let servers = Arc::new(Servers::of(urls)?);
    let chosen = at_start(&servers).await?;
    let write = pool(&servers, chosen, shares.write);
    let read = pool(&servers, chosen, shares.read);
    let hints = pool(&servers, chosen, HINTS);
    let pools = vec![write.clone(), read.clone(), hints.clone()];
    Ok(Connections {
        hints: Some(hints),
        watch: Watch::start(servers, pools, chosen),
        write: SqlxPostgresConnector::from_sqlx_postgres_pool(write),
        read: SqlxPostgresConnector::from_sqlx_postgres_pool(read),
        lanes: shares.lanes as usize,
        same_file: SameFile::default(),
    })
}

/// The writable server, with a little patience: it may be starting as well.
async fn at_start(servers: &Servers) -> Result<usize, StoreError> {
    let pauses = ConstantBuilder::default()
        .with_delay(Duration::from_millis(200))
        .with_max_times(2);
    let choose = || servers.choose();
    let chosen = choose.retry(pauses).await;
    chosen.map_err(StoreError::Unavailable)
}

/// One connection to the writable server.
pub(super) async fn open_to_migrate(urls: &[String]) -> Result<DatabaseConnection, StoreError> {
    let servers = Arc::new(Servers::of(urls)?);
    let chosen = at_start(&servers).await?;
    let pool = pool(&servers, chosen, 1);
    Ok(SqlxPostgresConnector::from_sqlx_postgres_pool(pool))
}

/// Connections to one server, which can be sent to another one later.
fn pool(servers: &Arc<Servers>, chosen: usize, max_connections: u32) -> PgPool {
    let (opened, reused) = (Arc::clone(servers), Arc::clone(servers));
    PgPoolOptions::new()
        .max_connections(max_connections)
        .min_connections(0)
        .acquire_timeout(ACQUIRE)
        .test_before_acquire(false)
        .after_connect(move |connection, _| {
            let servers = Arc::clone(&opened);
            Box::pin(async move { servers.check(connection).await })
        })
        .before_acquire(move |connection, known| {
            let servers = Arc::clone(&reused);
            Box::pin(async move {
                if known.age > servers.since_move() {
                    return Ok(false);
                }
                if known.idle_for >= TRUSTED_IDLE {
                    servers.check(connection).await?;
                }
                Ok(true)
            })
        })
        .connect_lazy_with(servers.options(chosen).clone())
}

/// The server ends what takes longer, so that a client that is cut off or
/// stopped holds no lock for longer than this either.
const SESSION: [(&str, &str); 3] = [
    ("statement_timeout", "10s"),
    ("lock_timeout", "5s"),
    ("idle_in_transaction_session_timeout", "15s"),
];

/// How every session is opened.
fn session(address: PgConnectOptions) -> PgConnectOptions {
    use sea_orm::sqlx::ConnectOptions;
    address
        .application_name("payonce")
        .options(SESSION)
        .disable_statement_logging()
}

/// How long a server may take to say whether it can be written to.
const PROBE: Duration = ACQUIRE;
