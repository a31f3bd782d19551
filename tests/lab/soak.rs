//! Long runs: several replicas under load, while everything around them fails
//! at random; then the processors' own ledgers are held against the rows of
//! the service and against what its callers were told.
//!
//! All chance comes from one seed. What it meets does not, since processes
//! have a time of their own: the same seed brings the same calls and faults,
//! not the same interleaving.

mod book;
mod buyer;
mod driver;
mod purchase;
mod report;
mod rows;
mod rush;
mod verdict;

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::database::TestDatabase;
use super::harness::{Fleet, FleetOptions, WorldOptions};
use book::Book;
use buyer::Buyer;

pub(crate) use driver::{Faults, Goal};
use report::Report;
pub(crate) use rush::Rush;

/// A database to run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum On {
    Sqlite,
    Postgres,
}

impl On {
    fn database(self) -> TestDatabase {
        match self {
            On::Sqlite => TestDatabase::sqlite(),
            On::Postgres => TestDatabase::postgres(),
        }
    }

    /// SQLite is for one replica.
    fn replicas(self) -> usize {
        match self {
            On::Sqlite => 1,
            On::Postgres => 3,
        }
    }
}

/// What a run is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Soak {
    pub(crate) on: On,
    pub(crate) seed: u64,
    /// How many callers there are at once.
    pub(crate) buyers: usize,
    pub(crate) faults: Faults,
    pub(crate) goal: Goal,
}

/// Longest time from the end of all faults until nothing is unresolved. Beyond
/// anything that the times below lead to; reaching it fails the run.
const RECOVERY: Duration = Duration::from_secs(240);

/// Provider calls at once, of all replicas together: no more than a small
/// machine gets through within a lease.
const SLOTS: usize = 48;

/// Times that let resends and proofs of absence happen within seconds. The
/// processors keep what is declared: faults hold no request for longer than D
/// and hide nothing for longer than V.
fn timings() -> WorldOptions {
    WorldOptions {
        time_scale: 0.1,
        in_flight_bound_ms: 3000,
        visibility_lag_ms: 800,
        agent_deadline_ms: 1500,
        provider_deadline_ms: 800,
        lease_ms: 2000,
        observation_window_s: 900,
        look_up_schedule_ms: &[150, 300, 600],
        look_up_interval_ms: 900,
        ..WorldOptions::default()
    }
}

impl Soak {
    /// Runs it and judges what became of everything. `tell` hears how it goes.
    pub(crate) async fn run(self, tell: impl Fn(String)) -> Report {
        let options = FleetOptions {
            replicas: self.on.replicas(),
            world: timings(),
            slots: SLOTS / self.on.replicas(),
            without_keys: true,
        };
        let mut fleet = Fleet::start(self.on.database(), options).await;
        let book = Arc::new(Book::default());
        let closed = CancellationToken::new();
        let mut buyers = JoinSet::new();
        for number in 0..self.buyers {
            let buyer = Buyer::new(number, self.seed, &fleet, &book);
            buyers.spawn(buyer.shop(closed.clone()));
        }
        let done = driver::run(&mut fleet, &book, self, &tell).await;
        closed.cancel();
        while let Some(ended) = buyers.join_next().await {
            ended.expect("a buyer never panics");
        }
        // What was ordered and has not hit anybody yet never will.
        for (_, judge) in fleet.accounts() {
            judge.no_more_faults().await;
        }
        tell("the faults are over, everything recovers".to_owned());
        let hold = Duration::from_millis(timings().in_flight_bound_ms);
        let settled = verdict::settle(&fleet, hold, RECOVERY, &tell).await;
        let findings = verdict::judge(&fleet, &book).await;
        let mut report = Report::new(self, &fleet, &book, &done, settled, findings).await;
        if !report.is_clean() {
            report.logs = Some(fleet.keep_logs());
        }
        report
    }
}
