//! Keeps the clock at database time.

use std::time::Duration;

use tokio::task::JoinHandle;

use crate::clock::{BootTime, Clock};
use crate::store::{Store, StoreError};

/// A clock that was just compared with the database.
pub(super) async fn first_sample(store: &Store) -> Result<Clock, StoreError> {
    let before = BootTime::now();
    let database = store.now().await?;
    Ok(Clock::sampled(before, database, BootTime::now()))
}

/// The loop that compares the clock again and again.
#[derive(Debug)]
pub(super) struct Sampling {
    task: JoinHandle<()>,
}

impl Sampling {
    pub(super) fn start(clock: Clock, store: Store, every: Duration) -> Self {
        let task = tokio::spawn(async move {
            loop {
                tokio::time::sleep(every).await;
                sample(&clock, &store).await;
            }
        });
        Self { task }
    }

    pub(super) fn stop(&self) {
        self.task.abort();
    }
}

impl Drop for Sampling {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// One comparison. Without an answer the old offset stays: the local clock
/// goes on from it.
async fn sample(clock: &Clock, store: &Store) {
    let before = BootTime::now();
    match store.now().await {
        Ok(database) => clock.sample(before, database, BootTime::now()),
        Err(error) => tracing::warn!(%error, "the clock could not be compared with the database"),
    }
}
