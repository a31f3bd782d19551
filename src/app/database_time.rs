//! Keeps the clock at database time, and knows whether the database is still
//! what it was.

use std::time::Duration;

use tokio::task::JoinHandle;

use crate::clock::{BootTime, Clock};
use crate::domain::recovery::{RecoveryState, Standing};
use crate::engine::Engine;
use crate::store::recovery::Present;
use crate::store::{Store, StoreError};

use super::recovery::Watch;

/// How often a recovery that waits for a person is spoken of.
const REMINDER: Duration = Duration::from_secs(60);

/// A clock that was just compared with the database.
pub(super) async fn first_sample(store: &Store) -> Result<Clock, StoreError> {
    let before = BootTime::now();
    let database = store.now().await?;
    Ok(Clock::sampled(before, database, BootTime::now()))
}

/// The loop that compares the clock, and counts a beat, again and again.
#[derive(Debug)]
pub(super) struct Sampling {
    task: JoinHandle<()>,
}

/// What the loop works with.
pub(super) struct Sampler {
    pub(super) clock: Clock,
    pub(super) store: Store,
    pub(super) engine: Engine,
    pub(super) watch: Watch,
}

impl Sampling {
    pub(super) fn start(mut sampler: Sampler, first: &Present, every: Duration) -> Self {
        let mut reminder = Reminder::default();
        reminder.look_at(first);
        let task = tokio::spawn(async move {
            loop {
                tokio::time::sleep(every).await;
                sample(&sampler.clock, &sampler.store).await;
                match sampler.watch.beat().await {
                    Ok(present) => {
                        sampler.engine.stand(present.standing());
                        reminder.look_at(&present);
                    }
                    Err(error) => tracing::warn!(%error, "no beat could be counted"),
                }
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

/// Says what stands when it changes, and again where a person is waited for.
#[derive(Default)]
struct Reminder {
    said: Standing,
    again: Option<BootTime>,
}

impl Reminder {
    fn look_at(&mut self, present: &Present) {
        let standing = present.standing();
        let changed = standing.recovery != self.said.recovery;
        let due = self.again.is_some_and(|at| BootTime::now() >= at);
        if !changed && !due {
            return;
        }
        self.said = standing;
        self.again = None;
        let epoch = present.epoch;
        match present.state {
            RecoveryState::None => tracing::info!(epoch, "no recovery stands"),
            RecoveryState::Held => tracing::warn!(
                epoch,
                "a recovery is held: every first send follows a look-up"
            ),
            RecoveryState::AwaitingConfirmation => {
                tracing::error!(
                    epoch,
                    "NOTHING IS SENT: rows may have been lost and a person has to confirm: \
                     payonce recovery confirm --epoch {epoch} --by NAME"
                );
                self.again = Some(BootTime::now().after(REMINDER));
            }
        }
    }
}
