//! Runs the built program; nothing of this machine's settings reaches it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The program with these arguments.
pub(super) fn payonce(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_payonce"));
    command.args(arguments).env_clear().stdin(Stdio::null());
    command
}

/// What a run has left.
pub(super) struct Ran {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

pub(super) fn run(arguments: &[&str]) -> Ran {
    ran(payonce(arguments).output().unwrap())
}

fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().expect("no signal ended it"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ran {
    /// The result as JSON, after the expected exit code.
    #[track_caller]
    pub(super) fn json(&self, code: i32) -> Value {
        self.ended_with(code);
        serde_json::from_str(&self.stdout).expect(&self.stdout)
    }

    /// The error as JSON, after the expected exit code; no result beside it.
    #[track_caller]
    pub(super) fn error(&self, code: i32) -> Value {
        self.ended_with(code);
        assert_eq!(self.stdout, "");
        let error: Value = serde_json::from_str(&self.stderr).expect(&self.stderr);
        assert_eq!(error["error"]["exit_code"], code);
        error["error"].clone()
    }

    #[track_caller]
    pub(super) fn ended_with(&self, code: i32) {
        let Ran { stdout, stderr, .. } = self;
        assert_eq!(self.code, code, "stdout: {stdout}\nstderr: {stderr}");
    }
}

/// A running `payonce serve` with the simulator inside, both on free ports.
pub(super) struct Server {
    child: Child,
    url: String,
}

/// Arguments that keep everything of a server in `folder`.
pub(super) fn serve_in(folder: &TempDir) -> Vec<String> {
    let file = |name: &str| folder.path().join(name).display().to_string();
    [
        "serve",
        "--json",
        "--listen",
        "127.0.0.1:0",
        "--simulator-listen",
        "127.0.0.1:0",
        "--log-filter",
        "warn",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain(["--database".to_owned(), database(folder.path())])
    .chain(["--simulator-ledger".to_owned(), file("ledger.jsonl")])
    .collect()
}

fn database(folder: &Path) -> String {
    format!("sqlite://{}", folder.join("payonce.db").display())
}

impl Server {
    pub(super) fn start(folder: &TempDir, more: &[&str]) -> Server {
        let mut arguments = serve_in(folder);
        arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut child = payonce(&arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().expect("it is piped");
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).expect("the line of a server that is ready");
        let grpc = ready["grpc"].as_str().expect("its address");
        Server {
            url: format!("http://{grpc}"),
            child,
        }
    }

    /// A command against this server, with JSON output.
    pub(super) fn ask(&self, arguments: &[&str]) -> Ran {
        let all = [arguments, &["--json", "--server", &self.url]].concat();
        run(&all)
    }

    /// The same for people.
    pub(super) fn ask_in_text(&self, arguments: &[&str]) -> Ran {
        run(&[arguments, &["--server", &self.url]].concat())
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// SIGTERM, and how it ended.
    pub(super) fn terminate(mut self) -> ExitStatus {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Gone already where a test has stopped it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
