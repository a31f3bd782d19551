//! Database time, and the one place that reads a clock.
//!
//! Guarantees:
//! - [`Clock::now`] is the database's time: the local monotonic clock plus an
//!   offset that is sampled every few seconds, so that replicas with other
//!   wall clocks still agree on leases and key windows;
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
        i64::try_from(self.0.as_micros()).unwrap_or(i64::MAX)
    }
}

/// Database time without a round trip. Cheap to clone; clones share the
/// offset.
#[derive(Clone, Debug)]
pub struct Clock {
    offset: Arc<AtomicI64>,
}

impl Clock {
    /// A clock that was just compared with the database: `database` was read
    /// between `before` and `after`.
    pub fn sampled(before: BootTime, database: Instant, after: BootTime) -> Self {
        let clock = Self {
            offset: Arc::new(AtomicI64::new(0)),
        };
        clock.sample(before, database, after);
        clock
    }

    /// Compares the clock with the database again.
    pub fn sample(&self, before: BootTime, database: Instant, after: BootTime) {
        let middle = before.micros() + (after.micros() - before.micros()) / 2;
        self.offset.store(database.0 - middle, Ordering::Relaxed);
    }

    /// Now, by the database's clock.
    pub fn now(&self) -> Instant {
        Instant(BootTime::now().micros() + self.offset.load(Ordering::Relaxed))
    }
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
}
