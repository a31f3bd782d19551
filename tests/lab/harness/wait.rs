//! Waiting for conditions.

use std::time::{Duration, Instant};

/// Far beyond what anything takes on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

const PAUSE: Duration = Duration::from_millis(20);

/// Asks again and again until there is an answer; fails with the last reason
/// why there was none.
pub(crate) async fn eventually<T>(
    what: &str,
    mut probe: impl AsyncFnMut() -> Result<T, String>,
) -> T {
    let started = Instant::now();
    loop {
        let missing = match probe().await {
            Ok(found) => return found,
            Err(missing) => missing,
        };
        assert!(
            started.elapsed() < PATIENCE,
            "waited in vain until {what}; at last:\n{missing}"
        );
        tokio::time::sleep(PAUSE).await;
    }
}
