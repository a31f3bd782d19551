//! Database time, and the one place that reads a clock.
//!
//! Guarantees:
//! - [`Clock::now`] is the database's time: the local monotonic clock plus an
//!   offset that is sampled every few seconds, so that replicas with other
//!   wall clocks still agree on leases and key windows;
//! - it never goes back: where the database's time does, it stands still
//!   until that has caught up, and [`Clock::is_held`] says so meanwhile,
//!   because windows that are computed with such a time prove nothing;
//! - the local clock counts suspension (`CLOCK_BOOTTIME`), so that a machine
//!   that slept does not believe that a deadline has not come yet.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::domain::time::Instant;

/// A reading of the machine's own clock, which counts suspension and never
/// goes back. Means nothing outside this machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BootTime(Duration);

impl BootTime {
    /// Now.
    pub fn now() -> Self {
        let now = clock_gettime(ClockId::Boottime);
        let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
        let nanos = u32::try_from(now.tv_nsec).unwrap_or(0);
        Self(Duration::new(seconds, nanos))
    }

    /// This much later.
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span))
    }

    /// From `earlier` to here; zero when `earlier` is later.
    pub fn since(self, earlier: BootTime) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    fn micros(self) -> i64 {
        micros(self.0)
    }
}

/// How far two comparisons may differ beyond what their round trips explain:
/// scheduling, and the slow steering of clocks.
const TOLERANCE: Duration = Duration::from_secs(1);

/// A comparison whose round trip took longer tells too little: half of it can
/// be error.
const LONGEST_ROUND_TRIP: Duration = Duration::from_secs(2);

/// Database time without a round trip. Cheap to clone; clones share what they
/// know.
#[derive(Clone, Debug)]
pub struct Clock {
    shared: Arc<Shared>,
}

/// All in microseconds.
#[derive(Debug)]
struct Shared {
    /// Database time less the machine's own.
    offset: AtomicI64,
    /// The latest time that was told; none is earlier than that.
    latest: AtomicI64,
}

impl Clock {
    /// A clock that was just compared with the database: `database` was read
    /// between `before` and `after`.
    pub fn sampled(before: BootTime, database: Instant, after: BootTime) -> Self {
        let shared = Shared {
            offset: AtomicI64::new(offset(before, database, after)),
            latest: AtomicI64::new(i64::MIN),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Compares the clock with the database again. A comparison that took too
    /// long changes nothing.
    pub fn sample(&self, before: BootTime, database: Instant, after: BootTime) {
        let round_trip = after.since(before);
        if round_trip > LONGEST_ROUND_TRIP {
            tracing::debug!(
                ?round_trip,
                "the comparison with the database took too long"
            );
            return;
        }
        let offset = offset(before, database, after);
        let known = self.shared.offset.swap(offset, Ordering::Relaxed);
        if known - offset > micros(TOLERANCE + round_trip) {
            tracing::error!(
                seconds = (known - offset) / 1_000_000,
                "the database's clock went back: no attempt is opened until it has caught up"
            );
        }
    }

    /// Now, by the database's clock; never earlier than what was told before.
    pub fn now(&self) -> Instant {
        let read = self.read();
        Instant(read.max(self.shared.latest.fetch_max(read, Ordering::Relaxed)))
    }

    /// Whether the database's time is behind what was told before, because it
    /// went back. Nothing may be sent at such a time.
    pub fn is_held(&self) -> bool {
        let latest = self.shared.latest.load(Ordering::Relaxed);
        latest.saturating_sub(self.read()) > micros(TOLERANCE)
    }

    fn read(&self) -> i64 {
        BootTime::now().micros() + self.shared.offset.load(Ordering::Relaxed)
    }
}

/// Halfway between its beginning and its end the question was answered.
fn offset(before: BootTime, database: Instant, after: BootTime) -> i64 {
    database.0 - (before.micros() + (after.micros() - before.micros()) / 2)
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_sets_the_time_and_the_time_goes_on() {
        let read = BootTime::now();
        let clock = Clock::sampled(read, Instant(5_000_000_000), read);
        let first = clock.now();
        assert!(first >= Instant(5_000_000_000));
        assert!(clock.now() >= first);
    }

    #[test]
    fn clones_share_a_later_sample() {
        let read = BootTime::now();
        let clock = Clock::sampled(read, Instant(0), read);
        let clone = clock.clone();
        clock.sample(read, Instant(1_000_000_000_000), read);
        assert!(clone.now() >= Instant(1_000_000_000_000));
    }

    const START: Instant = Instant(5_000_000_000_000);

    fn started() -> (BootTime, Clock) {
        let read = BootTime::now();
        (read, Clock::sampled(read, START, read))
    }

    #[test]
    fn time_that_went_back_is_not_told_and_holds_until_it_has_caught_up() {
        let (read, clock) = started();
        let told = clock.now();
        assert!(!clock.is_held());

        clock.sample(read, Instant(START.0 - 3_600_000_000), read);
        assert_eq!(clock.now(), told);
        assert!(clock.is_held());

        clock.sample(read, Instant(START.0 + 1_000_000), read);
        assert!(clock.now() > told);
        assert!(!clock.is_held());
    }

    #[test]
    fn an_error_of_the_comparison_goes_unnoticed_and_time_still_never_goes_back() {
        let (read, clock) = started();
        let told = clock.now();
        clock.sample(read, Instant(START.0 - 300_000), read);
        assert!(clock.now() >= told);
        assert!(!clock.is_held());
    }

    #[test]
    fn a_comparison_that_took_too_long_changes_nothing() {
        let (read, clock) = started();
        let late = read.after(Duration::from_secs(60));
        clock.sample(read, Instant(START.0 + 3_600_000_000), late);
        assert!(clock.now() < Instant(START.0 + 1_800_000_000));
    }
}
