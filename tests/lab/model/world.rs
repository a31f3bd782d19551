//! All that there is at one moment.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use payonce::domain::kind::Kind;
use payonce::domain::operation::Record;
use payonce::domain::time::Instant;

use super::caller::Call;
use super::provider::Provider;
use super::setting::Truth;
use super::worker::Worker;

/// All that there is at one moment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct World {
    /// The tick.
    pub(crate) now: u8,
    /// The operations; the first is the charge that the story begins with.
    pub(crate) rows: Vec<Row>,
    /// The attempts that are durable.
    pub(crate) attempts: Vec<AttemptRow>,
    pub(crate) workers: Vec<Worker>,
    /// Callers who have read and not yet written.
    pub(crate) calls: Vec<Call>,
    pub(crate) provider: Provider,
    pub(crate) spent: Spent,
    /// A write that is void without its lease went through without it.
    pub(crate) fence_broken: bool,
}

/// How much of the bounds is used up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) crashes: u8,
    pub(crate) not_sent: u8,
    pub(crate) webhooks: u8,
    pub(crate) lost_look_ups: u8,
    /// Which commands were given, by their place.
    pub(crate) commands: u8,
}

/// An attempt row, as far as promises speak of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct AttemptRow {
    pub(crate) row: usize,
    pub(crate) number: u8,
    /// 0: the operation's own key; anything else is another key.
    pub(crate) key: u8,
}

/// An operation's row. Version and epoch stand beside the record and are
/// levelled; the record itself is compared by its digest, which is made when
/// it is written.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) record: Arc<Record>,
    digest: u64,
    pub(crate) version: u32,
    pub(crate) epoch: u32,
}

impl Row {
    pub(crate) fn new(mut record: Record, version: u32, epoch: u32) -> Self {
        level(&mut record);
        let mut hasher = DefaultHasher::new();
        record.hash(&mut hasher);
        Self {
            record: Arc::new(record),
            digest: hasher.finish(),
            version,
            epoch,
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        self.record.operation.intent.kind
    }

    /// When it is due for whoever comes.
    pub(crate) fn due_at(&self) -> Option<Instant> {
        let operation = &self.record.operation;
        let due = operation.next_check_at?;
        Some(operation.lease.until.map_or(due, |until| until.max(due)))
    }

    fn essence(&self) -> (u64, u32, u32) {
        (self.digest, self.version, self.epoch)
    }
}

/// Takes out what no rule reads.
fn level(record: &mut Record) {
    let zero = Instant(0);
    let operation = &mut record.operation;
    operation.version = 1;
    operation.lease.epoch = 0;
    operation.created_at = zero;
    operation.as_of = zero;
    operation.progress.look_ups = 0;
    for time in [
        &mut operation.submitted_at,
        &mut operation.settled_at,
        &mut operation.reversed_at,
    ] {
        *time = time.map(|_| zero);
    }
    if let Some(review) = &mut operation.review {
        review.opened_at = zero;
    }
    if let Some(instruction) = &mut operation.instruction {
        instruction.accepted_at = zero;
    }
    for effect in &mut record.effects {
        effect.confirmed_at = zero;
    }
    if operation.state.is_final() {
        // Nothing is sent any more, and no absence is counted.
        let progress = &mut operation.progress;
        for time in [
            &mut progress.first_sent_at,
            &mut progress.last_not_after,
            &mut progress.last_not_found_at,
            &mut progress.last_absence_at,
        ] {
            *time = time.map(|_| zero);
        }
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.essence() == other.essence()
    }
}

impl Eq for Row {}

impl Hash for Row {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.essence().hash(state);
    }
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let operation = &self.record.operation;
        write!(f, "{} {}", operation.intent.kind, operation.state)?;
        if let Some(review) = &operation.review {
            write!(f, " (review: {})", review.reason.name())?;
        }
        Ok(())
    }
}

impl World {
    /// Gives worlds that differ only in names one shape: what is waited for
    /// no longer is dropped, versions and epochs become 1 (as the row has it)
    /// or 0 (older), and the workers, who are alike, stand in order.
    pub(crate) fn levelled(mut self, truth: &Truth) -> Self {
        self.provider.forget_ages(self.now, truth);
        let workers = &self.workers;
        self.provider
            .copies
            .retain(|copy| copy.answer.is_none() || workers.iter().any(|it| it.waits_for(copy)));
        let lives: Vec<(u32, u32)> = self.rows.iter().map(|r| (r.version, r.epoch)).collect();
        let version = |row: usize, held: u32| u32::from(held == lives[row].0);
        let epoch = |row: usize, held: u32| u32::from(held == lives[row].1);
        for worker in &mut self.workers {
            worker.rename(&version, &epoch);
        }
        for call in &mut self.calls {
            call.commit.rename(&version);
        }
        for row in &mut self.rows {
            (row.version, row.epoch) = (1, 1);
        }
        self.attempts.sort();
        self.provider.seen.sort();
        self.provider.seen.dedup();
        self.provider.copies.sort();
        self.workers.sort_by_cached_key(|worker| {
            let mut hasher = DefaultHasher::new();
            worker.hash(&mut hasher);
            (*worker != Worker::Idle, hasher.finish())
        });
        self
    }

    /// A worker that has nothing to do.
    pub(crate) fn idle_worker(&self) -> Option<usize> {
        self.workers.iter().position(|it| *it == Worker::Idle)
    }
}
