//! Deadlines, leases and schedules, and the rules that tie them together.

use serde::Deserialize;

use super::problem::Problems;

/// No time in the configuration is longer than a day, so that sums of them
/// never overflow and a unit mixed up is noticed.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Deadlines, leases and schedules. Every one is at most a day.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Longest wait of a call for a settled answer, in milliseconds; then the
    /// present state goes out. At least `caller_margin_ms`.
    pub agent_deadline_ms: u64,
    /// Taken off the caller's own gRPC deadline, in milliseconds, so that the
    /// answer is there before it.
    pub caller_margin_ms: u64,
    /// One provider call from connecting to the last byte of the answer, in
    /// milliseconds.
    pub provider_deadline_ms: u64,
    /// Connecting to a provider, in milliseconds. Shorter than
    /// `provider_deadline_ms`, so that a provider that cannot be reached is
    /// known not to have been sent anything.
    pub connect_timeout_ms: u64,
    /// How long a worker owns a claimed operation, in milliseconds. Longer
    /// than `provider_deadline_ms` and `connect_timeout_ms` together.
    pub lease_ms: u64,
    /// Clock error and scheduling, in milliseconds, on top of the lease; see
    /// [`Timing::longest_pause_ms`].
    pub pause_margin_ms: u64,
    /// How long an operation may stay UNKNOWN before a person is asked, in
    /// seconds. Not before the first look-up.
    pub observation_window_s: u64,
    /// Times of the first look-ups after an unknown outcome, each in
    /// milliseconds after the one before. Ascending, at least one.
    pub look_up_schedule_ms: Vec<u64>,
    /// Time between look-ups once the schedule is used up, in milliseconds.
    /// At least the last entry of the schedule.
    pub look_up_interval_ms: u64,
    /// Random part of each look-up time, in percent, at most 50.
    pub jitter_percent: u8,
    /// How long a stopping server waits for calls in flight, in milliseconds.
    pub drain_ms: u64,
    /// Time between two samples of the database's clock, in milliseconds.
    pub clock_sample_ms: u64,
    /// How often a waiting call looks at the row itself, in milliseconds.
    /// Changes of this replica, and on PostgreSQL of others, wake it at once;
    /// this is for wake-ups that were lost.
    pub wait_poll_ms: u64,
}

impl Timing {
    /// P: the longest pause between deciding to send and sending, in
    /// milliseconds. "Not found" weighs nothing before it has passed.
    pub fn longest_pause_ms(&self) -> u64 {
        self.lease_ms + self.pause_margin_ms
    }

    pub(super) fn check(&self, problems: &mut Problems) {
        self.check_bounds(problems);
        self.check_relations(problems);
        self.check_schedule(problems);
    }

    fn check_bounds(&self, problems: &mut Problems) {
        let positive = [
            ("agent_deadline_ms", self.agent_deadline_ms),
            ("provider_deadline_ms", self.provider_deadline_ms),
            ("connect_timeout_ms", self.connect_timeout_ms),
            ("lease_ms", self.lease_ms),
            ("look_up_interval_ms", self.look_up_interval_ms),
            ("clock_sample_ms", self.clock_sample_ms),
            ("wait_poll_ms", self.wait_poll_ms),
        ];
        for (key, value) in positive {
            problems.require(
                (1..=DAY_MS).contains(&value),
                format_args!("timing.{key}"),
                "must be 1 to 86400000 milliseconds",
            );
        }
        let may_be_zero = [
            ("caller_margin_ms", self.caller_margin_ms),
            ("pause_margin_ms", self.pause_margin_ms),
            ("drain_ms", self.drain_ms),
        ];
        for (key, value) in may_be_zero {
            problems.require(
                value <= DAY_MS,
                format_args!("timing.{key}"),
                "must be 0 to 86400000 milliseconds",
            );
        }
        problems.require(
            (1..=DAY_MS / 1000).contains(&self.observation_window_s),
            "timing.observation_window_s",
            "must be 1 to 86400 seconds",
        );
        problems.require(
            self.jitter_percent <= 50,
            "timing.jitter_percent",
            "must be 0 to 50",
        );
    }

    fn check_relations(&self, problems: &mut Problems) {
        problems.require(
            self.agent_deadline_ms >= self.caller_margin_ms,
            "timing.agent_deadline_ms",
            "must be at least timing.caller_margin_ms",
        );
        problems.require(
            self.connect_timeout_ms < self.provider_deadline_ms,
            "timing.connect_timeout_ms",
            "must be shorter than timing.provider_deadline_ms",
        );
        problems.require(
            self.lease_ms
                > self
                    .provider_deadline_ms
                    .saturating_add(self.connect_timeout_ms),
            "timing.lease_ms",
            "must be longer than timing.provider_deadline_ms and timing.connect_timeout_ms together",
        );
    }

    fn check_schedule(&self, problems: &mut Problems) {
        let schedule = &self.look_up_schedule_ms;
        let key = "timing.look_up_schedule_ms";
        let (Some(first), Some(last)) = (schedule.first(), schedule.last()) else {
            problems.add(key, "must have at least one entry");
            return;
        };
        problems.require(
            *first > 0 && schedule.is_sorted_by(|a, b| a < b),
            key,
            "must be ascending, each entry above 0",
        );
        problems.require(
            self.look_up_interval_ms >= *last,
            "timing.look_up_interval_ms",
            "must be at least the last entry of timing.look_up_schedule_ms",
        );
        problems.require(
            self.observation_window_s.saturating_mul(1000) >= *first,
            "timing.observation_window_s",
            "must not end before the first entry of timing.look_up_schedule_ms",
        );
    }
}
