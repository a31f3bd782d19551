//! What the engine answers when it cannot do what was asked.

use crate::domain::evolve::Unreplayable;
use crate::domain::reference::ProviderAccount;
use crate::domain::refusal::Refusal;
pub use crate::store::StoreError;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The rules refuse it. Nothing was recorded.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store could not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An operation names an account that is not configured here.
    #[error("the provider account {0} is not configured")]
    UnknownAccount(ProviderAccount),
    /// Other writers were faster every time. Nothing was recorded.
    #[error("the operation changed too often while it was being decided")]
    Contended,
    /// A row and its ledger do not fit each other.
    #[error("a row does not fit its ledger: {0}")]
    Unreplayable(#[from] Unreplayable),
}
