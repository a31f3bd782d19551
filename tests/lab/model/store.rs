//! The rows, behind the guards of a commit.

use std::sync::Arc;

use payonce::domain::decide::{Decision, Subject};
use payonce::domain::evolve::evolve;
use payonce::domain::fact::Fact;
use payonce::domain::operation::Record;

use super::setting::{Setting, at, operation_id, ticks};
use super::world::{AttemptRow, Row, World};

/// Everything that one decision changes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Commit {
    /// When it was decided.
    pub(crate) decided_at: u8,
    pub(crate) writes: Vec<Write>,
    /// Rows it rests on, with their versions.
    pub(crate) guards: Vec<(usize, u32)>,
}

/// One row as it is to be.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Write {
    pub(crate) row: usize,
    /// The version it must have; `None` for a row that must not exist.
    pub(crate) expected: Option<u32>,
    pub(crate) facts: Vec<Fact>,
    /// The lease epoch that must still be the row's.
    pub(crate) fence: Option<u32>,
    /// The lease that the writer holds.
    pub(crate) held: Option<u32>,
}

/// An attempt that a commit opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opened {
    pub(crate) attempt: AttemptRow,
    pub(crate) epoch: u32,
}

impl Commit {
    /// Names versions by how they compare with the rows.
    pub(crate) fn rename(&mut self, version: &dyn Fn(usize, u32) -> u32) {
        for write in &mut self.writes {
            write.expected = write.expected.map(|held| version(write.row, held));
        }
        for (row, held) in &mut self.guards {
            *held = version(*row, *held);
        }
    }

    /// What a decision about the row lays down, as the engine builds it.
    pub(crate) fn decided(
        world: &World,
        row: usize,
        read: u32,
        decision: Decision,
        held: Option<u32>,
        fenced: bool,
    ) -> Self {
        let mut writes = Vec::new();
        if !decision.own.is_empty() {
            writes.push(Write {
                row,
                expected: Some(read),
                facts: decision.own,
                fence: held.filter(|_| fenced),
                held,
            });
        }
        if let (Some(parent), false) = (world.parent_of(row), decision.parent.is_empty()) {
            writes.push(Write {
                row: parent,
                expected: Some(world.rows[parent].version),
                facts: decision.parent,
                fence: None,
                held: None,
            });
        }
        if let Some((_, facts)) = decision.child {
            writes.push(Write {
                row: world.rows.len(),
                expected: None,
                facts,
                fence: None,
                held: None,
            });
        }
        Self {
            decided_at: world.now,
            writes,
            guards: Vec::new(),
        }
    }

    pub(crate) fn opens(&self) -> bool {
        let mut facts = self.writes.iter().flat_map(|write| &write.facts);
        facts.any(|fact| matches!(fact, Fact::AttemptOpened { .. }))
    }
}

impl World {
    pub(crate) fn parent_of(&self, row: usize) -> Option<usize> {
        let parent = self.rows[row].record.operation.intent.parent?;
        (0..self.rows.len()).find(|it| operation_id(*it) == parent)
    }

    fn row(&self, row: usize) -> Record {
        Record::clone(&self.rows[row].record)
    }

    /// The row alone, with its parent.
    pub(crate) fn subject(&self, row: usize) -> Subject {
        Subject {
            parent: self.parent_of(row).map(|parent| self.row(parent)),
            ..Subject::alone(self.row(row))
        }
    }

    /// The other payments of the order.
    pub(crate) fn order_beside(&self, row: usize) -> Vec<usize> {
        let others = (0..self.rows.len()).filter(|it| *it != row);
        others
            .filter(|it| self.rows[*it].kind().is_payment())
            .collect()
    }

    /// The subject of a hand-over or of an opening, and the rows it rests on.
    pub(crate) fn subject_beside_order(&self, row: usize) -> (Subject, Vec<(usize, u32)>) {
        let mut subject = Subject::alone(self.row(row));
        let mut guards = Vec::new();
        if self.rows[row].kind().is_payment() {
            let others = self.order_beside(row);
            subject.order = others.iter().map(|it| self.row(*it)).collect();
            guards = others
                .iter()
                .map(|it| (*it, self.rows[*it].version))
                .collect();
        }
        (subject, guards)
    }

    /// Applies a commit as a whole, or says that it is stale (`None`).
    pub(crate) fn commit(&mut self, setting: &Setting, commit: &Commit) -> Option<Vec<Opened>> {
        if !self.is_new(commit) || (setting.wrong.minds_versions() && !self.stands(commit)) {
            return None;
        }
        let mut opened = Vec::new();
        for write in &commit.writes {
            opened.extend(self.write(setting, commit.decided_at, write));
        }
        Some(opened)
    }

    /// The unique index: what it inserts is not there yet.
    fn is_new(&self, commit: &Commit) -> bool {
        let mut inserts = commit.writes.iter().filter(|it| it.expected.is_none());
        inserts.all(|write| write.row == self.rows.len())
    }

    fn stands(&self, commit: &Commit) -> bool {
        let as_expected = |write: &Write| match write.expected {
            None => true,
            Some(version) => {
                let row = &self.rows[write.row];
                row.version == version && write.fence.is_none_or(|epoch| epoch == row.epoch)
            }
        };
        let guarded = |(row, version): &(usize, u32)| self.rows[*row].version == *version;
        commit.writes.iter().all(as_expected) && commit.guards.iter().all(guarded)
    }

    fn write(&mut self, setting: &Setting, decided_at: u8, write: &Write) -> Option<Opened> {
        let before = self.rows.get(write.row).cloned();
        let record = before.as_ref().map(|row| Record::clone(&row.record));
        let id = operation_id(write.row);
        let mut record = match evolve(id, record, 1, at(decided_at), &write.facts) {
            Ok(record) => record,
            // Decided for a row that has become another one meanwhile.
            Err(_) if !setting.wrong.minds_versions() => return None,
            Err(error) => panic!("facts of a decision do not fit their row: {error}"),
        };
        let (version, mut epoch) = before.map_or((0, 0), |row| (row.version, row.epoch));
        let opening = write.facts.iter().find_map(|fact| match fact {
            Fact::AttemptOpened { number, .. } => Some(*number),
            _ => None,
        });
        let lease = &mut record.operation.lease;
        let until = at(decided_at) + setting.policy.timings.lease;
        match (opening, write.held) {
            (Some(_), held) => {
                if held.is_none() {
                    epoch += 1;
                }
                lease.until = Some(until);
            }
            (None, Some(held)) if held == epoch => lease.until = None,
            (None, _) => {}
        }
        let row = Row::new(record, version + 1, epoch);
        match self.rows.get_mut(write.row) {
            Some(place) => *place = row,
            None => self.rows.push(row),
        }
        let number = opening?;
        let attempt = AttemptRow {
            row: write.row,
            number: u8::try_from(number).expect("few attempts"),
            key: setting.wrong.key_of_attempt(number),
        };
        self.attempts.push(attempt);
        Some(Opened { attempt, epoch })
    }

    /// Whether a row is due and nobody holds it.
    pub(crate) fn is_claimable(&self, row: usize) -> bool {
        self.rows[row]
            .due_at()
            .is_some_and(|due| due <= at(self.now))
    }

    /// Takes the lease of a row that is claimable.
    pub(crate) fn claim(&mut self, row: usize, setting: &Setting) -> Arc<Record> {
        let until = at(self.now) + setting.policy.timings.lease.max(ticks(1));
        self.lease(row, Some(until), 1);
        Arc::clone(&self.rows[row].record)
    }

    /// Gives a lease back, if it is still the one of that epoch.
    pub(crate) fn release(&mut self, row: usize, epoch: u32) {
        if self.rows[row].epoch == epoch {
            self.lease(row, None, 0);
        }
    }

    fn lease(&mut self, row: usize, until: Option<payonce::domain::time::Instant>, raise: u32) {
        let Row { version, epoch, .. } = self.rows[row];
        let mut record = self.row(row);
        record.operation.lease.until = until;
        self.rows[row] = Row::new(record, version, epoch + raise);
    }
}
