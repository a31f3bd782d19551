//! What one run of the model assumes: what the service believes, what is
//! true, what may go wrong, and how often.

use std::time::Duration;

use payonce::domain::decide::Context;
use payonce::domain::ids::{CaseId, OperationId};
use payonce::domain::kind::Kind;
use payonce::domain::profile::{InFlightBound, LookUpFacts, Policy, Profile, Timings};
use payonce::domain::time::Instant;
use uuid::Uuid;

use super::wrong::Wrong;

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// For people.
    pub(crate) name: String,
    /// What the service believes of the provider, and its own times.
    pub(crate) policy: Policy,
    /// What the provider and the machines are really like.
    pub(crate) truth: Truth,
    /// The rule that is broken on purpose.
    pub(crate) wrong: Wrong,
    /// What callers ask for.
    pub(crate) story: Story,
    /// How much may happen.
    pub(crate) bounds: Bounds,
}

/// All in ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Truth {
    /// D: within how many ticks a written request takes effect, if it does;
    /// `None`: no bound.
    pub(crate) in_flight: Option<u8>,
    /// V: after how many ticks a look-up sees an effect for certain.
    pub(crate) lag: u8,
    /// K: how long a key protects after its first effect; `None`: never.
    pub(crate) key_life: Option<u8>,
    /// P: the longest pause between deciding to send and writing.
    pub(crate) pause: u8,
}

/// What callers ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Story {
    /// A charge is submitted.
    Charge,
    /// A charge is submitted, and may be canceled before it is sent, or given
    /// back as soon as its outcome is known.
    CancelOrGiveBack,
    /// A charge that succeeded is given back under two labels, which together
    /// are more than it took.
    Refunds,
    /// A charge is submitted; after a decline or a cancellation a corrected
    /// one takes its place.
    Supersede,
}

/// How much may happen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Workers, each of a replica of its own.
    pub(crate) workers: usize,
    /// Deaths of workers.
    pub(crate) crashes: u8,
    /// Requests on their way at once.
    pub(crate) copies: usize,
    /// Connections that are refused before a byte has left.
    pub(crate) not_sent: u8,
    /// Webhooks, repeats included.
    pub(crate) webhooks: u8,
    /// Look-ups that bring no verdict.
    pub(crate) lost_look_ups: u8,
    /// Whether answers can arrive at all.
    pub(crate) answers: bool,
    /// Whether the provider may decline.
    pub(crate) declines: bool,
    /// Whether it may refuse a request without making a payment.
    pub(crate) refusals: bool,
    /// Whether callers load and commit in two steps.
    pub(crate) slow_callers: bool,
    /// From this tick on nobody dies, and time passes only when nobody has
    /// anything left to do.
    pub(crate) calm_from: u8,
    /// Whether workers go on to pause before sending.
    pub(crate) pauses_when_calm: bool,
    /// The last tick at which callers ask for something new. The first
    /// command comes at tick 0.
    pub(crate) asked_until: u8,
    /// The last tick.
    pub(crate) end: u8,
}

impl Bounds {
    /// One worker that is prompt but for its pauses before sending, and no
    /// answers: all that is learned is learned by asking.
    pub(crate) fn only_look_ups(end: u8) -> Self {
        Self {
            workers: 1,
            crashes: 0,
            copies: 2,
            not_sent: 0,
            webhooks: 0,
            lost_look_ups: 0,
            answers: false,
            declines: false,
            refusals: false,
            slow_callers: false,
            calm_from: 0,
            pauses_when_calm: true,
            asked_until: 0,
            end,
        }
    }
}

pub(crate) fn ticks(count: u64) -> Duration {
    Duration::from_micros(count)
}

/// What the service believes when all of it is true: D is documented, "not
/// found" counts, and P is known.
pub(crate) fn believing(truth: Truth, window: u64) -> Policy {
    let far = 200;
    let in_flight = match truth.in_flight {
        Some(bound) => InFlightBound::Documented(ticks(bound.into())),
        None => InFlightBound::Assumed(ticks(2)),
    };
    Policy {
        profile: Profile {
            key_life: truth.key_life.map(|life| ticks(life.into())),
            in_flight,
            visibility_lag: Some(ticks(truth.lag.into())),
            look_up: Some(LookUpFacts {
                by_reference: true,
                consistent: true,
                not_found_counts: true,
            }),
            processing_horizon: ticks(far),
            kinds: &[Kind::Charge],
            currencies: None,
            max_minor_units: 1_000_000,
        },
        timings: Timings {
            provider_deadline: ticks(1),
            lease: ticks(1),
            pause: ticks(truth.pause.into()),
            observation_window: ticks(window),
            look_ups: Vec::new(),
            look_up_interval: ticks(1),
            jitter_percent: 0,
        },
    }
}

impl Setting {
    /// What a decision may use at that tick. Ids come from counters.
    pub(crate) fn context(&self, now: u8, rows: usize) -> Context<'_> {
        Context {
            policy: &self.policy,
            deployment: "default",
            now: at(now),
            jitter: 500,
            case_id: CaseId(Uuid::from_u128(1)),
            child: operation_id(rows),
            recovery: None,
        }
    }
}

/// The instant of a tick.
pub(crate) fn at(tick: u8) -> Instant {
    Instant(tick.into())
}

/// The id of the row with that place.
pub(crate) fn operation_id(row: usize) -> OperationId {
    OperationId(Uuid::from_u128(row as u128 + 1))
}
