//! The commands.
//!
//! Guarantees:
//! - results go to standard output, errors and logs to standard error; with
//!   `--json` both are JSON, one object for an answer;
//! - the exit code says how it ended, by one table ([`Exit`]);
//! - an error names the field and the rule, and never the value;
//! - a command that talks to a server only asks: interrupting it changes
//!   nothing about an operation.

mod amount;
mod connection;
mod demo;
mod exit;
mod failure;
mod help;
mod migrate;
mod op;
mod output;
mod pay;
mod recovery;
mod serve;
mod settings;
mod show;
mod signals;
mod simulator;
#[cfg(test)]
mod tests;
mod words;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use help::help;
use output::Output;

pub use exit::Exit;
use failure::Failure;

/// At most one financial effect for one business operation, and eventual
/// knowledge of its result.
#[derive(Debug, Parser)]
#[command(name = "payonce", version, after_help = help!("  payonce demo\n  payonce serve\n  payonce pay 8472 49.00 USD"))]
struct Cli {
    /// Print JSON: the result on standard output, errors on standard error
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Simulator(simulator::SimulatorCommand),
    Demo(demo::Demo),
    Migrate(migrate::Migrate),
    Recovery(recovery::Recovery),
    Op(op::Op),
    Pay(pay::Pay),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    crate::http::install_crypto_provider();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_understood(&error),
    };
    let output = Output::new(cli.json);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return ended(output, Err(Failure::internal(error))),
    };
    let result = runtime.block_on(run(cli.command, output));
    // Whoever waits for a second signal wants an end now: work that is still
    // under way is durable or not begun.
    runtime.shutdown_background();
    ended(output, result)
}

async fn run(command: Command, output: Output) -> Result<Exit, Failure> {
    match command {
        Command::Serve(serve) => serve.run(output).await,
        Command::Simulator(simulator) => simulator.run(output).await,
        Command::Demo(demo) => demo.run(output).await,
        Command::Migrate(migrate) => migrate.run(output).await,
        Command::Recovery(recovery) => recovery.run(output).await,
        Command::Op(op) => op.run(output).await,
        Command::Pay(pay) => pay.run(output).await,
    }
}

fn ended(output: Output, result: Result<Exit, Failure>) -> ExitCode {
    let exit = result.unwrap_or_else(|failure| {
        output.failure(&failure);
        failure.exit()
    });
    exit.into()
}

/// Help and version are answers; everything else is a usage error.
fn not_understood(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    let is_answer = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    if wants_json && !is_answer {
        Output::new(true).failure(&Failure::usage(&error.render().to_string()));
    } else {
        // Nobody is left to be told when the terminal is gone.
        let _ = error.print();
    }
    let exit = if is_answer { Exit::Done } else { Exit::Usage };
    exit.into()
}
