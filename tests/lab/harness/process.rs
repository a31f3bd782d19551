//! The program under test as child processes that die with the test.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use serde_json::Value;

use super::wait::eventually;

/// Variables that the configuration is read from.
pub(crate) type Environment = Vec<(String, String)>;

/// A running server.
pub(crate) struct Process {
    child: Child,
    name: String,
    folder: PathBuf,
}

impl Process {
    /// Starts the program and waits for the one line of JSON that it prints
    /// when it is ready.
    pub(crate) async fn start(
        name: &str,
        arguments: &[&str],
        environment: &Environment,
        folder: &Path,
    ) -> (Process, Value) {
        // Not a thread of the pool for blocking work: the child dies with the
        // thread that started it.
        tokio::task::block_in_place(|| {
            Process::start_blocking(name, arguments, environment, folder)
        })
    }

    /// The same where waiting does not matter.
    pub(crate) fn start_blocking(
        name: &str,
        arguments: &[&str],
        environment: &Environment,
        folder: &Path,
    ) -> (Process, Value) {
        let log = File::create(log_of(folder, name)).expect("a file for the log");
        let mut child = payonce()
            .args(arguments)
            .envs(environment.iter().map(|(key, value)| (key, value)))
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("standard output is a pipe");
        BufReader::new(stdout)
            .read_line(&mut line)
            .expect("its output can be read");
        let Ok(ready) = serde_json::from_str(&line) else {
            let _ = child.kill();
            print_log(folder, name);
            panic!("{name} printed {line:?} and not that it is ready");
        };
        let process = Process {
            child,
            name: name.to_owned(),
            folder: folder.to_owned(),
        };
        (process, ready)
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Its number in the system.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to end (SIGTERM).
    pub(crate) fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends it the signal of this name.
    pub(super) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status();
        assert!(sent.is_ok_and(|status| status.success()), "it still runs");
    }

    /// Waits for its end; returns its exit code.
    pub(crate) async fn exited(&mut self) -> Option<i32> {
        self.ended().await.code()
    }

    /// Waits for its end by a signal; returns which.
    pub(crate) async fn ended_by_signal(&mut self) -> Option<i32> {
        self.ended().await.signal()
    }

    async fn ended(&mut self) -> ExitStatus {
        let name = self.name.clone();
        eventually(&format!("{name} ends"), async || {
            let status = self.child.try_wait().expect("it can be waited for");
            status.ok_or_else(|| "it runs".to_owned())
        })
        .await
    }

    /// What it logged.
    pub(super) fn log(&self) -> String {
        fs::read_to_string(log_of(&self.folder, &self.name)).unwrap_or_default()
    }

    /// Shows what it logged.
    pub(crate) fn print_log(&self) {
        print_log(&self.folder, &self.name);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts a server that does not come to be ready; returns the signal that
/// ended it, and what it logged.
pub(super) fn log_of_start(environment: &Environment, folder: &Path) -> (Option<i32>, String) {
    let ended = payonce()
        .args(["serve", "--json"])
        .envs(environment.iter().map(|(key, value)| (key, value)))
        .current_dir(folder)
        .stdin(Stdio::null())
        .output();
    let ended = ended.expect("the program starts");
    let log = String::from_utf8_lossy(&ended.stderr).into_owned();
    (ended.status.signal(), log)
}

/// The program, to be started with nothing of the environment of the tests,
/// and to be killed when the thread that starts it ends.
pub(crate) fn payonce() -> Command {
    let mut command = Command::new("setpriv");
    command
        .args(["--pdeathsig", "KILL", "--"])
        .arg(binary())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

/// Cargo names the program to integration tests; beside an example it lies one
/// folder up.
fn binary() -> PathBuf {
    if let Some(named) = option_env!("CARGO_BIN_EXE_payonce") {
        return PathBuf::from(named);
    }
    let own = std::env::current_exe().expect("this program has a path");
    let profile = own.ancestors().find(|folder| {
        folder.file_name() != Some(OsStr::new("examples")) && folder.join("payonce").is_file()
    });
    profile
        .expect("the program lies beside its examples")
        .join("payonce")
}

fn log_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.log"))
}

/// Shows what a process of this folder logged.
#[expect(
    clippy::print_stderr,
    reason = "the runner shows it beside the panic of the test"
)]
pub(crate) fn print_log(folder: &Path, name: &str) {
    let log = fs::read_to_string(log_of(folder, name)).unwrap_or_default();
    eprintln!("── {name}\n{log}");
}
