//! The processor's own clock. It owes nothing to payonce's, as another
//! computer's would not; moving it is a change like any other (see `state`).

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 by this machine's wall clock.
#[expect(
    clippy::disallowed_methods,
    reason = "this is another computer than payonce's, with another clock"
)]
pub(super) fn wall_ms() -> i64 {
    let since_1970 = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
}

/// Built-in delays, lengths at scale 1.0 in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeScale(pub(super) f64);

impl TimeScale {
    const PROCESSING_MS: i64 = 3_000;
    const SLOW_MS: i64 = 20_000;
    const LAG_MS: i64 = 20_000;
    const KEY_LIFE_MS: i64 = 24 * 3_600_000;
    const ACTION_LIFE_MS: i64 = 24 * 3_600_000;

    fn scaled(self, length_ms: i64) -> i64 {
        // The cast saturates, which is the wanted end of a huge scale.
        (length_ms as f64 * self.0).ceil() as i64
    }

    /// How long `pm_processing` processes.
    pub(super) fn processing_ms(self) -> i64 {
        self.scaled(Self::PROCESSING_MS)
    }

    /// How long `pm_slow` keeps its caller waiting.
    pub(super) fn slow_ms(self) -> u64 {
        self.scaled(Self::SLOW_MS).unsigned_abs()
    }

    /// How long `pm_lagging` hides from look-ups.
    pub(super) fn lag_ms(self) -> u64 {
        self.scaled(Self::LAG_MS).unsigned_abs()
    }

    /// How long an idempotency key is kept.
    pub(super) fn key_life_ms(self) -> i64 {
        self.scaled(Self::KEY_LIFE_MS)
    }

    /// How long a customer may take.
    pub(super) fn action_life_ms(self) -> i64 {
        self.scaled(Self::ACTION_LIFE_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_shortens_and_saturates() {
        assert_eq!(TimeScale(0.05).slow_ms(), 1_000);
        assert_eq!(TimeScale(1.0).key_life_ms(), 86_400_000);
        assert_eq!(TimeScale(f64::MAX).processing_ms(), i64::MAX);
    }
}
