//! What a person asks and says about a recovery. Each command looks at the
//! database as a replica does at its start, so that a loss is noticed before
//! any replica runs.

use crate::app::{StartError, settings};
use crate::config::Config;
use crate::domain::recovery::RecoveryState;
use crate::domain::time::Instant;
use crate::store::recovery::{Begin, Present};
use crate::store::{Store, StoreError};

use super::{ROUNDS, Watch, next};

/// What stands.
///
/// # Errors
///
/// The database cannot be opened, or is not of this deployment.
pub async fn show(config: &Config) -> Result<Present, StartError> {
    with(config, async |_, seen| Ok(seen)).await
}

/// Begins a recovery that nothing could notice: from `lost_since` on rows may
/// be missing.
///
/// # Errors
///
/// As for [`show`].
pub async fn begin(config: &Config, lost_since: Instant, by: &str) -> Result<Present, StartError> {
    with(config, async |watch, mut seen| {
        // A replica that runs may count a beat in between.
        for _ in 0..ROUNDS {
            let state = RecoveryState::AwaitingConfirmation;
            let begin = Begin {
                by: Some(by.to_owned()),
                ..next(&seen, watch.known, state, lost_since)
            };
            if watch.door.begin(&seen, begin).await? {
                return Ok(watch.beat().await?);
            }
            seen = watch.beat().await?;
        }
        let busy = "the running replicas do not let a recovery begin: try again";
        Err(StoreError::Unavailable(busy.to_owned()).into())
    })
    .await
}

/// A person confirms: what is left may be worked with, look-ups first.
///
/// # Errors
///
/// As for [`show`]; no recovery of that epoch waits for it.
pub async fn confirm(config: &Config, epoch: i64, by: &str) -> Result<Present, StartError> {
    with(config, async |watch, _| {
        if !watch.door.confirm(epoch, by).await? {
            return Err(refused("no recovery of that epoch awaits confirmation"));
        }
        Ok(watch.beat().await?)
    })
    .await
}

/// A person ends it: nothing that was lost is still to come back.
///
/// # Errors
///
/// As for [`show`]; no recovery of that epoch is held.
pub async fn end(config: &Config, epoch: i64, by: &str) -> Result<Present, StartError> {
    with(config, async |watch, _| {
        if !watch.door.end(epoch, by).await? {
            return Err(refused("no recovery of that epoch is held"));
        }
        Ok(watch.beat().await?)
    })
    .await
}

fn refused(rule: &str) -> StartError {
    StartError::Setting {
        key: "epoch",
        rule: rule.to_owned(),
    }
}

async fn with(
    config: &Config,
    act: impl AsyncFnOnce(&mut Watch, Present) -> Result<Present, StartError>,
) -> Result<Present, StartError> {
    let store = Store::connect(settings::store(config)?).await?;
    let acted = async {
        let mut watch = Watch::over(&store, config).await?;
        let seen = watch.beat().await?;
        act(&mut watch, seen).await
    };
    let acted = acted.await;
    store.close().await;
    acted
}
