//! The tools that tests and long runs share, on the command line:
//! `cargo run --example lab -- fault-proxy --upstream 127.0.0.1:8090`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool"
)]

use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use tokio::io::{AsyncBufReadExt, BufReader, stdin};

use crate::lab::fault_proxy::{FaultProxy, Mode};
use crate::tools::{crash_matrix, kill_cycles, late_arrivals, soak, zombies};

#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "the integration tests use the rest"
)]
#[path = "mod.rs"]
mod lab;
mod tools;

/// The tools that payonce is tried with
#[derive(Parser)]
enum Tool {
    /// Forward TCP connections and lose what the mode says
    ///
    /// Prints its address, then reads a mode a line; `count` prints how many
    /// connections were accepted and how many were cut.
    FaultProxy(FaultProxyArgs),
    CrashMatrix(crash_matrix::Args),
    Soak(soak::Args),
    KillCycles(kill_cycles::Args),
    Zombies(zombies::Args),
    LateArrivals(late_arrivals::Args),
}

#[derive(clap::Args)]
struct FaultProxyArgs {
    /// Where clients connect; a free port of 127.0.0.1 if absent
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// The server that they mean
    #[arg(long, value_name = "ADDRESS")]
    upstream: SocketAddr,
    /// pass, "cut-after-request-bytes N", cut-before-response, "delay-ms N" or blackhole
    #[arg(long, default_value = "pass")]
    mode: Mode,
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    match Tool::parse() {
        Tool::FaultProxy(args) => {
            run_fault_proxy(args).await?;
            Ok(ExitCode::SUCCESS)
        }
        Tool::CrashMatrix(args) => crash_matrix::run(args).await,
        Tool::Soak(args) => soak::run(args).await,
        Tool::KillCycles(args) => kill_cycles::run(args).await,
        Tool::Zombies(args) => zombies::run(args).await,
        Tool::LateArrivals(args) => late_arrivals::run(args).await,
    }
}

async fn run_fault_proxy(args: FaultProxyArgs) -> anyhow::Result<()> {
    let proxy = match args.listen {
        Some(listen) => FaultProxy::start_on(listen, args.upstream).await,
        None => FaultProxy::start(args.upstream).await,
    }
    .context("the proxy cannot listen")?;
    proxy.set_mode(args.mode);
    println!("listening on {}", proxy.addr());

    tokio::select! {
        obeyed = obey_lines(&proxy) => {
            obeyed?;
            // The lines have ended, the proxy has not.
            tokio::signal::ctrl_c().await?;
        }
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    Ok(())
}

async fn obey_lines(proxy: &FaultProxy) -> anyhow::Result<()> {
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        match line.trim() {
            "" => {}
            "count" => println!("connections {} cut {}", proxy.connections(), proxy.cuts()),
            mode => match mode.parse() {
                Ok(mode) => {
                    proxy.set_mode(mode);
                    println!("mode {mode:?}");
                }
                Err(refusal) => println!("{refusal}"),
            },
        }
    }
    Ok(())
}
