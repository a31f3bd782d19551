//! Wake-ups between replicas, by LISTEN and NOTIFY of PostgreSQL
//! (<https://www.postgresql.org/docs/current/sql-notify.html>).
//!
//! Guarantees:
//! - they are hints: nothing rests on one, and each can be lost, late, or
//!   come without a reason;
//! - they never stand in the way of a payment: they are told after its
//!   commit, by a task of their own, over connections of their own, out of a
//!   queue that drops what it has no room for;
//! - after a time without a connection everybody is woken once, since nobody
//!   knows what was missed.
//!
//! On SQLite there are none: all replicas of a file are one process.

use std::collections::BTreeSet;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use sea_orm::sqlx::postgres::{PgListener, PgNotification, PgPool};
use sea_orm::sqlx::{self, Executor};
use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Store;
use crate::domain::ids::OperationId;

/// What another replica, or this one, has told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WakeUp {
    /// These operations have changed.
    Changed(Vec<OperationId>),
    /// Something is due that anybody may claim.
    Due,
    /// Some may have been missed: look at everything.
    Missed,
}

/// Payload: ids of operations with spaces between them.
const CHANGED: &str = "payonce_changed";

/// Without payload.
const DUE: &str = "payonce_due";

/// What waits to be told, at most; the rest is dropped.
const QUEUE: usize = 1024;

/// What waits to be heard by one listener, at most.
const HEARD: usize = 256;

/// How long news are gathered before they are told in one NOTIFY.
const GATHER: Duration = Duration::from_millis(20);

/// Ids in one NOTIFY. With 37 bytes each, far below the 8000 that fit.
const MOST: usize = 64;

/// After so long a silence the connection is tried: a dead one is silent, too.
const SILENCE: Duration = Duration::from_secs(20);

/// How long any statement here may take.
const PATIENCE: Duration = Duration::from_secs(5);

struct News {
    changed: Vec<OperationId>,
    due: bool,
}

/// The tasks that tell and listen; they end when this is dropped.
#[derive(Debug)]
pub(super) struct WakeUps {
    told: mpsc::Sender<News>,
    heard: broadcast::Sender<WakeUp>,
    tasks: [JoinHandle<()>; 2],
}

impl WakeUps {
    /// Starts both over connections that are for them alone.
    pub(super) fn start(connections: PgPool) -> Self {
        let (told, news) = mpsc::channel(QUEUE);
        let (heard, _) = broadcast::channel(HEARD);
        let tasks = [
            tokio::spawn(tell(connections.clone(), news)),
            tokio::spawn(listen(connections, heard.clone())),
        ];
        Self { told, heard, tasks }
    }
}

impl Drop for WakeUps {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Store {
    /// Lets other replicas know what a commit has changed, and whether it
    /// left something due at once. Returns at once; may do nothing.
    pub fn announce(&self, changed: Vec<OperationId>, due: bool) {
        if let Some(wake_ups) = &self.inner.wake_ups {
            // Full: the others find out when they look.
            let _ = wake_ups.told.try_send(News { changed, due });
        }
    }

    /// What is told from now on; `None` where nobody ever tells.
    pub fn wake_ups(&self) -> Option<broadcast::Receiver<WakeUp>> {
        let wake_ups = self.inner.wake_ups.as_ref();
        wake_ups.map(|wake_ups| wake_ups.heard.subscribe())
    }
}

async fn tell(connections: PgPool, mut queue: mpsc::Receiver<News>) {
    while let Some(first) = queue.recv().await {
        tokio::time::sleep(GATHER).await;
        let mut due = first.due;
        let mut changed: BTreeSet<_> = first.changed.into_iter().collect();
        while changed.len() < MOST
            && let Ok(more) = queue.try_recv()
        {
            due |= more.due;
            changed.extend(more.changed);
        }
        let ids: Vec<_> = changed.iter().map(ToString::to_string).collect();
        notify(&connections, CHANGED, &ids.join(" ")).await;
        if due {
            notify(&connections, DUE, "").await;
        }
    }
}

async fn notify(connections: &PgPool, channel: &str, payload: &str) {
    let statement = sqlx::query("SELECT pg_notify($1, $2)");
    let told = statement.bind(channel).bind(payload).execute(connections);
    match timeout(PATIENCE, told).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::debug!(%error, "other replicas were not told"),
        Err(_) => tracing::debug!("other replicas were not told in time"),
    }
}

async fn listen(connections: PgPool, heard: broadcast::Sender<WakeUp>) {
    let pauses = ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(100))
        .with_max_delay(Duration::from_secs(5))
        .with_jitter()
        .without_max_times();
    let mut pause = pauses.build();
    while !connections.is_closed() {
        match listener(&connections).await {
            Ok(listener) => {
                pause = pauses.build();
                // Whoever listens to us may have nobody waiting: then there
                // is nobody to wake.
                let _ = heard.send(WakeUp::Missed);
                hear(listener, &heard).await;
                tracing::debug!("the connection for wake-ups is lost, and opened again");
            }
            Err(error) => tracing::debug!(%error, "there is no connection for wake-ups"),
        }
        tokio::time::sleep(pause.next().unwrap_or(SILENCE)).await;
    }
}

async fn listener(connections: &PgPool) -> Result<PgListener, sqlx::Error> {
    let mut listener = PgListener::connect_with(connections).await?;
    // Only this side knows that some may have been missed.
    listener.eager_reconnect(false);
    listener.listen_all([CHANGED, DUE]).await?;
    Ok(listener)
}

/// Returns when the connection is lost.
async fn hear(mut listener: PgListener, heard: &broadcast::Sender<WakeUp>) {
    loop {
        match timeout(SILENCE, listener.try_recv()).await {
            Ok(Ok(Some(notification))) => {
                let _ = heard.send(read(&notification));
            }
            Ok(Ok(None) | Err(_)) => return,
            Err(_) => match timeout(PATIENCE, listener.execute("SELECT 1")).await {
                Ok(Ok(_)) => {}
                Ok(Err(_)) | Err(_) => return,
            },
        }
    }
}

fn read(notification: &PgNotification) -> WakeUp {
    match notification.channel() {
        DUE => WakeUp::Due,
        _ => changed(notification.payload()),
    }
}

/// Anybody who may connect can send anything: what cannot be read wakes
/// everybody, which does no harm.
fn changed(payload: &str) -> WakeUp {
    let ids = payload.split_ascii_whitespace().map(str::parse);
    ids.collect::<Result<Vec<_>, _>>()
        .map_or(WakeUp::Missed, WakeUp::Changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_back_and_anything_else_wakes_everybody() {
        let ids: Vec<_> = (0..3).map(|_| OperationId(uuid::Uuid::now_v7())).collect();
        let payload: Vec<_> = ids.iter().map(ToString::to_string).collect();
        assert_eq!(changed(&payload.join(" ")), WakeUp::Changed(ids));
        assert_eq!(changed("nonsense"), WakeUp::Missed);
    }
}
