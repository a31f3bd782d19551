//! Several replicas of the service, any of which may be killed, stopped or cut
//! off from its database at any moment, while callers go on calling.
//!
//! Unlike a `World` it asserts nothing: whoever uses it judges.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::TempDir;

use super::audit::Audit;
use super::caller::Caller;
use super::judge::Judge;
use super::log::{Logged, counted};
use super::options::WorldOptions;
use super::process::{self, Environment, Process, payonce};
use crate::lab::database::TestDatabase;
use crate::lab::fault_proxy::FaultProxy;

/// What a fleet is made of.
#[derive(Clone)]
pub(crate) struct FleetOptions {
    /// How many replicas; one on SQLite.
    pub(crate) replicas: usize,
    /// The times and facts of the service and of the default account, `bank`.
    pub(crate) world: WorldOptions,
    /// Provider calls at once in one replica.
    pub(crate) slots: usize,
    /// Whether there is a second account, `plain`, at a processor that keeps
    /// no keys.
    pub(crate) without_keys: bool,
}

/// The replicas, their database and their processors. The fields go in this
/// order: nobody uses what is gone.
pub(crate) struct Fleet {
    replicas: Vec<Replica>,
    roster: Roster,
    banks: Vec<Bank>,
    options: FleetOptions,
    audit: Option<Audit>,
    database: TestDatabase,
    folder: TempDir,
    lives: usize,
}

struct Replica {
    process: Option<Process>,
    /// Between the replica and PostgreSQL.
    link: Option<FaultProxy>,
}

struct Bank {
    account: &'static str,
    options: WorldOptions,
    judge: Arc<Judge>,
    process: Process,
}

/// Where the replicas are. A dead one keeps its place, as in any list of
/// servers that somebody was given.
#[derive(Clone, Default)]
pub(crate) struct Roster(Arc<Mutex<Vec<Caller>>>);

impl Roster {
    /// The replica of this number, counted round.
    pub(crate) fn at(&self, number: usize) -> Caller {
        let callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        callers[number % callers.len()].clone()
    }

    fn put(&self, number: usize, caller: Caller) {
        let mut callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if number == callers.len() {
            callers.push(caller);
        } else {
            callers[number] = caller;
        }
    }
}

impl Fleet {
    /// Starts the processors and all replicas.
    pub(crate) async fn start(database: TestDatabase, options: FleetOptions) -> Fleet {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let banks = start_banks(folder.path(), &options);
        let mut fleet = Fleet {
            replicas: Vec::new(),
            roster: Roster::default(),
            banks,
            options,
            audit: None,
            database,
            folder,
            lives: 0,
        };
        if fleet.is_postgres() {
            // The audit's trigger needs the tables.
            fleet.migrate();
            fleet.audit = Some(Audit::install(fleet.database.url()).await);
        }
        for number in 0..fleet.options.replicas {
            let link = fleet.new_link().await;
            fleet.replicas.push(Replica {
                process: None,
                link,
            });
            fleet.start_again(number).await;
        }
        fleet
    }

    /// How many replicas there are, dead ones too.
    pub(crate) fn size(&self) -> usize {
        self.replicas.len()
    }

    /// Where callers find them.
    pub(crate) fn roster(&self) -> Roster {
        self.roster.clone()
    }

    /// The processor of the default account.
    pub(crate) fn bank(&self) -> Arc<Judge> {
        Arc::clone(&self.banks[0].judge)
    }

    /// The processors with the names of their accounts.
    pub(crate) fn accounts(&self) -> Vec<(&'static str, Arc<Judge>)> {
        let banks = self.banks.iter();
        banks
            .map(|bank| (bank.account, Arc::clone(&bank.judge)))
            .collect()
    }

    /// The address of the database, past all faults.
    pub(crate) fn database_url(&self) -> &str {
        self.database.url()
    }

    /// Who wrote what, where the database can say (PostgreSQL).
    pub(crate) fn audit(&self) -> Option<&Audit> {
        self.audit.as_ref()
    }

    pub(crate) fn is_postgres(&self) -> bool {
        self.database.url().starts_with("postgres")
    }

    /// The way between a replica and PostgreSQL.
    pub(crate) fn link(&self, number: usize) -> Option<&FaultProxy> {
        self.replicas[number].link.as_ref()
    }

    /// How many connections to the database were cut so far.
    pub(crate) fn cuts(&self) -> usize {
        let links = self.replicas.iter().filter_map(|it| it.link.as_ref());
        links.map(FaultProxy::cuts).sum()
    }

    /// Kills a replica at once.
    pub(crate) fn kill(&mut self, number: usize) {
        if let Some(mut process) = self.replicas[number].process.take() {
            process.kill();
        }
    }

    /// Starts a replica that was killed.
    pub(crate) async fn start_again(&mut self, number: usize) {
        self.lives += 1;
        let name = format!("serve-{}", self.lives);
        let url = self.url_of(number).await;
        let environment = self.environment(&url);
        let arguments = ["serve", "--json"];
        let (process, ready) =
            Process::start(&name, &arguments, &environment, self.folder.path()).await;
        if let Some(audit) = &mut self.audit {
            audit.name_writer(&role(self.lives), process.id());
        }
        let address = ready["grpc"]
            .as_str()
            .expect("the service tells its address");
        self.roster
            .put(number, Caller::connect_when_needed(address));
        self.replicas[number].process = Some(process);
    }

    /// Stops a replica in the middle of whatever it does (SIGSTOP).
    pub(crate) fn freeze(&self, number: usize) {
        self.signal(number, "STOP");
    }

    /// Lets a stopped replica go on, as if nothing had been.
    pub(crate) fn thaw(&self, number: usize) {
        self.signal(number, "CONT");
    }

    fn signal(&self, number: usize, name: &str) {
        let process = self.replicas[number].process.as_ref();
        process.expect("the replica runs").signal(name);
    }

    /// How often all replicas together logged each of the lines that tell of
    /// work which came too late.
    pub(crate) fn logged(&self) -> Logged {
        let names = (1..=self.lives).map(|life| format!("serve-{life}"));
        counted(self.folder.path(), names)
    }

    /// Leaves the logs and the ledgers behind; returns where.
    pub(crate) fn keep_logs(&mut self) -> String {
        self.folder.disable_cleanup(true);
        self.folder.path().display().to_string()
    }

    /// Shows everything that was logged.
    pub(crate) fn print_logs(&self) {
        for life in 1..=self.lives {
            process::print_log(self.folder.path(), &format!("serve-{life}"));
        }
    }

    /// A way of its own to PostgreSQL for each replica.
    async fn new_link(&self) -> Option<FaultProxy> {
        if !self.is_postgres() {
            return None;
        }
        let (server, _) = split(self.database.url());
        let upstream: SocketAddr = server.parse().expect("an address and a port");
        Some(FaultProxy::start(upstream).await.expect("a proxy"))
    }

    /// The address that a replica's next life gets: through its own link, as a
    /// user of its own.
    async fn url_of(&self, number: usize) -> String {
        let (Some(link), Some(audit)) = (&self.replicas[number].link, &self.audit) else {
            return self.database.url().to_owned();
        };
        let role = audit.new_writer(&role(self.lives)).await;
        let (_, name) = split(self.database.url());
        format!("postgres://{role}@{}/{name}", link.addr())
    }

    fn migrate(&self) {
        let migrated = payonce()
            .args(["migrate", "--json", "--database", self.database.url()])
            .current_dir(self.folder.path())
            .output();
        let migrated = migrated.expect("the program starts");
        assert!(migrated.status.success(), "{migrated:?}");
    }

    fn environment(&self, url: &str) -> Environment {
        let bank = self.bank();
        let mut environment = self.options.world.environment(url, bank.address());
        let accounts = self.banks.iter();
        let accounts: Vec<String> = accounts
            .map(|bank| bank.options.account(bank.account, bank.judge.address()))
            .collect();
        // A later entry replaces an earlier one of the same name.
        for (key, value) in [
            ("PROVIDERS", format!("[{}]", accounts.join(", "))),
            ("DEFAULT_PROVIDER", "bank".to_owned()),
            ("DATABASE__MAX_CONNECTIONS", "10".to_owned()),
            ("WORKER__SLOTS", self.options.slots.to_string()),
            ("LOG__FORMAT", "json".to_owned()),
            ("LOG__FILTER", "info".to_owned()),
        ] {
            environment.push((format!("PAYONCE_{key}"), value));
        }
        environment
    }
}

fn role(life: usize) -> String {
    format!("life_{life}")
}

/// The address of the server, and the name of the database.
fn split(url: &str) -> (&str, &str) {
    let (server, name) = url.rsplit_once('/').expect("it names a database");
    let (_, server) = server.rsplit_once(['@', '/']).expect("it names a server");
    (server, name)
}

fn start_banks(folder: &Path, options: &FleetOptions) -> Vec<Bank> {
    let mut banks = vec![start_bank(folder, "bank", options.world.clone())];
    if options.without_keys {
        let plain = WorldOptions {
            profile: "no_idempotency",
            key_life_s: None,
            ..options.world.clone()
        };
        banks.push(start_bank(folder, "plain", plain));
    }
    banks
}

fn start_bank(folder: &Path, account: &'static str, options: WorldOptions) -> Bank {
    let ledger = folder.join(format!("{account}.jsonl"));
    let (process, ready) = Process::start_blocking(
        account,
        &["simulator", "--json"],
        &options.processor_environment(&ledger),
        folder,
    );
    let address = ready["simulator"]
        .as_str()
        .expect("the processor tells its address");
    Bank {
        account,
        options,
        judge: Arc::new(Judge::new(address)),
        process,
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.print_logs();
            for bank in &self.banks {
                bank.process.print_log();
            }
        }
    }
}
