//! Follows the writable server: one task per process, which asks all servers
//! now and then, and at once when the one in use gave trouble.

use std::sync::Arc;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use sea_orm::sqlx::postgres::PgPool;
use tokio::task::JoinHandle;

use super::servers::Servers;

/// How often all servers are asked while nothing is wrong, give or take a
/// quarter, so that replicas do not ask in step.
const CALM: Duration = Duration::from_secs(2);

/// Pauses while no server can be written to: from here...
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// ...to here, doubling, with jitter.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The task; it ends when this is dropped.
#[derive(Debug)]
pub(in crate::store::connection) struct Watch {
    task: Option<JoinHandle<()>>,
}

impl Watch {
    /// For databases that are in one place.
    pub(in crate::store::connection) fn nothing() -> Arc<Self> {
        Arc::new(Self { task: None })
    }

    /// Watches servers, if there are several, for pools that use `chosen`.
    pub(super) fn start(servers: Arc<Servers>, pools: Vec<PgPool>, chosen: usize) -> Arc<Self> {
        let follow = servers
            .are_several()
            .then(|| follow(servers, pools, chosen));
        Arc::new(Self {
            task: follow.map(tokio::spawn),
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

async fn follow(servers: Arc<Servers>, pools: Vec<PgPool>, mut used: usize) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(CALM.mul_f64(0.75 + fastrand::f64() / 2.0)) => {}
            () = servers.trouble() => {}
        }
        let found = find(&servers).await;
        if found != used {
            for pool in &pools {
                pool.set_connect_options(servers.options(found).clone());
            }
            servers.note_move();
            tracing::warn!(
                from = used + 1,
                to = found + 1,
                "the database is now reached at another address of database.urls"
            );
            used = found;
        }
        // However much trouble there is, servers are asked only so often.
        tokio::time::sleep(FIRST_PAUSE.mul_f64(0.5 + fastrand::f64())).await;
    }
}

/// The server to use, as soon as there is one.
async fn find(servers: &Servers) -> usize {
    let mut pauses = ExponentialBuilder::default()
        .with_min_delay(FIRST_PAUSE)
        .with_max_delay(LONGEST_PAUSE)
        .with_jitter()
        .without_max_times()
        .build();
    loop {
        match servers.choose().await {
            Ok(found) => return found,
            Err(refused) => tracing::warn!(%refused, "no database server can be written to"),
        }
        tokio::time::sleep(pauses.next().unwrap_or(LONGEST_PAUSE)).await;
    }
}
