//! The server and the processor of the demo, in a temporary folder.

use std::net::SocketAddr;

use tempfile::TempDir;

use super::story::Story;
use crate::app::{Migrate, Service};
use crate::cli::Failure;
use crate::client::Client;
use crate::config::{Config, ConfigError, Loader};

/// Shorter than by default, so that the demo is over soon: the provider is
/// given up on after 1 s, the caller is answered after 1.5 s, and only then,
/// about 2.5 s after the unknown outcome, does the first look-up come.
const TIMING: [(&str, u64); 5] = [
    ("timing.agent_deadline_ms", 1500),
    ("timing.provider_deadline_ms", 1000),
    ("timing.connect_timeout_ms", 500),
    ("timing.look_up_interval_ms", 10_000),
    ("timing.drain_ms", 2000),
];
const LOOK_UPS_MS: [u64; 3] = [2500, 4000, 8000];

/// A running service and its folder.
pub(super) struct Stage {
    service: Service,
    simulator: SocketAddr,
    // Removed last, when everything in it is closed.
    _folder: TempDir,
}

impl Stage {
    pub(super) async fn set_up() -> Result<Self, Failure> {
        let folder = tempfile::tempdir().map_err(Failure::internal)?;
        let service = Service::start(config(&folder)?, Migrate::Pending).await?;
        let simulator = service.simulator_addr().ok_or_else(|| {
            Failure::internal(anyhow::anyhow!("the simulator does not run inside"))
        })?;
        Ok(Self {
            service,
            simulator,
            _folder: folder,
        })
    }

    pub(super) fn simulator(&self) -> SocketAddr {
        self.simulator
    }

    pub(super) async fn client(&self) -> Result<Client, Failure> {
        let server = format!("http://{}", self.service.grpc_addr());
        Ok(Client::connect(&server).await?)
    }

    pub(super) fn introduce(&self, story: &Story) {
        let grpc = self.service.grpc_addr();
        story.show(&format!(
            "A payonce server listens on {grpc}, a simulated card processor on {}.\n\
             No real money moves. The processor will capture the payment at once and\n\
             answer 3 seconds later, when nobody listens any more.",
            self.simulator
        ));
    }

    pub(super) async fn take_down(self) {
        self.service.drain().await;
    }
}

fn config(folder: &TempDir) -> Result<Config, ConfigError> {
    let database = format!("sqlite://{}", folder.path().join("payonce.db").display());
    let mut loader = Loader::new()
        .set("grpc.listen", "127.0.0.1:0")
        .set("simulator.listen", "127.0.0.1:0")
        .set("simulator.ledger", folder.path().join("processor.jsonl"))
        .set("database.urls", [database])
        .set("timing.look_up_schedule_ms", LOOK_UPS_MS);
    for (key, millis) in TIMING {
        loader = loader.set(key, millis);
    }
    loader.load()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_is_answered_before_the_first_look_up_can_come() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let timing = config(&folder).expect("a valid configuration").timing;
        let first = timing.look_up_schedule_ms[0];
        let earliest = first - first * u64::from(timing.jitter_percent) / 100;
        assert!(timing.provider_deadline_ms < timing.agent_deadline_ms);
        // Even if the outcome were unknown at once.
        assert!(timing.agent_deadline_ms < earliest);
    }
}
