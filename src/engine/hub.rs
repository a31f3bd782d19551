//! Wakes callers that wait for an operation. A wake-up is only a hint: those
//! who wait also look at the row from time to time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::domain::ids::OperationId;

#[derive(Default)]
pub(super) struct Hub {
    waiting: Mutex<HashMap<OperationId, Arc<Notify>>>,
}

/// A place among those who wait; given up when dropped.
pub(super) struct Seat<'a> {
    hub: &'a Hub,
    id: OperationId,
    bell: Arc<Notify>,
}

impl Hub {
    pub(super) fn sit_down(&self, id: OperationId) -> Seat<'_> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let bell = Arc::clone(waiting.entry(id).or_default());
        Seat {
            hub: self,
            id,
            bell,
        }
    }

    pub(super) fn wake(&self, id: OperationId) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bell) = waiting.get(&id) {
            bell.notify_waiters();
        }
    }

    pub(super) fn wake_all(&self) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for bell in waiting.values() {
            bell.notify_waiters();
        }
    }
}

impl Seat<'_> {
    /// The next wake-up. Must be made before the row is read, so that a
    /// change between the read and the wait is not missed.
    pub(super) fn listen(&self) -> tokio::sync::futures::Notified<'_> {
        self.bell.notified()
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let mut waiting = self
            .hub
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // The map's and ours: nobody else waits.
        if Arc::strong_count(&self.bell) <= 2 {
            waiting.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_wake_up_between_listening_and_waiting_is_not_lost() {
        let hub = Hub::default();
        let id = OperationId(uuid::Uuid::now_v7());
        let seat = hub.sit_down(id);
        let bell = seat.listen();
        hub.wake(id);
        bell.await;
    }

    #[test]
    fn the_last_to_leave_clears_the_table() {
        let hub = Hub::default();
        let id = OperationId(uuid::Uuid::now_v7());
        let (first, second) = (hub.sit_down(id), hub.sit_down(id));
        drop(first);
        assert_eq!(hub.waiting.lock().expect("lock").len(), 1);
        drop(second);
        assert!(hub.waiting.lock().expect("lock").is_empty());
    }
}
