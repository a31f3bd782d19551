//! A worker: what it holds in its hands, and the steps it takes.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use payonce::domain::decide::{Event, Hint, Opening, decide};
use payonce::domain::evidence::{LookUp, Source};
use payonce::domain::ids::AttemptId;
use payonce::domain::operation::Record;
use payonce::domain::schedule::Step;
use uuid::Uuid;

use super::provider::{Answer, Copy, Glimpse};
use super::setting::{Setting, at};
use super::store::{Commit, Opened};
use super::world::{AttemptRow, World};
use super::wrong::{Wrong, open_hastily};

/// What a worker holds in its hands. All of it is gone when it dies.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Worker {
    Idle,
    /// It claimed a row, and has read it.
    Claimed {
        row: usize,
        read: Read,
        epoch: u32,
    },
    /// Its attempt is durable; no byte of it was written.
    Ready {
        attempt: AttemptRow,
        epoch: u32,
        opened_at: u8,
    },
    /// The request was written.
    Waiting {
        attempt: AttemptRow,
        epoch: u32,
    },
    /// It has something to record.
    Home {
        row: usize,
        epoch: u32,
        finding: Finding,
    },
}

/// A row as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    record: Arc<Record>,
    version: u32,
}

/// While the row has that version it is what was read; of one that has moved
/// on, only where it stood matters.
impl PartialEq for Read {
    fn eq(&self, other: &Self) -> bool {
        self.version == other.version
            && self.record.operation.state == other.record.operation.state
            && self.record.operation.progress == other.record.operation.progress
    }
}

impl Eq for Read {}

impl Hash for Read {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.version.hash(state);
        self.record.operation.state.hash(state);
        self.record.operation.progress.hash(state);
    }
}

/// What is to be recorded.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Finding {
    NotSent(AttemptRow),
    NoAnswer(AttemptRow),
    Answered(AttemptRow, Answer),
    LookedUp(Vec<Glimpse>),
    NoVerdict,
}

/// What a look-up may show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sight {
    /// All that there is.
    Fresh,
    /// What it must show by now.
    Lagging,
    /// No verdict.
    Lost,
}

impl Worker {
    pub(crate) fn waits_for(&self, copy: &Copy) -> bool {
        matches!(self, Worker::Waiting { attempt, .. } if *attempt == copy.attempt)
    }

    /// Names versions and epochs by how they compare with the rows.
    pub(crate) fn rename(
        &mut self,
        version: &dyn Fn(usize, u32) -> u32,
        live: &dyn Fn(usize, u32) -> u32,
    ) {
        match self {
            Worker::Idle => {}
            Worker::Claimed { row, read, epoch } => {
                read.version = version(*row, read.version);
                *epoch = live(*row, *epoch);
            }
            Worker::Ready { attempt, epoch, .. } | Worker::Waiting { attempt, epoch } => {
                *epoch = live(attempt.row, *epoch);
            }
            Worker::Home { row, epoch, .. } => *epoch = live(*row, *epoch),
        }
    }
}

/// The attempt's id, from counters.
pub(crate) fn attempt_id(row: usize, number: u8) -> AttemptId {
    AttemptId(Uuid::from_u128(
        ((row as u128 + 1) << 64) | u128::from(number),
    ))
}

impl Setting {
    /// The attempt that would be opened at that tick.
    pub(crate) fn opening(&self, row: usize, record: &Record, now: u8) -> Opening {
        let timings = &self.policy.timings;
        let number = record.operation.progress.attempts + 1;
        let number = u8::try_from(number).expect("few attempts");
        Opening {
            attempt: attempt_id(row, number),
            not_after: at(now) + timings.lease.saturating_sub(timings.provider_deadline),
        }
    }
}

impl World {
    /// A worker takes the lease of a row and reads it.
    pub(crate) fn claimed(&mut self, setting: &Setting, worker: usize, row: usize) {
        let record = self.claim(row, setting);
        let version = self.rows[row].version;
        self.workers[worker] = Worker::Claimed {
            row,
            read: Read { record, version },
            epoch: self.rows[row].epoch,
        };
    }

    /// What the worker would do next with what it claimed.
    pub(crate) fn planned(&self, setting: &Setting, worker: usize) -> Option<Step> {
        match &self.workers[worker] {
            Worker::Claimed { read, .. } => {
                let operation = &read.record.operation;
                setting.wrong.plan(operation, &setting.policy, at(self.now))
            }
            _ => Some(Step::Rest),
        }
    }

    /// The one step that is due.
    pub(crate) fn step(&mut self, setting: &Setting, worker: usize, sight: Sight) {
        let plan = self.planned(setting, worker);
        let Worker::Claimed { row, read, epoch } = self.workers[worker].clone() else {
            return;
        };
        self.workers[worker] = Worker::Idle;
        match plan {
            None => self.send_hastily(setting, worker, row, &read, epoch),
            Some(Step::Send | Step::Resend) => self.open(setting, worker, row, &read, epoch),
            Some(Step::Recover) => self.record(setting, row, epoch, &Event::LeaseLapsed),
            Some(Step::Overdue) => self.record(setting, row, epoch, &Event::Overdue),
            Some(Step::LookUp) => {
                let finding = match sight {
                    Sight::Fresh => Finding::LookedUp(self.shown(row, true, &setting.truth)),
                    Sight::Lagging => Finding::LookedUp(self.shown(row, false, &setting.truth)),
                    Sight::Lost => {
                        self.spent.lost_look_ups += 1;
                        Finding::NoVerdict
                    }
                };
                self.workers[worker] = Worker::Home {
                    row,
                    epoch,
                    finding,
                };
            }
            Some(Step::Rest) => self.release(row, epoch),
        }
    }

    /// Opens an attempt on the row as it was read.
    fn open(&mut self, setting: &Setting, worker: usize, row: usize, read: &Read, epoch: u32) {
        let (mut subject, guards) = self.subject_beside_order(row);
        subject.own = Record::clone(&read.record);
        let opening = setting.opening(row, &read.record, self.now);
        let context = setting.context(self.now, self.rows.len());
        let Ok(decision) = decide(&subject, &Event::Open(opening), context) else {
            return self.record(setting, row, epoch, &Event::Overdue);
        };
        let held = Some(epoch);
        let mut commit = Commit::decided(self, row, read.version, decision, held, true);
        commit.guards = guards;
        if setting.wrong == Wrong::SendsBeforeCommit {
            return self.write_undurable(worker, row, read, epoch);
        }
        match self.commit(setting, &commit) {
            Some(opened) => self.hand_out(worker, &opened),
            None => self.release(row, epoch),
        }
    }

    /// Sends again under a new key, as some of the wrong rules do.
    fn send_hastily(
        &mut self,
        setting: &Setting,
        worker: usize,
        row: usize,
        read: &Read,
        epoch: u32,
    ) {
        if setting.wrong.cancels_first() {
            if self.provider.entries.iter().any(|it| it.row == row) {
                // "It cannot be canceled, it is there."
                let finding = Finding::LookedUp(self.shown(row, true, &setting.truth));
                self.workers[worker] = Worker::Home {
                    row,
                    epoch,
                    finding,
                };
                return;
            }
            if setting.wrong == Wrong::CancelsWithTombstone {
                self.provider.tombstones.push((row, 0));
            }
        }
        let opening = setting.opening(row, &read.record, self.now);
        let lapses = at(self.now) + setting.policy.timings.lease;
        let decision = open_hastily(&read.record.operation, opening, lapses);
        let commit = Commit::decided(self, row, read.version, decision, Some(epoch), true);
        match self.commit(setting, &commit) {
            Some(opened) => self.hand_out(worker, &opened),
            None => self.release(row, epoch),
        }
    }

    /// The request leaves, and nobody knows.
    fn write_undurable(&mut self, worker: usize, row: usize, read: &Read, epoch: u32) {
        let number = read.record.operation.progress.attempts + 1;
        let attempt = AttemptRow {
            row,
            number: u8::try_from(number).expect("few attempts"),
            key: 0,
        };
        self.workers[worker] = Worker::Ready {
            attempt,
            epoch,
            opened_at: self.now,
        };
    }

    /// The worker holds an attempt that was just made durable.
    pub(crate) fn hand_out(&mut self, worker: usize, opened: &[Opened]) {
        if let Some(Opened { attempt, epoch }) = opened.first().copied() {
            self.workers[worker] = Worker::Ready {
                attempt,
                epoch,
                opened_at: self.now,
            };
        }
    }

    /// The first byte leaves.
    pub(crate) fn write_request(&mut self, worker: usize) {
        if let Worker::Ready { attempt, epoch, .. } = self.workers[worker] {
            self.provider.seen.push(attempt);
            self.provider.copies.push(Copy {
                attempt,
                written_at: self.now,
                answer: None,
            });
            self.workers[worker] = Worker::Waiting { attempt, epoch };
        }
    }

    /// The worker brings something home and records it later.
    pub(crate) fn brings(&mut self, worker: usize, finding: impl FnOnce(AttemptRow) -> Finding) {
        if let Worker::Ready { attempt, epoch, .. } | Worker::Waiting { attempt, epoch } =
            self.workers[worker]
        {
            self.workers[worker] = Worker::Home {
                row: attempt.row,
                epoch,
                finding: finding(attempt),
            };
        }
    }

    /// The answer that waits for this worker.
    pub(crate) fn answer_for(&self, worker: usize) -> Option<Answer> {
        let mut copies = self.provider.copies.iter();
        copies
            .find(|copy| self.workers[worker].waits_for(copy))?
            .answer
    }

    /// What was brought home is recorded.
    pub(crate) fn bring_home(&mut self, setting: &Setting, worker: usize) {
        let Worker::Home {
            row,
            epoch,
            finding,
        } = self.workers[worker].clone()
        else {
            return;
        };
        self.workers[worker] = Worker::Idle;
        let event = self.event(finding);
        self.record(setting, row, epoch, &event);
    }

    fn event(&self, finding: Finding) -> Event {
        let id = |attempt: AttemptRow| attempt_id(attempt.row, attempt.number);
        match finding {
            Finding::NotSent(attempt) => Event::NotSent {
                attempt: id(attempt),
            },
            Finding::NoAnswer(attempt) => Event::Ambiguous {
                attempt: id(attempt),
                hint: Hint::default(),
            },
            Finding::Answered(attempt, Answer::Entry(glimpse)) => Event::Answered {
                attempt: id(attempt),
                evidence: self.evidence(Source::Response, &[glimpse]),
            },
            Finding::Answered(attempt, Answer::Refused) => Event::Answered {
                attempt: id(attempt),
                evidence: self.refusal(),
            },
            Finding::LookedUp(glimpses) => Event::LookedUp(self.look_up(&glimpses)),
            Finding::NoVerdict => Event::LookedUp(LookUp::NoVerdict),
        }
    }

    /// The engine's door for what workers bring: read, decide, commit. The
    /// reading is fresh, so the commit cannot be stale.
    pub(crate) fn record(&mut self, setting: &Setting, row: usize, held: u32, event: &Event) {
        let fenced = event.is_fenced();
        let lost = self.rows[row].epoch != held;
        if !(fenced && lost && setting.wrong.minds_fences()) {
            self.weigh(
                setting,
                row,
                Some(held),
                event,
                fenced && setting.wrong.minds_fences(),
            );
        }
        self.release(row, held);
    }

    /// Decides and commits. A webhook holds no lease.
    pub(crate) fn weigh(
        &mut self,
        setting: &Setting,
        row: usize,
        held: Option<u32>,
        event: &Event,
        fenced: bool,
    ) {
        let subject = self.subject(row);
        let decision = match setting.wrong.decide(&subject, event) {
            Some(decision) => decision,
            None => {
                let context = setting.context(self.now, self.rows.len());
                match decide(&subject, event, context) {
                    Ok(decision) => decision,
                    Err(_) => return,
                }
            }
        };
        if decision.is_nothing() {
            return;
        }
        let lost = held.is_some_and(|epoch| epoch != self.rows[row].epoch);
        self.fence_broken |= lost && event.is_fenced();
        let version = self.rows[row].version;
        let commit = Commit::decided(self, row, version, decision, held, fenced);
        self.commit(setting, &commit);
    }
}
