//! How a world is set up: the times of the real configuration, shortened.

use std::net::SocketAddr;
use std::path::Path;

use super::process::Environment;

/// What differs between worlds. Times in milliseconds unless they say
/// otherwise.
#[derive(Clone)]
pub(crate) struct WorldOptions {
    /// The processor's profile, and what the account declares.
    pub(crate) profile: &'static str,
    /// Factor on the processor's own delays: with 0.1 the 20 s of `pm_slow`
    /// are 2 s.
    pub(crate) time_scale: f64,
    /// K, declared; `None` where the profile keeps no keys.
    pub(crate) key_life_s: Option<u64>,
    /// D, declared. True of the processor unless a fault holds requests.
    pub(crate) in_flight_bound_ms: u64,
    /// V, declared. True of the processor unless a method or a fault hides
    /// effects for longer.
    pub(crate) visibility_lag_ms: u64,
    pub(crate) agent_deadline_ms: u64,
    pub(crate) provider_deadline_ms: u64,
    pub(crate) lease_ms: u64,
    pub(crate) observation_window_s: u64,
    pub(crate) look_up_schedule_ms: &'static [u64],
    pub(crate) look_up_interval_ms: u64,
    pub(crate) drain_ms: u64,
    /// The time between two beats.
    pub(crate) clock_sample_ms: u64,
    /// On PostgreSQL a witness lies in the world's folder; SQLite always has one.
    pub(crate) witness: bool,
    /// Added to database time.
    pub(crate) shift_s: i64,
    /// Where the service looks for the processor, if something stands between
    /// them.
    pub(crate) bank: Option<SocketAddr>,
    /// The failure point at which replicas die; empty for none.
    pub(crate) fail_at: &'static str,
    /// At which time of reaching it.
    pub(crate) fail_nth: u32,
    /// `abort` or `panic`.
    pub(crate) fail_how: &'static str,
}

impl Default for WorldOptions {
    fn default() -> WorldOptions {
        WorldOptions {
            profile: "stripe_like",
            time_scale: 0.1,
            key_life_s: Some(8640),
            in_flight_bound_ms: 1000,
            visibility_lag_ms: 3000,
            agent_deadline_ms: 1000,
            provider_deadline_ms: 1500,
            lease_ms: 2500,
            observation_window_s: 120,
            look_up_schedule_ms: &[100, 200, 400],
            look_up_interval_ms: 800,
            drain_ms: 3000,
            clock_sample_ms: 3000,
            witness: false,
            shift_s: 0,
            bank: None,
            fail_at: "",
            fail_nth: 1,
            fail_how: "abort",
        }
    }
}

impl WorldOptions {
    /// The first look-up comes well after the agent deadline, so that a lost
    /// answer shows as PENDING first.
    pub(crate) fn with_a_visible_pending() -> WorldOptions {
        WorldOptions {
            agent_deadline_ms: 500,
            look_up_schedule_ms: &[2000],
            look_up_interval_ms: 2000,
            ..WorldOptions::default()
        }
    }

    /// So long a lease that a busy machine loses none: for crowds, where nobody
    /// dies.
    pub(crate) fn with_a_long_lease(self) -> WorldOptions {
        WorldOptions {
            lease_ms: 20_000,
            ..self
        }
    }

    /// A processor that ignores keys.
    pub(crate) fn without_keys(profile: &'static str) -> WorldOptions {
        WorldOptions {
            profile,
            key_life_s: None,
            ..WorldOptions::default()
        }
    }

    /// Nothing lags, so that an absence is proven within seconds.
    pub(crate) fn with_a_quick_proof(self) -> WorldOptions {
        WorldOptions {
            in_flight_bound_ms: 200,
            visibility_lag_ms: 300,
            ..self
        }
    }

    /// The same, and nobody dies.
    pub(crate) fn disarmed(self) -> WorldOptions {
        WorldOptions {
            fail_at: "",
            ..self
        }
    }

    /// The configuration of the service.
    pub(super) fn environment(&self, database: &str, processor: &str) -> Environment {
        let between = self.bank.map(|address| address.to_string());
        let processor = between.as_deref().unwrap_or(processor);
        let schedule = format!("{:?}", self.look_up_schedule_ms);
        let providers = format!("[{}]", self.account("bank", processor));
        let urls: Vec<&str> = database.split(',').collect();
        let settings = [
            ("GRPC__LISTEN", "127.0.0.1:0".to_owned()),
            ("DATABASE__URLS", format!("{urls:?}")),
            ("PURPOSES", r#"["purchase", "deposit"]"#.to_owned()),
            ("PROVIDERS", providers),
            (
                "TIMING__AGENT_DEADLINE_MS",
                self.agent_deadline_ms.to_string(),
            ),
            (
                "TIMING__PROVIDER_DEADLINE_MS",
                self.provider_deadline_ms.to_string(),
            ),
            ("TIMING__CONNECT_TIMEOUT_MS", "500".to_owned()),
            ("TIMING__LEASE_MS", self.lease_ms.to_string()),
            ("TIMING__PAUSE_MARGIN_MS", "300".to_owned()),
            (
                "TIMING__OBSERVATION_WINDOW_S",
                self.observation_window_s.to_string(),
            ),
            ("TIMING__LOOK_UP_SCHEDULE_MS", schedule),
            (
                "TIMING__LOOK_UP_INTERVAL_MS",
                self.look_up_interval_ms.to_string(),
            ),
            ("TIMING__CLOCK_SAMPLE_MS", self.clock_sample_ms.to_string()),
            ("TIMING__DRAIN_MS", self.drain_ms.to_string()),
            ("WORKER__POLL_MS", "50".to_owned()),
            ("LOG__FILTER", "info,payonce=debug".to_owned()),
            ("CLOCK__SHIFT_S", self.shift_s.to_string()),
            ("DEBUG__FAIL_AT", self.fail_at.to_owned()),
            ("DEBUG__FAIL_NTH", self.fail_nth.to_string()),
            ("DEBUG__FAIL_HOW", self.fail_how.to_owned()),
        ];
        let mut environment = prefixed(settings);
        if self.witness && database.starts_with("postgres") {
            environment.extend(prefixed([("RECOVERY__WITNESS", "witness.json".to_owned())]));
        }
        environment
    }

    /// What the service is told of an account at such a processor.
    pub(super) fn account(&self, name: &str, processor: &str) -> String {
        let key_life = self
            .key_life_s
            .map_or(String::new(), |seconds| format!("key_life_s={seconds}, "));
        format!(
            r#"{{name="{name}", kind="simulator", url="http://{processor}", facts={{profile="{}", {key_life}in_flight_bound_ms={}, visibility_lag_ms={}}}}}"#,
            self.profile, self.in_flight_bound_ms, self.visibility_lag_ms,
        )
    }

    /// The configuration of the processor.
    pub(super) fn processor_environment(&self, ledger: &Path) -> Environment {
        prefixed([
            ("SIMULATOR__LISTEN", "127.0.0.1:0".to_owned()),
            ("SIMULATOR__LEDGER", ledger.display().to_string()),
            ("SIMULATOR__PROFILE", self.profile.to_owned()),
            ("SIMULATOR__TIME_SCALE", self.time_scale.to_string()),
        ])
    }
}

fn prefixed<const N: usize>(settings: [(&str, String); N]) -> Environment {
    settings
        .into_iter()
        .map(|(key, value)| (format!("PAYONCE_{key}"), value))
        .collect()
}
