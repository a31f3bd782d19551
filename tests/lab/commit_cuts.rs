//! Cuts the connection to PostgreSQL at every kind of commit, on both sides of
//! its COMMIT, and judges the engine by the rows that are there afterwards.
//!
//! The engine and the store are the real ones, in this process; the database
//! is a real server behind a proxy that knows where a COMMIT is. No provider
//! is needed: what one would have answered is handed to the engine.

mod kinds;
mod verdict;
mod world;

use serde::Serialize;
use tokio::task::JoinSet;

use super::postgres_proxy::Side;
use world::World;

pub(crate) use kinds::Kind;

/// What the cuts of one kind came to.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct KindReport {
    pub(crate) kind: &'static str,
    /// Cuts before COMMIT was executed.
    pub(crate) before: usize,
    /// Cuts after COMMIT was executed.
    pub(crate) after: usize,
    /// Acknowledged after one COMMIT: it was looked up, and found.
    pub(crate) applied: usize,
    /// Acknowledged after another COMMIT.
    pub(crate) retried: usize,
    /// Not known to the engine although the database could be asked.
    pub(crate) undetermined: usize,
    /// What was not as it must be.
    pub(crate) violations: Vec<String>,
}

/// What all cuts came to.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) seed: u64,
    pub(crate) cuts: usize,
    pub(crate) kinds: Vec<KindReport>,
}

impl Report {
    /// Whether everything was as it must be.
    pub(crate) fn is_clean(&self) -> bool {
        let clean = |kind: &KindReport| kind.violations.is_empty() && kind.undetermined == 0;
        self.kinds.iter().all(clean)
    }
}

/// One cut: how it ended, and what was wrong about that.
struct Cut {
    kind: Kind,
    side: Side,
    ending: Ending,
    violations: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    Applied,
    Retried,
    Undetermined,
    Refused,
}

/// Cuts each kind of commit `cuts` times on each side, in `worlds` databases
/// at once. `tell` is told of every cut.
pub(crate) async fn cut_all(
    cuts: usize,
    seed: u64,
    worlds: usize,
    tell: impl Fn(String),
) -> Report {
    let mut random = fastrand::Rng::with_seed(seed);
    let sides = [Side::Before, Side::After];
    let mut wanted: Vec<(Kind, Side)> = Kind::ALL
        .into_iter()
        .flat_map(|kind| sides.map(|side| (kind, side)))
        .flat_map(|cut| std::iter::repeat_n(cut, cuts))
        .collect();
    random.shuffle(&mut wanted);
    let mut running = JoinSet::new();
    let (told, mut telling) = tokio::sync::mpsc::unbounded_channel();
    for share in wanted.chunks(wanted.len().div_ceil(worlds).max(1)) {
        running.spawn(cut_share(share.to_vec(), told.clone()));
    }
    drop(told);
    let mut done = Vec::new();
    while let Some(cut) = telling.recv().await {
        done.push(cut);
        tell(format!("{} of {} cuts", done.len(), wanted.len()));
    }
    running.join_all().await;
    let kinds = Kind::ALL.into_iter().map(|kind| summed(kind, &done));
    Report {
        seed,
        cuts: done.len(),
        kinds: kinds.collect(),
    }
}

async fn cut_share(wanted: Vec<(Kind, Side)>, told: tokio::sync::mpsc::UnboundedSender<Cut>) {
    let mut world = World::start().await;
    for (number, (kind, side)) in wanted.into_iter().enumerate() {
        let cut = world.cut(kind, side, number).await;
        // Nobody listens any more only when the whole run was given up.
        let _ = told.send(cut);
    }
    world.close().await;
}

fn summed(kind: Kind, cuts: &[Cut]) -> KindReport {
    let own = || cuts.iter().filter(|cut| cut.kind == kind);
    let on = |side| own().filter(|cut| cut.side == side).count();
    let ended = |ending| own().filter(|cut| cut.ending == ending).count();
    KindReport {
        kind: kind.name(),
        before: on(Side::Before),
        after: on(Side::After),
        applied: ended(Ending::Applied),
        retried: ended(Ending::Retried),
        undetermined: ended(Ending::Undetermined),
        violations: own().flat_map(|cut| cut.violations.clone()).collect(),
    }
}
