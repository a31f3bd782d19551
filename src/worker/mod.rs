//! The worker pool: sends attempts, asks providers, brings evidence home.
//!
//! Guarantees:
//! - what is sent was durable before: attempts come out of the engine only
//!   after their commit;
//! - the time until which an attempt may be written is checked last, on a
//!   clock that counts suspension;
//! - no promise rests on a task that runs here: whatever is lost with this
//!   process is found again through its lapsed lease.

mod dispatch;
mod resolve;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::domain::operation::Record;
use crate::engine::{Dispatch, Engine};
use crate::provider::Registry;
use crate::store::claims::Claims;

/// What the pool is configured with.
#[derive(Clone, Debug)]
pub struct Options {
    /// This replica's name, unique among all that share the database.
    pub owner: String,
    /// How many operations are claimed at once, at most.
    pub claim_batch: u32,
    /// How often due work is looked for when nothing rings.
    pub poll: Duration,
    /// How long a claim is held.
    pub lease: Duration,
}

/// Everything a worker needs. Cheap to clone.
#[derive(Clone)]
pub struct Pool {
    engine: Engine,
    registry: Registry,
    claims: Claims,
    slots: Arc<Semaphore>,
    options: Options,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Pool {
    /// A pool that does nothing until it runs.
    pub fn new(
        engine: Engine,
        registry: Registry,
        claims: Claims,
        slots: Arc<Semaphore>,
        options: Options,
    ) -> Self {
        Self {
            engine,
            registry,
            claims,
            slots,
            options,
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        }
    }

    /// Sends what the engine opens and claims what is due, until stopped.
    pub fn run(&self, dispatches: mpsc::UnboundedReceiver<Dispatch>) {
        self.tasks.spawn(self.clone().send_opened(dispatches));
        self.tasks.spawn(self.clone().claim_due());
    }

    /// Stops claiming, waits for the calls in flight, at most `bound`. What
    /// is not done by then is left to the next owner of its lease.
    pub async fn drain(&self, bound: Duration) {
        self.slots.close();
        self.stop.cancel();
        self.tasks.close();
        if tokio::time::timeout(bound, self.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!(
                left = self.tasks.len(),
                "calls in flight are left to the next owner"
            );
        }
    }

    async fn send_opened(self, mut dispatches: mpsc::UnboundedReceiver<Dispatch>) {
        loop {
            let dispatch = tokio::select! {
                biased;
                dispatch = dispatches.recv() => dispatch,
                () = self.stop.cancelled() => None,
            };
            let Some(dispatch) = dispatch else {
                return;
            };
            let pool = self.clone();
            self.tasks.spawn(async move { pool.send(dispatch).await });
        }
    }

    async fn claim_due(self) {
        while !self.stop.is_cancelled() {
            let claimed = self.claim_once().await;
            if claimed > 0 {
                continue;
            }
            tokio::select! {
                () = self.stop.cancelled() => {}
                () = self.engine.work() => {}
                () = tokio::time::sleep(self.options.poll) => {}
            }
        }
    }

    /// One round: claims no more than there are free slots, and starts the
    /// work on each. Returns how many.
    async fn claim_once(&self) -> usize {
        let Some(mut slots) = self.free_slots() else {
            return 0;
        };
        let limit = u32::try_from(slots.len()).unwrap_or(u32::MAX);
        let due = self
            .claims
            .claim_due(&self.options.owner, self.options.lease, limit)
            .await;
        let due = match due {
            Ok(due) => due,
            Err(error) => {
                tracing::warn!(%error, "due work could not be claimed");
                return 0;
            }
        };
        let claimed = due.len();
        #[cfg(debug_assertions)]
        if claimed > 0 {
            crate::failpoint::pass(crate::failpoint::Point::Claimed);
        }
        for record in due {
            if let Some(slot) = slots.pop() {
                self.start(record, slot);
            }
        }
        claimed
    }

    fn free_slots(&self) -> Option<Vec<OwnedSemaphorePermit>> {
        let take = |_| Arc::clone(&self.slots).try_acquire_owned().ok();
        let slots: Vec<_> = (0..self.options.claim_batch).map_while(take).collect();
        (!slots.is_empty()).then_some(slots)
    }

    fn start(&self, record: Record, slot: OwnedSemaphorePermit) {
        let pool = self.clone();
        self.tasks
            .spawn(async move { pool.resolve(record, slot).await });
    }
}
