//! Waiting for an operation. Whoever waits owns nothing: giving up changes
//! nothing.

use std::time::Duration;

use crate::clock::BootTime;
use crate::domain::ids::OperationId;
use crate::domain::outcome::SafeNextAction;
use crate::domain::reference::TenantId;

use super::{Engine, EngineError, View};

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// An answer that polling would not change: anything but POLL.
    Settled,
    /// A newer version than this.
    NewerThan(i64),
}

impl Until {
    fn is_met(self, view: &View) -> bool {
        match self {
            Until::Settled => view.answer.safe_next_action != SafeNextAction::Poll,
            Until::NewerThan(version) => view.record.operation.version > version,
        }
    }
}

impl Engine {
    /// Shows the operation once `until` is met, or as it is when `patience`
    /// runs out.
    pub async fn wait(
        &self,
        tenant: &TenantId,
        id: OperationId,
        until: Until,
        patience: Duration,
    ) -> Result<View, EngineError> {
        let started = BootTime::now();
        let seat = self.inner.hub.sit_down(id);
        loop {
            let bell = seat.listen();
            let view = self.get(tenant, id).await?;
            let left = patience.saturating_sub(BootTime::now().since(started));
            if until.is_met(&view) || left.is_zero() {
                return Ok(view);
            }
            let pause = left.min(self.inner.options.wait_poll);
            // A wake-up and the end of the pause lead to the same next step:
            // look at the row.
            let _ = tokio::time::timeout(pause, bell).await;
        }
    }
}
