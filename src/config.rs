//! Configuration: read once at start, checked once, plain data afterwards.
//!
//! Four layers, each over the one before: the default file compiled in
//! (`src/config/default.toml`), a TOML file, environment variables
//! `PAYONCE_SECTION__KEY`, and values set by flags. The type guarantees:
//!
//! - an unknown key is refused wherever it comes from, so that a misspelt
//!   safety setting never silently means its default;
//! - a [`Config`] that exists has passed every rule of `rules`, and all broken
//!   rules are reported together, each with its key;
//! - no error and no `Debug` output shows a value, because database URLs carry
//!   passwords.
//!
//! Keys, units and defaults are listed in `docs/configuration.md`.

mod environment;
mod loader;
mod problem;
mod provider_account;
mod rules;
mod sections;
#[cfg(test)]
mod tests;
mod timing;

use serde::Deserialize;

pub use loader::Loader;
pub use problem::{ConfigError, Problem};
pub use provider_account::{Facts, ProviderAccount, ProviderKind, ProviderProfile};
pub use sections::{
    ClockConfig, Database, Debugging, Deployment, FailHow, Failover, Grpc, Log, LogFormat,
    RecoveryConfig, SimulatorConfig, Worker,
};
pub use timing::Timing;

/// Name of the account that [`Config::with_inner_simulator`] adds.
pub const INNER_SIMULATOR: &str = "simulator";

/// The whole configuration of one process.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The gRPC server.
    pub grpc: Grpc,
    /// Where operations are stored.
    pub database: Database,
    /// How a loss of rows is noticed.
    pub recovery: RecoveryConfig,
    /// Who this installation is to its providers.
    pub deployment: Deployment,
    /// Purposes a caller may name. 1-64 characters of
    /// `[A-Za-z0-9._:/#@+=~-]` each, at least one, without repeats.
    #[serde(deserialize_with = "sections::one_or_many")]
    pub purposes: Vec<String>,
    /// Purposes whose payments of one order may be unresolved side by side;
    /// each is also in [`Config::purposes`].
    #[serde(deserialize_with = "sections::one_or_many")]
    pub independent_purposes: Vec<String>,
    /// Deadlines, leases and schedules.
    pub timing: Timing,
    /// The worker pool.
    pub worker: Worker,
    /// Accounts at payment providers. Empty: `serve` starts the simulator
    /// inside and uses that.
    pub providers: Vec<ProviderAccount>,
    /// The account that is used when a request names none. Needed when there
    /// are several accounts.
    #[serde(default)]
    pub default_provider: Option<String>,
    /// What goes to standard error.
    pub log: Log,
    /// The payment processor to try and to test against.
    pub simulator: SimulatorConfig,
    /// Database time.
    pub clock: ClockConfig,
    /// Failing on purpose.
    pub debug: Debugging,
}

impl Config {
    /// The compiled-in defaults alone: no file, no environment.
    pub fn defaults() -> Self {
        Loader::new()
            .load()
            .expect("the compiled-in defaults are tested to be valid")
    }

    /// Adds the simulator that runs inside this process as the account
    /// [`INNER_SIMULATOR`], and makes it the default account.
    ///
    /// `url` is the simulator's base URL, for instance
    /// `http://127.0.0.1:8090`; `serve` calls this once it knows the port.
    #[must_use]
    pub fn with_inner_simulator(mut self, url: String) -> Self {
        self.providers.push(ProviderAccount {
            name: INNER_SIMULATOR.to_owned(),
            kind: ProviderKind::Simulator,
            url,
            currencies: None,
            facts: Facts {
                profile: self.simulator.profile,
                ..Facts::default()
            },
        });
        self.default_provider = Some(INNER_SIMULATOR.to_owned());
        self
    }

    /// The account for requests that name none: `default_provider`, or the
    /// only account there is. `None` only while no account is configured.
    pub fn default_account(&self) -> Option<&ProviderAccount> {
        match &self.default_provider {
            Some(name) => self.providers.iter().find(|p| &p.name == name),
            None => self.providers.first(),
        }
    }
}
