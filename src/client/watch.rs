//! The states of one operation as they come.

use tonic::Streaming;

use super::ClientError;
use crate::proto::v1::{Operation, WatchOperationResponse};

/// A stream of states. Dropping it changes nothing at the server.
#[derive(Debug)]
pub struct Watch {
    states: Streaming<WatchOperationResponse>,
}

impl Watch {
    pub(super) fn new(states: Streaming<WatchOperationResponse>) -> Self {
        Self { states }
    }

    /// The next state; `None` once the operation is final and nothing about it
    /// is under way.
    ///
    /// # Errors
    ///
    /// The stream broke: watch again from the last version that was seen.
    pub async fn next(&mut self) -> Result<Option<Operation>, ClientError> {
        let state = self.states.message().await;
        let state = state.map_err(ClientError::from_status)?;
        Ok(state.and_then(|state| state.operation))
    }
}
