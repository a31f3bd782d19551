//! The ledger file: one JSON line for each set of changes, appended and synced
//! by one thread.
//!
//! A ticket is redeemed only when its line, and every line before it, is on
//! disk. Lines that arrive during a sync share the next one. After a failed
//! write nothing more is accepted: what the file holds is no longer known.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::error::SimulatorError;
use super::model::Change;
use super::processor::lock;
use super::state::State;

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    line: u64,
    at_ms: i64,
    changes: Vec<Change>,
}

enum Message {
    Append {
        at_ms: i64,
        changes: Vec<Change>,
        done: oneshot::Sender<()>,
    },
    Close,
}

/// The open ledger file.
#[derive(Debug)]
pub(super) struct Journal {
    sender: Sender<Message>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The ledger can no longer be written.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the ledger can no longer be written")]
pub(super) struct LedgerLost;

/// Redeemed when what was appended is on disk.
#[derive(Debug)]
pub(super) struct Ticket(oneshot::Receiver<()>);

impl Ticket {
    pub(super) async fn on_disk(self) -> Result<(), LedgerLost> {
        self.0.await.map_err(|_| LedgerLost)
    }
}

impl Journal {
    /// Opens `path` for this process alone and replays it into a state.
    pub(super) fn open(path: &Path) -> Result<(Self, State), SimulatorError> {
        let failed = |source| SimulatorError::Ledger {
            path: path.to_owned(),
            source,
        };
        let mut file = open_locked(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let (state, lines, whole) = replay(path, &bytes)?;
        if whole < bytes.len() {
            tracing::warn!(
                target: "simulator",
                ledger = %path.display(),
                line = lines + 1,
                bytes = bytes.len() - whole,
                "the last line of the ledger is torn; it was never answered for and is cut off"
            );
            file.set_len(whole as u64).map_err(failed)?;
            file.sync_data().map_err(failed)?;
        }
        let (sender, receiver) = channel();
        let writer = Writer {
            file,
            path: path.to_owned(),
            lines,
        };
        let thread = thread::Builder::new()
            .name("simulator-ledger".to_owned())
            .spawn(move || writer.run(&receiver))
            .map_err(failed)?;
        let journal = Self {
            sender,
            thread: Mutex::new(Some(thread)),
        };
        Ok((journal, state))
    }

    /// Appends a line; with no changes, only waits for the lines before. Call
    /// it in the order in which the changes were applied.
    pub(super) fn append(&self, at_ms: i64, changes: Vec<Change>) -> Ticket {
        let (done, ticket) = oneshot::channel();
        // A closed channel drops `done`, which the ticket reports.
        let _ = self.sender.send(Message::Append {
            at_ms,
            changes,
            done,
        });
        Ticket(ticket)
    }

    /// Ends the thread after what was appended; frees the file. Blocks.
    pub(super) fn close(&self) {
        let _ = self.sender.send(Message::Close);
        if let Some(thread) = lock(&self.thread).take() {
            let _ = thread.join();
        }
    }
}

/// Appending leaves a torn tail where it was cut, whatever the read position.
fn open_locked(path: &Path) -> Result<File, SimulatorError> {
    let failed = |source| SimulatorError::Ledger {
        path: path.to_owned(),
        source,
    };
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
        .map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(SimulatorError::LedgerInUse {
                path: path.to_owned(),
            });
        }
        Err(TryLockError::Error(source)) => return Err(failed(source)),
    }
    sync_folder(path).map_err(failed)?;
    Ok(file)
}

/// A new file survives a crash only once its folder is synced.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    File::open(folder)?.sync_all()
}

/// The state, the number of whole lines, and the bytes they take.
fn replay(path: &Path, bytes: &[u8]) -> Result<(State, u64, usize), SimulatorError> {
    let mut state = State::default();
    let (mut lines, mut whole) = (0, 0);
    for text in bytes.split_inclusive(|byte| *byte == b'\n') {
        if !text.ends_with(b"\n") {
            break;
        }
        lines += 1;
        let corrupt = |reason: String| SimulatorError::LedgerCorrupt {
            path: path.to_owned(),
            line: lines,
            reason,
        };
        let line: Line =
            serde_json::from_slice(text).map_err(|error| corrupt(error.to_string()))?;
        if line.line != lines {
            return Err(corrupt(format!("it calls itself line {}", line.line)));
        }
        for change in line.changes {
            state.apply(change);
        }
        whole += text.len();
    }
    Ok((state, lines, whole))
}

struct Writer {
    file: File,
    path: PathBuf,
    lines: u64,
}

impl Writer {
    fn run(mut self, receiver: &Receiver<Message>) {
        while let Ok(first) = receiver.recv() {
            let mut waiting = Vec::new();
            let mut text = Vec::new();
            let mut open = true;
            for message in std::iter::once(first).chain(receiver.try_iter()) {
                match message {
                    Message::Append {
                        at_ms,
                        changes,
                        done,
                    } => {
                        self.push_line(&mut text, at_ms, changes);
                        waiting.push(done);
                    }
                    Message::Close => {
                        open = false;
                        break;
                    }
                }
            }
            if let Err(error) = self.flush(&text) {
                tracing::error!(
                    target: "simulator",
                    ledger = %self.path.display(),
                    %error,
                    "the ledger cannot be written; nothing more is answered"
                );
                return;
            }
            for done in waiting {
                // A caller that no longer waits has nothing to be told.
                let _ = done.send(());
            }
            if !open {
                return;
            }
        }
    }

    fn push_line(&mut self, text: &mut Vec<u8>, at_ms: i64, changes: Vec<Change>) {
        if changes.is_empty() {
            return;
        }
        self.lines += 1;
        let line = Line {
            line: self.lines,
            at_ms,
            changes,
        };
        let json = serde_json::to_vec(&line).expect("every key of a change is a string");
        text.extend_from_slice(&json);
        text.push(b'\n');
    }

    fn flush(&mut self, text: &[u8]) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.file.write_all(text)?;
        self.file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn file_with(lines: i64) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.jsonl");
        let (journal, _) = Journal::open(&path).unwrap();
        for shift in 1..=lines {
            let ticket = journal.append(0, vec![Change::ClockShift(shift)]);
            ticket.on_disk().await.unwrap();
        }
        journal.close();
        (folder, path)
    }

    #[tokio::test]
    async fn what_was_appended_is_replayed_in_order() {
        let (_folder, path) = file_with(3).await;
        let (journal, state) = Journal::open(&path).unwrap();
        assert_eq!(state.shift_ms(), 3);
        journal.close();
    }

    #[tokio::test]
    async fn a_torn_last_line_is_cut_off_and_the_file_goes_on() {
        let (_folder, path) = file_with(2).await;
        let whole = std::fs::read(&path).unwrap();
        let mut torn = whole.clone();
        torn.extend_from_slice(br#"{"line":3,"at_ms":0,"cha"#);
        std::fs::write(&path, torn).unwrap();

        let (journal, state) = Journal::open(&path).unwrap();
        assert_eq!(state.shift_ms(), 2);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        let ticket = journal.append(0, vec![Change::ClockShift(9)]);
        ticket.on_disk().await.unwrap();
        journal.close();
        let (journal, state) = Journal::open(&path).unwrap();
        assert_eq!(state.shift_ms(), 9);
        journal.close();
    }

    #[tokio::test]
    async fn a_corrupt_or_missing_line_is_refused_by_its_number() {
        let (_folder, path) = file_with(3).await;
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let garbled = format!("{}\nnot json\n{}\n", lines[0], lines[2]);
        let missing = format!("{}\n{}\n", lines[0], lines[2]);
        for spoiled in [garbled, missing] {
            std::fs::write(&path, spoiled).unwrap();
            let refused = Journal::open(&path);
            assert!(matches!(
                refused,
                Err(SimulatorError::LedgerCorrupt { line: 2, .. })
            ));
        }
    }

    #[tokio::test]
    async fn one_file_serves_one_simulator() {
        let (_folder, path) = file_with(1).await;
        let (journal, _) = Journal::open(&path).unwrap();
        let second = Journal::open(&path);
        assert!(matches!(second, Err(SimulatorError::LedgerInUse { .. })));
        journal.close();
        let late = journal.append(0, vec![Change::ClockShift(5)]);
        assert_eq!(late.on_disk().await, Err(LedgerLost));
    }
}
