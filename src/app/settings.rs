//! From the configuration to the options of each part.

use std::time::Duration;

use crate::api;
#[cfg(debug_assertions)]
use crate::config;
use crate::config::{Config, Timing};
use crate::domain::profile::Timings;
use crate::domain::reference::Purpose;
use crate::engine;
#[cfg(debug_assertions)]
use crate::failpoint;
use crate::store::StoreOptions;
use crate::worker;

use super::{StartError, accounts};

/// How often a waiting call looks at the row itself. Wake-ups of this replica
/// come at once; this is for changes that another replica made.
const WAIT_POLL: Duration = Duration::from_secs(1);

pub(super) fn store(config: &Config) -> Result<StoreOptions, StartError> {
    let shift = u64::try_from(config.clock.shift_s).map_err(|_| StartError::Setting {
        key: "clock.shift_s",
        rule: "must not be negative: the database's time only moves forward".to_owned(),
    })?;
    Ok(StoreOptions {
        urls: config.database.urls.clone(),
        max_connections: config.database.max_connections,
        deployment: config.deployment.name.clone(),
        shift: Duration::from_secs(shift),
    })
}

pub(super) fn api(config: &Config) -> api::Options {
    api::Options {
        listen: config.grpc.listen,
        reflection: config.grpc.reflection,
        agent_deadline: Duration::from_millis(config.timing.agent_deadline_ms),
        caller_margin: Duration::from_millis(config.timing.caller_margin_ms),
    }
}

pub(super) fn engine(config: &Config, owner: String) -> Result<engine::Options, StartError> {
    let default = config.default_account();
    let default = default.ok_or_else(|| StartError::Setting {
        key: "default_provider",
        rule: "is needed: no account is configured".to_owned(),
    })?;
    Ok(engine::Options {
        deployment: config.deployment.name.clone(),
        purposes: purposes("purposes", &config.purposes)?,
        independent_purposes: purposes("independent_purposes", &config.independent_purposes)?,
        default_account: accounts::name("default_provider", &default.name)?,
        timings: timings(&config.timing),
        wait_poll: WAIT_POLL,
        owner,
    })
}

pub(super) fn worker(config: &Config, owner: String) -> worker::Options {
    worker::Options {
        owner,
        claim_batch: config.worker.claim_batch,
        poll: Duration::from_millis(config.worker.poll_ms),
        lease: Duration::from_millis(config.timing.lease_ms),
    }
}

/// Makes the process die where the configuration says so.
#[cfg(debug_assertions)]
pub(super) fn arm_failpoint(debug: &config::Debugging) -> Result<(), StartError> {
    if debug.fail_at.is_empty() {
        return Ok(());
    }
    let point = debug.fail_at.parse().map_err(|rule| StartError::Setting {
        key: "debug.fail_at",
        rule,
    })?;
    let death = match debug.fail_how {
        config::FailHow::Abort => failpoint::Death::Abort,
        config::FailHow::Panic => failpoint::Death::Panic,
    };
    tracing::warn!(?point, "this process will die there");
    failpoint::arm(point, death, debug.fail_nth);
    Ok(())
}

fn timings(timing: &Timing) -> Timings {
    let pauses = timing.look_up_schedule_ms.iter();
    Timings {
        provider_deadline: Duration::from_millis(timing.provider_deadline_ms),
        lease: Duration::from_millis(timing.lease_ms),
        pause: Duration::from_millis(timing.longest_pause_ms()),
        observation_window: Duration::from_secs(timing.observation_window_s),
        look_ups: pauses.copied().map(Duration::from_millis).collect(),
        look_up_interval: Duration::from_millis(timing.look_up_interval_ms),
        jitter_percent: timing.jitter_percent.into(),
    }
}

fn purposes(key: &'static str, names: &[String]) -> Result<Vec<Purpose>, StartError> {
    let parse = |name: &String| {
        Purpose::parse(name).map_err(|broken| StartError::Setting {
            key,
            rule: broken.to_string(),
        })
    };
    names.iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_pause_is_the_lease_and_its_margin() {
        let timings = timings(&Config::defaults().timing);
        assert_eq!(timings.pause, Duration::from_secs(20));
        assert_eq!(timings.look_ups[0], Duration::from_secs(1));
        assert_eq!(timings.jitter_percent, 20);
    }

    #[test]
    fn without_any_account_there_is_no_engine() {
        let error = engine(&Config::defaults(), "owner".to_owned()).expect_err("no account");
        assert!(error.to_string().starts_with("default_provider:"));
    }

    #[test]
    fn a_clock_is_not_shifted_back() {
        let mut config = Config::defaults();
        config.clock.shift_s = -1;
        let error = store(&config).expect_err("negative");
        assert!(error.to_string().starts_with("clock.shift_s:"));
    }
}
