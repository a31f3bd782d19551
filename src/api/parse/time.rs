//! Spans and instants.

use std::time::Duration;

use crate::domain::time::Instant;

use super::Faults;

const NANOS: i32 = 1_000_000_000;
/// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, the bounds that
/// google.protobuf.Timestamp documents.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

impl Faults {
    /// `wait`: how long at most, if it is given.
    pub(super) fn wait(&mut self, wait: Option<prost_types::Duration>) -> Option<Duration> {
        let wait = wait?;
        let nanos = u32::try_from(wait.nanos)
            .ok()
            .filter(|_| wait.nanos < NANOS);
        let (Ok(seconds), Some(nanos)) = (u64::try_from(wait.seconds), nanos) else {
            self.add("wait", "must be a duration of 0 or more");
            return None;
        };
        Some(Duration::new(seconds, nanos))
    }

    /// An instant that may be absent, up to the next whole microsecond, which
    /// is what is stored: "at or after" and "before" then mean what they say.
    pub(super) fn instant(
        &mut self,
        field: &'static str,
        at: Option<prost_types::Timestamp>,
    ) -> Option<Instant> {
        let at = at?;
        if !SECONDS.contains(&at.seconds) || !(0..NANOS).contains(&at.nanos) {
            self.add(field, "must be a time from the year 1 to the year 9999");
            return None;
        }
        let micros = i64::from(at.nanos.unsigned_abs().div_ceil(1_000));
        Some(Instant(at.seconds * 1_000_000 + micros))
    }

    /// A count or version that is 0 or more.
    pub(super) fn not_negative<N: Ord + Default + Copy>(
        &mut self,
        field: &'static str,
        number: N,
    ) -> N {
        if number < N::default() {
            self.add(field, "must be 0 or more");
        }
        number
    }
}
