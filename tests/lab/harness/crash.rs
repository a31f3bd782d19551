//! Worlds whose replicas die where a failure point says so.

use super::process::{Process, log_of_start};
use super::{Caller, World, WorldOptions};
use crate::lab::database::TestDatabase;

/// Starts a replica that dies before it is ready; returns the signal it died
/// of.
pub(crate) async fn dies_at_start(database: &TestDatabase, options: &WorldOptions) -> Option<i32> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let environment = options.environment(database.url(), "127.0.0.1:1");
    let (signal, log) = log_of_start(&environment, folder.path());
    let line = format!("failure point {}: abort", options.fail_at);
    assert!(log.contains(&line), "{log}");
    signal
}

impl World {
    /// Replicas that start from now on do not die.
    pub(crate) fn disarm(&mut self) {
        self.options.fail_at = "";
    }

    /// Waits until a replica has died at the point; returns the signal.
    pub(crate) async fn died(&mut self, number: usize, point: &str) -> Option<i32> {
        let mut service = self.services[number].take().expect("a running replica");
        let signal = service.process.ended_by_signal().await;
        let log = Process::log(&service.process);
        let line = format!("failure point {point}: abort");
        assert!(log.contains(&line), "it died elsewhere:\n{log}");
        signal
    }

    /// Calls whichever replica runs.
    pub(crate) fn any_caller(&self) -> Caller {
        let running = self.services.iter().flatten().next();
        running.expect("a running replica").caller.clone()
    }
}
