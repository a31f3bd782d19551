//! What an operator of the machine can do to the processes of a world, and
//! see of them.

use std::fs;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use tokio::time::timeout;

use super::wait::{PATIENCE, eventually};
use super::{World, process};

impl World {
    /// The number of a replica's process.
    pub(crate) fn process_id(&self, number: usize) -> u32 {
        self.replica(number).process.id()
    }

    /// What the present process of a replica has logged.
    pub(crate) fn logged(&self, number: usize) -> String {
        self.replica(number).process.log()
    }

    /// Stops the processor where it is (SIGSTOP).
    pub(crate) fn freeze_processor(&self) {
        self.processor.signal("STOP");
    }

    /// Lets a frozen processor go on (SIGCONT).
    pub(crate) fn thaw_processor(&self) {
        self.processor.signal("CONT");
    }

    /// What the next process of a replica is told of the processor's address.
    pub(crate) fn move_bank(&mut self, address: SocketAddr) {
        self.options.bank = Some(address);
    }

    /// Tries to start one more replica, and expects that it refuses. Returns
    /// its exit code and what it said.
    pub(crate) async fn refused_replica(&self) -> (i32, String) {
        let environment = self
            .options
            .environment(self.database.url(), self.judge.address());
        let mut command = process::payonce();
        command
            .arg("serve")
            .envs(environment)
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        let ending = tokio::process::Command::from(command)
            .kill_on_drop(true)
            .output();
        let ended = timeout(PATIENCE, ending).await;
        let ended = ended.expect("it does not serve").expect("it starts");
        let code = ended.status.code().expect("no signal ended it");
        (code, String::from_utf8_lossy(&ended.stderr).into_owned())
    }

    /// From now on the system calls of a replica fail as `strace -e inject=`
    /// is told, until the answer is dropped. With `file`, only those on it.
    pub(crate) async fn inject(&self, number: usize, what: &str, file: Option<&str>) -> Injected {
        let target = self.process_id(number);
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "-p", &target.to_string()]);
        command.args(["-e", &format!("inject={what}")]);
        if let Some(file) = file {
            command.args(["-P", file]);
        }
        let tracer = command.stdin(Stdio::null()).spawn();
        let tracer = Injected(tracer.expect("strace, see tests/install/strace"));
        eventually("strace holds every thread", async || {
            let free = untraced(target);
            (free == 0).then_some(()).ok_or_else(|| free.to_string())
        })
        .await;
        tracer
    }
}

/// How many threads of a process nobody traces.
fn untraced(process: u32) -> usize {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("it runs");
    let status = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("status")).ok();
    threads
        .filter_map(|thread| status(thread.ok()?))
        .filter(|status| status.contains("TracerPid:\t0\n"))
        .count()
}

/// System calls that fail, until this is dropped.
pub(crate) struct Injected(Child);

impl Drop for Injected {
    fn drop(&mut self) {
        // Asked to end, strace lets go first; killed, it would take the
        // process along.
        let id = self.0.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.0.wait();
    }
}
