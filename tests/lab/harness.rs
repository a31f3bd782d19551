//! A world for one test: the real processor and the real service, each a
//! process of its own, and a database that nobody else has.
//!
//! A test that passes leaves nothing behind: when its world is dropped, no
//! operation may be unfinished without a person looking at it, and no capture
//! in the processor's ledger may lack an operation that knows of it.

mod audit;
mod books;
mod caller;
mod commit;
mod crash;
mod fleet;
mod go_between;
mod inside;
mod judge;
mod log;
mod options;
mod process;
mod recovery;
mod refusal;
mod remains;
mod requests;
mod wait;

use std::path::Path;

use tempfile::TempDir;

use super::database::TestDatabase;
use process::Process;

pub(crate) use books::broken_ledgers;
pub(crate) use caller::Caller;
pub(crate) use commit::built_commit;
pub(crate) use crash::dies_at_start;
pub(crate) use fleet::{Fleet, FleetOptions, Roster};
pub(crate) use go_between::{GoBetween, Trick};
pub(crate) use judge::{Judge, Request};
pub(crate) use options::WorldOptions;
pub(crate) use process::payonce;
pub(crate) use refusal::Refusal;
pub(crate) use requests::{MINOR_UNITS_MAX, charge, give_back, money};
pub(crate) use wait::eventually;

/// A processor, a database and at least one replica of the service. The
/// fields go in this order: nobody uses what is gone.
pub(crate) struct World {
    services: Vec<Option<Service>>,
    judge: Judge,
    processor: Process,
    options: WorldOptions,
    database: TestDatabase,
    folder: TempDir,
    started: usize,
}

/// One running replica.
struct Service {
    process: Process,
    caller: Caller,
}

impl World {
    /// Starts the processor and one replica of the service.
    pub(crate) async fn start(database: TestDatabase, options: WorldOptions) -> World {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (processor, address) = start_processor(folder.path(), &options);
        let mut world = World {
            services: Vec::new(),
            judge: Judge::new(&address),
            processor,
            options,
            database,
            folder,
            started: 0,
        };
        world.another_replica().await;
        world
    }

    /// Starts one more replica on the same database; returns its number.
    pub(crate) async fn another_replica(&mut self) -> usize {
        let service = self.start_service().await;
        self.services.push(Some(service));
        self.services.len() - 1
    }

    /// The same, with further variables in its environment.
    pub(crate) async fn another_replica_with(&mut self, more: &[(&str, String)]) -> usize {
        let service = self.start_service_with(more).await;
        self.services.push(Some(service));
        self.services.len() - 1
    }

    async fn start_service(&mut self) -> Service {
        self.start_service_with(&[]).await
    }

    async fn start_service_with(&mut self, more: &[(&str, String)]) -> Service {
        self.started += 1;
        let name = format!("serve-{}", self.started);
        let mut environment = self
            .options
            .environment(self.database.url(), self.judge.address());
        environment.extend(
            more.iter()
                .map(|(key, value)| ((*key).into(), value.clone())),
        );
        let arguments = ["serve", "--json"];
        let (process, ready) =
            Process::start(&name, &arguments, &environment, self.folder.path()).await;
        let address = ready["grpc"]
            .as_str()
            .expect("the service tells its address");
        let caller = Caller::connect(address).await;
        Service { process, caller }
    }

    fn replica(&self, number: usize) -> &Service {
        self.services[number]
            .as_ref()
            .expect("the replica was stopped and not started again")
    }

    /// Calls the first replica.
    pub(crate) fn caller(&self) -> Caller {
        self.caller_of(0)
    }

    /// Calls the replica of this number.
    pub(crate) fn caller_of(&self, number: usize) -> Caller {
        self.replica(number).caller.clone()
    }

    /// The processor, as somebody sees it who has nothing to do with payonce.
    pub(crate) fn judge(&self) -> &Judge {
        &self.judge
    }

    /// The address of the database.
    pub(crate) fn database_url(&self) -> &str {
        self.database.url()
    }

    /// Kills a replica at once, as a power cut would.
    pub(crate) fn kill9(&mut self, number: usize) {
        let mut service = self.services[number].take().expect("a running replica");
        service.process.kill();
    }

    /// Stops a replica in the middle of whatever it does.
    pub(crate) fn freeze(&self, number: usize) {
        self.replica(number).process.signal("STOP");
    }

    /// Lets a stopped replica go on, as if nothing had been.
    pub(crate) fn thaw(&self, number: usize) {
        self.replica(number).process.signal("CONT");
    }

    /// Asks a replica to stop and waits until it has; returns its exit code.
    pub(crate) async fn stop(&mut self, number: usize) -> Option<i32> {
        let mut service = self.services[number].take().expect("a running replica");
        service.process.terminate();
        service.process.exited().await
    }

    /// Starts a replica again that was killed or stopped.
    pub(crate) async fn restart(&mut self, number: usize) {
        assert!(self.services[number].is_none(), "the replica still runs");
        self.services[number] = Some(self.start_service().await);
    }

    /// Lets so much time go by for everybody: the processor's clock moves, and
    /// so does database time, for which the first replica starts again.
    pub(crate) async fn let_time_pass(&mut self, seconds: u32) {
        self.kill9(0);
        self.restart_later(0, seconds).await;
    }

    /// Starts a stopped replica again, so much later.
    pub(crate) async fn restart_later(&mut self, number: usize, seconds: u32) {
        self.options.shift_s += i64::from(seconds);
        self.judge.shift_clock(seconds).await;
        self.restart(number).await;
    }

    /// Waits until no operation is unfinished, however each ends.
    pub(crate) async fn settle(&self) {
        let caller = self.any_caller();
        eventually("all operations come to rest", async || {
            let unfinished = remains::unfinished(&caller.list().await);
            if unfinished.is_empty() {
                return Ok(());
            }
            Err(unfinished.join("\n"))
        })
        .await;
    }

    /// What would make this world fail its test.
    async fn remains(&self) -> Vec<String> {
        let running = self.services.iter().flatten().next();
        let Some(service) = running else {
            return vec!["no replica runs that could tell".to_owned()];
        };
        let operations = service.caller.list().await;
        let mut found = remains::unfinished(&operations);
        found.extend(remains::unexplained(
            &operations,
            &self.judge.all_payments().await,
        ));
        found
    }

    fn print_logs(&self) {
        self.processor.print_log();
        for number in 1..=self.started {
            process::print_log(self.folder.path(), &format!("serve-{number}"));
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.print_logs();
            return;
        }
        let check = self.remains();
        let found = tokio::task::block_in_place(|| {
            let runtime = tokio::runtime::Handle::current();
            runtime.block_on(check)
        });
        if !found.is_empty() {
            self.print_logs();
            panic!("the test leaves something behind:\n{}", found.join("\n"));
        }
    }
}

fn start_processor(folder: &Path, options: &WorldOptions) -> (Process, String) {
    let ledger = folder.join("ledger.jsonl");
    let (process, ready) = Process::start_blocking(
        "simulator",
        &["simulator", "--json"],
        &options.processor_environment(&ledger),
        folder,
    );
    let address = ready["simulator"]
        .as_str()
        .expect("the processor tells its address")
        .to_owned();
    (process, address)
}
