//! `payonce serve`: the server, until a signal stops it.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::help::help;
use super::output::Output;
use super::settings::{self, Settings};
use super::signals::Signals;
use super::simulator::Processor;
use super::{Exit, Failure};
use crate::app::{Migrate, Service};
use crate::config::Config;

/// Run the server until SIGTERM or SIGINT; a second signal ends it at once
///
/// Prints one line when it answers calls. Without a configured provider it
/// starts the simulator inside: no real money moves.
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce serve\n  payonce serve --listen 127.0.0.1:0 --database sqlite:///var/lib/payonce/payonce.db\n  PAYONCE_TIMING__AGENT_DEADLINE_MS=4000 payonce serve --config payonce.toml"))]
pub(super) struct Serve {
    #[command(flatten)]
    settings: Settings,

    /// The database, sqlite:// or postgres://; several for PostgreSQL with
    /// stand-bys
    #[arg(long, value_name = "URL")]
    database: Vec<String>,

    /// Address and port of the gRPC server; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,

    /// Do not describe the contract to tools such as grpcurl
    #[arg(long)]
    no_reflection: bool,

    /// Refuse a database that is not in the shape of this version, instead of
    /// bringing it there
    #[arg(long)]
    no_migrate: bool,

    /// Address and port of the simulator, if it runs inside
    #[arg(long, value_name = "ADDRESS")]
    simulator_listen: Option<SocketAddr>,

    /// Its ledger file
    #[arg(long, value_name = "FILE")]
    simulator_ledger: Option<PathBuf>,
}

impl Serve {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        let config = self.config()?;
        settings::start_log(&config)?;
        let mut signals = Signals::listen().map_err(Failure::internal)?;
        let migrate = if self.no_migrate {
            Migrate::Never
        } else {
            Migrate::Pending
        };
        let mut service = tokio::select! {
            started = Service::start(config, migrate) => started?,
            () = signals.next() => return Ok(Exit::Done),
        };
        announce(&service, output);
        tokio::select! {
            () = signals.next() => {}
            () = service.ended() => {
                service.drain().await;
                return Err(Failure::internal(anyhow::anyhow!("the gRPC server ended by itself")));
            }
        }
        tokio::select! {
            () = service.drain() => Ok(Exit::Done),
            () = signals.next() => {
                let cut = "ended at once by a second signal; work in flight is left to the next owner";
                Err(Failure::internal(anyhow::anyhow!(cut)))
            }
        }
    }

    fn config(&self) -> Result<Config, Failure> {
        let mut loader = self.settings.loader();
        if !self.database.is_empty() {
            loader = loader.set("database.urls", &self.database);
        }
        if let Some(listen) = self.listen {
            loader = loader.set("grpc.listen", listen);
        }
        if self.no_reflection {
            loader = loader.set("grpc.reflection", false);
        }
        let inside = Processor {
            listen: self.simulator_listen,
            ledger: self.simulator_ledger.clone(),
            ..Processor::default()
        };
        Ok(inside.set_in(loader).load()?)
    }
}

fn announce(service: &Service, output: Output) {
    let grpc = service.grpc_addr().to_string();
    let simulator = service.simulator_addr().map(|address| address.to_string());
    let text = format!("payonce is ready: grpc {grpc}");
    output.value(&json!({ "grpc": grpc, "simulator": simulator }), &text);
}
