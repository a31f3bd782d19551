//! `payonce simulator`: the payment processor to try and to test against.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::help::help;
use super::output::Output;
use super::settings::{self, Settings};
use super::signals::Signals;
use super::{Exit, Failure};
use crate::app::simulator_profile;
use crate::config::Loader;
use crate::simulator::{Options, Profile, Simulator, SimulatorError};

/// Run the simulated payment processor alone, until SIGTERM or SIGINT
///
/// An HTTP server with a ledger of its own; docs/simulator.md lists its test
/// payment methods and the faults that can be ordered.
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce simulator\n  payonce simulator --listen 127.0.0.1:0 --profile no-idempotency --time-scale 0.1"))]
pub(super) struct SimulatorCommand {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    processor: Processor,
}

/// How the simulator is run. What is absent comes from the configuration.
#[derive(Debug, Default, Args)]
pub(super) struct Processor {
    /// Address and port; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Option<SocketAddr>,

    /// Its ledger file, made if it does not exist, replayed if it does
    #[arg(long, value_name = "FILE")]
    pub(super) ledger: Option<PathBuf>,

    /// How it treats repeats and look-ups
    #[arg(long)]
    pub(super) profile: Option<Profile>,

    /// Factor on its own delays: 0.1 makes 20 s last 2 s
    #[arg(long, value_name = "FACTOR")]
    pub(super) time_scale: Option<f64>,
}

impl Processor {
    /// The flags over the other layers.
    pub(super) fn set_in(&self, mut loader: Loader) -> Loader {
        if let Some(listen) = self.listen {
            loader = loader.set("simulator.listen", listen);
        }
        if let Some(ledger) = &self.ledger {
            loader = loader.set("simulator.ledger", ledger);
        }
        if let Some(profile) = self.profile {
            // The configuration spells them with an underscore.
            loader = loader.set("simulator.profile", profile.to_string().replace('-', "_"));
        }
        if let Some(scale) = self.time_scale {
            loader = loader.set("simulator.time_scale", scale);
        }
        loader
    }
}

impl SimulatorCommand {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        let config = self.processor.set_in(self.settings.loader()).load()?;
        settings::start_log(&config)?;
        let mut signals = Signals::listen().map_err(Failure::internal)?;
        let options = Options {
            listen: config.simulator.listen,
            ledger: config.simulator.ledger,
            profile: simulator_profile(config.simulator.profile),
            time_scale: config.simulator.time_scale,
        };
        let simulator = start(options).await?;
        let address = simulator.local_addr().to_string();
        let text = format!("the simulator is ready: http {address}");
        output.value(&json!({ "simulator": address }), &text);
        signals.next().await;
        tokio::select! {
            () = simulator.stop() => {}
            () = signals.next() => {}
        }
        Ok(Exit::Done)
    }
}

async fn start(options: Options) -> Result<Simulator, Failure> {
    let started: Result<Simulator, SimulatorError> = Simulator::start(options).await;
    started.map_err(Failure::internal)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_profile_of_the_simulator_can_be_configured() {
        for profile in Profile::value_variants() {
            let flags = Processor {
                profile: Some(*profile),
                ..Processor::default()
            };
            let config = flags.set_in(Loader::new()).load().expect("a known profile");
            assert_eq!(simulator_profile(config.simulator.profile), *profile);
        }
    }
}
