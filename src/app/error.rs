//! Why a service does not start.

use crate::api::ServerError;
use crate::domain::reference::ProviderAccount;
use crate::http::BuildError;
use crate::provider::AccountTwice;
use crate::simulator::SimulatorError;
use crate::store::StoreError;

/// Why payonce did not start. Each text names the configuration key that has
/// to change, where one has to.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database.
    #[error("database: {0}")]
    Store(#[from] StoreError),
    /// The simulator that runs inside.
    #[error("simulator: {0}")]
    Simulator(#[from] SimulatorError),
    /// The gRPC server.
    #[error(transparent)]
    Grpc(#[from] ServerError),
    /// The client for providers.
    #[error(transparent)]
    Http(#[from] BuildError),
    /// Two accounts of one name.
    #[error("providers: {0}")]
    AccountTwice(#[from] AccountTwice),
    /// A value that passed the rules of the configuration and not those of
    /// the domain.
    #[error("{key}: {rule}")]
    Setting {
        /// The configuration key.
        key: &'static str,
        /// The rule that is broken.
        rule: String,
    },
    /// An account that unresolved operations went to is not configured:
    /// nobody could ever find out what became of them.
    #[error(
        "providers: the account {0} has unresolved operations and is not configured; \
         keep it configured until they are resolved"
    )]
    AccountMissing(ProviderAccount),
}

impl StartError {
    /// Whether another try may succeed without any change of ours.
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::Store(StoreError::Unavailable(_)))
    }

    /// Whether the configuration or the database has to change first.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::AccountTwice(_) | Self::Setting { .. } | Self::AccountMissing(_) => true,
            Self::Store(error) => matches!(
                error,
                StoreError::SchemaMismatch { .. }
                    | StoreError::DeploymentMismatch { .. }
                    | StoreError::Held(_)
                    | StoreError::Unusable(_)
            ),
            Self::Simulator(_) | Self::Grpc(_) | Self::Http(_) => false,
        }
    }
}
