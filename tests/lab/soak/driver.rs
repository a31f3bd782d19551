//! What happens to the replicas, their database and their processors while
//! callers call: one misfortune after the other, drawn from the seed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::time::sleep;

use super::book::Book;
use super::purchase::hold;
use super::rows::Rows;
use super::{Soak, timings};
use crate::lab::fault_proxy::Mode;
use crate::lab::harness::{Fleet, charge};

/// Payments that a replica is given just before it is stopped.
const CROWD: u32 = 12;

/// Which misfortunes there are, each with its weight among the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faults {
    /// kill -9 of a replica, and a new life.
    pub(crate) kills: u32,
    /// SIGSTOP past the lease, then SIGCONT.
    pub(crate) zombies: u32,
    /// Connections to PostgreSQL cut anywhere, before or after a COMMIT.
    pub(crate) cuts: u32,
    /// Sessions that PostgreSQL ends.
    pub(crate) terminations: u32,
    /// Whatever a processor can do wrong with the next calls.
    pub(crate) processor: u32,
}

impl Faults {
    pub(crate) const ALL: Faults = Faults {
        kills: 3,
        zombies: 2,
        cuts: 4,
        terminations: 2,
        processor: 6,
    };

    pub(crate) const KILLS: Faults = Faults {
        kills: 1,
        zombies: 0,
        cuts: 0,
        terminations: 0,
        processor: 0,
    };

    pub(crate) const ZOMBIES: Faults = Faults {
        zombies: 1,
        kills: 0,
        ..Faults::KILLS
    };
}

/// One of them.
#[derive(Clone, Copy, Debug)]
enum Misfortune {
    Kill,
    Freeze,
    Cut,
    Terminate,
    Spoil,
}

impl Faults {
    /// Those that there are, with their weights. SQLite has no connections to
    /// cut.
    fn kinds(self, is_postgres: bool) -> Vec<(Misfortune, u32)> {
        let remote = |weight| if is_postgres { weight } else { 0 };
        let mut kinds = vec![
            (Misfortune::Kill, self.kills),
            (Misfortune::Freeze, self.zombies),
            (Misfortune::Cut, remote(self.cuts)),
            (Misfortune::Terminate, remote(self.terminations)),
            (Misfortune::Spoil, self.processor),
        ];
        kinds.retain(|(_, weight)| *weight > 0);
        kinds
    }
}

/// When the misfortunes end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    After(Duration),
    Kills(u64),
    Zombies(u64),
}

/// How often each happened.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub(crate) kills: u64,
    pub(crate) zombies: u64,
    pub(crate) sessions_ended: u64,
    /// Calls without an answer at the moments of the kills, together.
    pub(crate) calls_in_flight: u64,
    /// Operations that were neither at rest nor under review at the moments of
    /// the kills, together.
    pub(crate) operations_in_flight: u64,
    pub(crate) lasted: Duration,
}

impl Goal {
    fn is_reached(self, done: &Done, started: Instant) -> bool {
        match self {
            Goal::After(time) => started.elapsed() >= time,
            Goal::Kills(kills) => done.kills >= kills,
            Goal::Zombies(zombies) => done.zombies >= zombies,
        }
    }
}

struct Driver<'a> {
    fleet: &'a mut Fleet,
    book: &'a Arc<Book>,
    rows: Rows,
    rng: fastrand::Rng,
    done: Done,
}

/// Goes on until the goal is reached; afterwards every replica runs and every
/// link passes everything.
pub(super) async fn run(
    fleet: &mut Fleet,
    book: &Arc<Book>,
    soak: Soak,
    tell: &impl Fn(String),
) -> Done {
    let rows = Rows::of(fleet.database_url()).await;
    let started = Instant::now();
    let mut driver = Driver {
        fleet,
        book,
        rows,
        rng: fastrand::Rng::with_seed(soak.seed),
        done: Done::default(),
    };
    let kinds = soak.faults.kinds(driver.fleet.is_postgres());
    // Each of them once, also in a short run; then as chance has it.
    let mut first = kinds.clone();
    driver.rng.shuffle(&mut first);
    while !soak.goal.is_reached(&driver.done, started) || !first.is_empty() {
        let misfortune = match first.pop() {
            Some((kind, _)) => kind,
            None => driver.drawn(&kinds),
        };
        driver.befall(misfortune).await;
        let done = driver.done;
        let (answered, _) = book.calls();
        tell(format!(
            "{} s: {answered} answers, {} kills, {} zombies, {} cuts",
            started.elapsed().as_secs(),
            done.kills,
            done.zombies,
            driver.fleet.cuts(),
        ));
    }
    driver.done.lasted = started.elapsed();
    driver.done
}

impl Driver<'_> {
    /// One of those there are, by their weights.
    fn drawn(&mut self, kinds: &[(Misfortune, u32)]) -> Misfortune {
        let all = kinds.iter().map(|(_, weight)| weight).sum();
        let mut left = self.rng.u32(0..all);
        for (kind, weight) in kinds {
            match left.checked_sub(*weight) {
                None => return *kind,
                Some(less) => left = less,
            }
        }
        unreachable!("what is drawn is less than the sum of the weights")
    }

    async fn befall(&mut self, misfortune: Misfortune) {
        match misfortune {
            Misfortune::Kill => self.kill().await,
            Misfortune::Freeze => self.freeze().await,
            Misfortune::Cut => self.cut().await,
            Misfortune::Terminate => self.terminate().await,
            Misfortune::Spoil => self.spoil().await,
        }
    }

    fn victim(&mut self) -> usize {
        self.rng.usize(0..self.fleet.size())
    }

    async fn kill(&mut self) {
        self.wait(100, 1200).await;
        let victim = self.victim();
        self.done.calls_in_flight += self.book.calls_in_flight() as u64;
        self.fleet.kill(victim);
        self.done.operations_in_flight += self.rows.unfinished().await.len() as u64;
        self.done.kills += 1;
        self.wait(0, 200).await;
        self.fleet.start_again(victim).await;
    }

    /// The others take over what the stopped one held, and then it goes on as
    /// if it held it still: sends that were just to be written, answers and
    /// look-ups that were on their way.
    async fn freeze(&mut self) {
        self.wait(100, 500).await;
        let victim = self.victim();
        self.crowd(victim, "lost").await;
        self.wait(200, 800).await;
        self.crowd(victim, "paid").await;
        // Each crowd is stopped at another point of its way.
        self.wait(5, 250).await;
        self.fleet.freeze(victim);
        let lease = u32::try_from(timings().lease_ms).expect("a short lease");
        self.wait(lease + 300, lease + 1500).await;
        self.fleet.thaw(victim);
        self.done.zombies += 1;
    }

    /// Hands some payments to one replica all at once; nobody waits for them.
    /// Those that are lost keep look-ups on their way for a while.
    async fn crowd(&mut self, victim: usize, name: &str) {
        let bank = self.fleet.bank();
        let is_lost = name == "lost";
        if is_lost {
            let slow = json!({"kind": "delay_answer", "delay_ms": 500});
            bank.fault_next("look_up", 2 * CROWD, slow).await;
        }
        let caller = self.fleet.roster().at(victim);
        for number in 0..CROWD {
            let order = format!("{name}-{}-{number}", self.done.zombies);
            if is_lost {
                let lost = json!({"kind": "drop_request"});
                bank.fault(&order, "payment", 2, lost).await;
            }
            let mut request = charge(&order, "pm_ok");
            request.wait = Some(prost_types::Duration::default());
            let (caller, book) = (caller.clone(), Arc::clone(self.book));
            tokio::spawn(async move {
                let answer = caller.client().create_operation(request).await;
                let told = answer.ok().and_then(|it| it.into_inner().operation);
                if let Some(operation) = told {
                    book.hears(&operation);
                }
            });
        }
    }

    /// Cut after a random number of bytes, so that it hits BEGIN, a statement
    /// or COMMIT; or before the next answer, so that what was asked is done.
    async fn cut(&mut self) {
        for _ in 0..self.rng.u8(1..5) {
            let victim = self.victim();
            let mode = match self.rng.u8(0..5) {
                0..2 => Mode::CutAfterRequestBytes(self.rng.usize(0..6000)),
                2..4 => Mode::CutBeforeResponse,
                _ => Mode::Delay(Duration::from_millis(self.rng.u64(5..60))),
            };
            self.set(victim, mode);
            self.wait(20, 250).await;
            self.set(victim, Mode::Pass);
            self.wait(50, 300).await;
        }
    }

    fn set(&self, victim: usize, mode: Mode) {
        if let Some(link) = self.fleet.link(victim) {
            link.set_mode(mode);
        }
    }

    async fn terminate(&mut self) {
        if let Some(audit) = self.fleet.audit() {
            let most = self.rng.u32(1..8);
            self.done.sessions_ended += audit.terminate_sessions(most).await;
        }
        self.wait(50, 400).await;
    }

    /// For the next calls at one of the processors, whosever they are.
    async fn spoil(&mut self) {
        let accounts = self.fleet.accounts();
        let at = self.rng.usize(0..accounts.len());
        let kinds = ["payment", "refund", "look_up"];
        let operation = kinds[self.rng.usize(0..kinds.len())];
        let fault = self.fault();
        let times = self.rng.u32(1..4);
        accounts[at].1.fault_next(operation, times, fault).await;
        self.wait(50, 300).await;
    }

    fn fault(&mut self) -> Value {
        match self.rng.u8(0..9) {
            0..2 => json!({"kind": "drop_response"}),
            2 => json!({"kind": "drop_request"}),
            3..5 => hold(&mut self.rng),
            5 => json!({"kind": "error_after", "status": 502}),
            6 => json!({"kind": "error_before", "status": 503}),
            7 => json!({"kind": "truncated_json"}),
            _ => json!({"kind": "delay_answer", "delay_ms": self.rng.u32(200..2500)}),
        }
    }

    /// Waits for some time between the two, in milliseconds.
    async fn wait(&mut self, from: u32, to: u32) {
        let pause = Duration::from_millis(self.rng.u32(from..to).into());
        sleep(pause).await;
    }
}
