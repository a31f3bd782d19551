//! PostgreSQL.

use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement};

use super::{Connections, Footing, Shares, options, unavailable};
use crate::store::StoreError;

/// The server ends what takes longer, so that a client that is cut off or
/// stopped holds no lock for longer than this either.
const SESSION: [(&str, &str); 3] = [
    ("statement_timeout", "10s"),
    ("lock_timeout", "5s"),
    ("idle_in_transaction_session_timeout", "15s"),
];

/// Opens the first writable server.
pub(super) async fn open(urls: &[String], shares: Shares) -> Result<Connections, StoreError> {
    let (url, write) = first_writable(urls, shares.write).await?;
    Ok(Connections {
        write,
        read: connect(url, shares.read).await?,
        lanes: shares.lanes as usize,
        footing: Footing::default(),
    })
}

/// The first writable server, and its address.
pub(super) async fn first_writable(
    urls: &[String],
    max_connections: u32,
) -> Result<(&str, DatabaseConnection), StoreError> {
    let mut refused = Vec::new();
    for (index, url) in urls.iter().enumerate() {
        match connect_writable(url, max_connections).await {
            Ok(db) => return Ok((url, db)),
            Err(error) => refused.push(format!("url {} of {}: {error}", index + 1, urls.len())),
        }
    }
    Err(StoreError::Unavailable(refused.join("; ")))
}

async fn connect_writable(
    url: &str,
    max_connections: u32,
) -> Result<DatabaseConnection, StoreError> {
    let db = connect(url, max_connections).await?;
    let asked = Statement::from_string(db.get_database_backend(), "SELECT pg_is_in_recovery()");
    let row = db.query_one_raw(asked).await.map_err(|e| unavailable(&e))?;
    let standby = row.and_then(|row| row.try_get_by_index::<bool>(0).ok());
    match standby {
        Some(false) => Ok(db),
        Some(true) => Err(StoreError::Unavailable("it is a standby".to_owned())),
        None => Err(StoreError::Unavailable(
            "it does not say whether it is a standby".to_owned(),
        )),
    }
}

async fn connect(url: &str, max_connections: u32) -> Result<DatabaseConnection, StoreError> {
    let mut options = options(url, max_connections);
    options.map_sqlx_postgres_opts(|server| server.application_name("payonce").options(SESSION));
    Database::connect(options)
        .await
        .map_err(|e| unavailable(&e))
}
