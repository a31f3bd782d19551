//! Runs the checker over one setting.

use std::time::{Duration, Instant};

use serde::Serialize;
use stateright::{Checker, HasDiscoveries, Model, Path};

use super::machine::Action;
use super::setting::Setting;
use super::world::World;

/// What a run came to.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    /// The setting.
    pub(crate) name: String,
    /// Worlds that were looked at, each once.
    pub(crate) states: usize,
    /// The longest way to one of them.
    pub(crate) depth: usize,
    pub(crate) seconds: f64,
    /// Whether every world that can be reached was looked at.
    pub(crate) exhausted: bool,
    /// The promise that does not hold, and the shortest way there.
    pub(crate) broken: Option<Broken>,
}

/// A promise that does not hold.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Broken {
    pub(crate) promise: &'static str,
    /// What happens, and how the rows stand after it.
    pub(crate) path: Vec<String>,
}

/// Looks at every world that can be reached, or until one of the promises is
/// broken: of those that are named, or of all.
pub(crate) fn check(setting: &Setting, only: &[&'static str], limit: Option<Duration>) -> Report {
    let started = Instant::now();
    let (checker, broken) = search(setting, only, limit, None);
    Report {
        name: setting.name.clone(),
        states: checker.unique_state_count(),
        depth: checker.max_depth(),
        seconds: started.elapsed().as_secs_f64(),
        exhausted: broken.is_none() && checker.is_done(),
        broken,
    }
}

/// A shortest way to break what is broken: the checker keeps the last way
/// that it found, so it is asked again for shorter ones until there is none.
pub(crate) fn shortest(setting: &Setting, found: Broken) -> Broken {
    let mut best = found;
    loop {
        let depth = Some(best.path.len());
        match search(setting, &[best.promise], None, depth).1 {
            Some(shorter) if shorter.path.len() < best.path.len() => best = shorter,
            Some(_) | None => return best,
        }
    }
}

fn search(
    setting: &Setting,
    only: &[&'static str],
    limit: Option<Duration>,
    depth: Option<usize>,
) -> (impl Checker<Setting>, Option<Broken>) {
    let until = match only {
        [] => HasDiscoveries::AnyFailures,
        some => HasDiscoveries::AnyOf(some.iter().copied().collect()),
    };
    let mut builder = setting.clone().checker().finish_when(until);
    if let Some(limit) = limit {
        builder = builder.timeout(limit);
    }
    if let Some(depth) = depth {
        builder = builder.target_max_depth(depth);
    }
    let checker = builder.spawn_bfs().join();
    let asked = |promise: &&str| only.is_empty() || only.contains(promise);
    let found = checker.discoveries().into_iter();
    let broken = found
        .filter(|(promise, _)| asked(promise))
        .map(|(promise, path)| broken(promise, path))
        .min_by_key(|broken| broken.path.len());
    (checker, broken)
}

/// What is done is told with the world that it led to.
fn broken(promise: &'static str, path: Path<World, Action>) -> Broken {
    let steps = path.into_vec();
    let pairs = steps.windows(2);
    let path = pairs.map(|step| told(step[0].1, &step[1].0)).collect();
    Broken { promise, path }
}

fn told(action: Option<Action>, after: &World) -> String {
    let action = action.map_or_else(String::new, |it| format!("{it:?}"));
    let entries = after.provider.entries.len();
    format!(
        "tick {:2}  {action}  → {:?}, {entries} at the provider",
        after.now, after.rows
    )
}
