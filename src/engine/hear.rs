//! Wake-ups that the store passes on from other replicas. Hints only: whoever
//! waits also looks from time to time.

use std::sync::{Arc, Weak};

use tokio::sync::broadcast::{Receiver, error::RecvError};

use crate::store::WakeUp;

use super::{Engine, Inner};

impl Engine {
    /// Starts to listen; ends with the engine.
    pub(super) fn hear_others(&self) {
        if let Some(heard) = self.inner.store.wake_ups() {
            tokio::spawn(pass_on(Arc::downgrade(&self.inner), heard));
        }
    }
}

async fn pass_on(engine: Weak<Inner>, mut heard: Receiver<WakeUp>) {
    loop {
        let wake_up = match heard.recv().await {
            Ok(wake_up) => wake_up,
            Err(RecvError::Lagged(_)) => WakeUp::Missed,
            Err(RecvError::Closed) => return,
        };
        let Some(engine) = engine.upgrade() else {
            return;
        };
        match wake_up {
            WakeUp::Changed(ids) => ids.into_iter().for_each(|id| engine.hub.wake(id)),
            WakeUp::Due => engine.work.notify_one(),
            WakeUp::Missed => {
                engine.hub.wake_all();
                engine.work.notify_one();
            }
        }
    }
}
