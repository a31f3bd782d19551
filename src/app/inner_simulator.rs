//! The simulator that runs inside where no provider is configured.

use std::time::Duration;

use crate::config::{Config, Facts, ProviderProfile};
use crate::simulator::{Options, Profile, Simulator, SimulatorError};

/// K, D and V of `docs/simulator.md`, "What it guarantees", at time scale 1.
const KEY_LIFE: Duration = Duration::from_secs(24 * 3600);
const IN_FLIGHT_BOUND: Duration = Duration::from_secs(10);
const VISIBILITY_LAG: Duration = Duration::from_secs(30);

/// Starts it, and says so, if there is no provider.
pub(super) async fn start_if_needed(config: &Config) -> Result<Option<Simulator>, SimulatorError> {
    if !config.providers.is_empty() {
        return Ok(None);
    }
    let simulator = Simulator::start(options(config)).await?;
    tracing::warn!(
        simulator = %simulator.local_addr(),
        "no provider configured: using the built-in simulator, no real money moves"
    );
    Ok(Some(simulator))
}

/// Adds the running simulator as the default account. Its times scale, so
/// what it promises is declared on the same scale: a key life that is too
/// long would let a resend make a second payment.
pub(super) fn use_if_running(config: Config, simulator: Option<&Simulator>) -> Config {
    let Some(simulator) = simulator else {
        return config;
    };
    let url = format!("http://{}", simulator.local_addr());
    let facts = scaled(config.simulator.profile, config.simulator.time_scale);
    let mut config = config.with_inner_simulator(url);
    if let Some(account) = config.providers.last_mut() {
        account.facts = facts;
    }
    config
}

fn scaled(profile: ProviderProfile, scale: f64) -> Facts {
    let millis = |span: Duration| u64::try_from(span.mul_f64(scale).as_millis()).ok();
    Facts {
        profile,
        key_life_s: Some(KEY_LIFE.mul_f64(scale).as_secs()),
        in_flight_bound_ms: millis(IN_FLIGHT_BOUND),
        visibility_lag_ms: millis(VISIBILITY_LAG),
    }
}

fn options(config: &Config) -> Options {
    Options {
        listen: config.simulator.listen,
        ledger: config.simulator.ledger.clone(),
        profile: profile(config.simulator.profile),
        time_scale: config.simulator.time_scale,
    }
}

/// The simulator's own name for a configured profile.
pub fn profile(configured: ProviderProfile) -> Profile {
    match configured {
        ProviderProfile::StripeLike => Profile::StripeLike,
        ProviderProfile::LatestStatus => Profile::LatestStatus,
        ProviderProfile::NoIdempotency => Profile::NoIdempotency,
        ProviderProfile::ReportOnly => Profile::ReportOnly,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_is_on_the_scale_of_what_is_played() {
        let facts = scaled(ProviderProfile::LatestStatus, 0.05);
        assert_eq!(facts.profile, ProviderProfile::LatestStatus);
        assert_eq!(facts.key_life_s, Some(4320));
        assert_eq!(facts.in_flight_bound_ms, Some(500));
        assert_eq!(facts.visibility_lag_ms, Some(1500));
    }

    #[tokio::test]
    async fn with_a_provider_configured_nothing_is_started() {
        let config = Config::defaults().with_inner_simulator("http://127.0.0.1:9".to_owned());
        let started = start_if_needed(&config).await.expect("nothing to start");
        assert!(started.is_none());
    }
}
