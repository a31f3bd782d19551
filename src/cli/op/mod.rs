//! `payonce op`: operations of a running server, one file a command.

mod compensate;
mod create;
mod get;
mod history;
mod list;
mod submit;
mod watch;

use clap::{Args, Subcommand};

use super::help::help;
use super::output::Output;
use super::{Exit, Failure, show};
use crate::proto::v1::Operation;

/// Work with operations of a running server
#[derive(Debug, Args)]
#[command(after_help = help!("  payonce op create --order 8472 --amount 49.00 --currency USD --payment-method pm_ok\n  payonce op get --order 8472\n  payonce op list --state unknown"))]
pub(super) struct Op {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Create(Box<create::Create>),
    Submit(submit::Submit),
    Get(get::Get),
    Compensate(compensate::Compensate),
    Watch(watch::WatchCommand),
    List(list::List),
    History(history::History),
}

impl Op {
    pub(super) async fn run(self, output: Output) -> Result<Exit, Failure> {
        match self.command {
            Command::Create(create) => create.run(output).await,
            Command::Submit(submit) => submit.run(output).await,
            Command::Get(get) => get.run(output).await,
            Command::Compensate(compensate) => compensate.run(output).await,
            Command::Watch(watch) => watch.run(output).await,
            Command::List(list) => list.run(output).await,
            Command::History(history) => history.run(output).await,
        }
    }
}

/// The operation of an answer, which the contract says is there.
pub(super) fn present(operation: Option<Operation>) -> Result<Operation, Failure> {
    operation.ok_or_else(|| {
        Failure::internal(anyhow::anyhow!("the server answered without an operation"))
    })
}

/// Shows one operation whole; the exit code follows it.
fn shown(operation: Option<Operation>, output: Output) -> Result<Exit, Failure> {
    let operation = present(operation)?;
    output.message(&operation, || show::operation(&operation))?;
    Ok(Exit::of_operation(&operation))
}
