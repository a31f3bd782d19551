//! Notices that the database went back, and begins the recovery.
//!
//! Guarantees:
//! - a database that lacks a beat which this replica saw, or of which the
//!   witness knows, is never worked with as if nothing had happened;
//! - a restore waits for a person; a failover does not, because every first
//!   send then follows a look-up;
//! - an epoch is greater than any before it, also where the database forgot
//!   some: it is at least the database's time in seconds.

mod commands;
mod witness;

use std::path::PathBuf;
use std::time::Duration;

use crate::config::{Config, Failover};
use crate::domain::recovery::{RecoveryState, Standing};
use crate::domain::time::Instant;
use crate::store::recovery::{Begin, Recoveries};
use crate::store::{Store, StoreError};

use super::StartError;
use witness::Witness;

pub use crate::store::recovery::Present;
pub use commands::{begin, confirm, end, show};

/// How often a beat that was refused is looked into before it is left to the
/// next period. Each round means that another replica was faster.
const ROUNDS: usize = 8;

/// Counts beats, and knows the highest one.
pub(super) struct Watch {
    door: Recoveries,
    known: Standing,
    witness: Option<Witness>,
    rules: Rules,
}

/// What the operator declared.
#[derive(Clone, Copy, Debug)]
struct Rules {
    failover: Failover,
    window: Duration,
}

/// What a refused beat means.
#[derive(Debug, PartialEq, Eq)]
enum Notice {
    /// Another replica has seen to it.
    Nothing,
    /// Another server without a loss, or a loss that a recovery names.
    Accepted,
    /// Rows may have been lost.
    Lost(Begin),
}

impl Watch {
    /// Reads the witness, where there is one.
    pub(super) async fn over(store: &Store, config: &Config) -> Result<Self, StartError> {
        let path = config.recovery.witness.clone();
        let path = path.or_else(|| beside_the_file(&config.database.urls));
        let witness = path.map(|path| Witness::at(path, &config.deployment.name));
        let known = match &witness {
            Some(witness) => witness.read().await?,
            None => Standing::default(),
        };
        Ok(Self {
            door: store.recoveries(),
            known,
            witness,
            rules: Rules {
                failover: config.database.failover,
                window: Duration::from_secs(config.recovery.failover_window_s),
            },
        })
    }

    /// Counts a beat, and sees to it that a loss is recorded before this
    /// replica does anything else.
    pub(super) async fn beat(&mut self) -> Result<Present, StoreError> {
        for _ in 0..ROUNDS {
            if let Some(present) = self.door.beat(self.known).await? {
                self.known = present.standing();
                if let Some(witness) = &self.witness {
                    witness.write(&present).await;
                }
                return Ok(present);
            }
            let seen = self.door.present().await?;
            match notice(&seen, self.known, self.rules) {
                Notice::Nothing => {}
                Notice::Accepted => {
                    self.door.accept(&seen, self.known.beat).await?;
                }
                Notice::Lost(begin) => self.begin(&seen, begin).await?,
            }
        }
        Err(StoreError::Unavailable(
            "the database does not come to rest after a loss of rows".to_owned(),
        ))
    }

    async fn begin(&self, seen: &Present, begin: Begin) -> Result<(), StoreError> {
        if self.door.begin(seen, begin.clone()).await? {
            tracing::error!(
                epoch = begin.epoch,
                state = begin.state.name(),
                lost_since_us = begin.lost_since.0,
                beat = seen.beat,
                known_beat = self.known.beat,
                timeline = ?seen.timeline,
                server_timeline = ?seen.server_timeline,
                "rows may have been lost: a recovery begins"
            );
        }
        Ok(())
    }
}

/// A SQLite database has its witness beside it.
fn beside_the_file(urls: &[String]) -> Option<PathBuf> {
    let [url] = urls else {
        return None;
    };
    let file = url.strip_prefix("sqlite:")?;
    let file = file.strip_prefix("//").unwrap_or(file);
    let file = file.split('?').next().unwrap_or(file);
    Some(PathBuf::from(format!("{file}.witness")))
}

fn notice(seen: &Present, known: Standing, rules: Rules) -> Notice {
    let went_back = seen.beat < known.beat || seen.epoch < known.epoch;
    let promoted = seen.timeline.is_some() && seen.timeline != seen.server_timeline;
    if !went_back && !promoted {
        return Notice::Nothing;
    }
    let named = seen.epoch > known.epoch && !promoted;
    let declared = promoted && !went_back && rules.failover == Failover::Synchronous;
    if named || declared {
        return Notice::Accepted;
    }
    let gap = seen.beat_at.map(|at| seen.now.since(at));
    let is_failover = promoted && gap.is_some_and(|gap| gap <= rules.window);
    let state = match seen.state {
        RecoveryState::AwaitingConfirmation => RecoveryState::AwaitingConfirmation,
        RecoveryState::None | RecoveryState::Held if is_failover => RecoveryState::Held,
        RecoveryState::None | RecoveryState::Held => RecoveryState::AwaitingConfirmation,
    };
    Notice::Lost(next(seen, known, state, seen.beat_at.unwrap_or_default()))
}

/// The recovery after `seen`. Where one stands already, the earlier time from
/// which rows may be missing holds.
fn next(seen: &Present, known: Standing, state: RecoveryState, lost_since: Instant) -> Begin {
    let seconds = seen.now.0 / 1_000_000;
    let beat = seen.beat.max(known.beat);
    Begin {
        epoch: seen.epoch.max(known.epoch).saturating_add(1).max(seconds),
        beat: beat.saturating_add(1),
        state,
        lost_since: seen.lost_since.unwrap_or(lost_since).min(lost_since),
        by: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules {
        failover: Failover::MayLose,
        window: Duration::from_secs(300),
    };

    /// Beat 10 a second ago on timeline 1, looked at at second 5.
    fn seen() -> Present {
        Present {
            beat: 10,
            beat_at: Some(Instant(4_000_000)),
            timeline: Some("00000001".to_owned()),
            server_timeline: Some("00000001".to_owned()),
            epoch: 0,
            state: RecoveryState::None,
            lost_since: None,
            since: None,
            by: None,
            now: Instant(5_000_000),
        }
    }

    fn promoted() -> Present {
        Present {
            server_timeline: Some("00000002".to_owned()),
            ..seen()
        }
    }

    fn known(beat: i64, epoch: i64) -> Standing {
        Standing {
            epoch,
            beat,
            recovery: None,
        }
    }

    fn begun(seen: &Present, known: Standing, rules: Rules) -> Begin {
        match notice(seen, known, rules) {
            Notice::Lost(begin) => begin,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_as_known_is_no_loss() {
        assert_eq!(notice(&seen(), known(10, 0), RULES), Notice::Nothing);
    }

    #[test]
    fn an_older_copy_waits_for_a_person() {
        let begin = begun(&seen(), known(11, 0), RULES);
        assert_eq!(begin.state, RecoveryState::AwaitingConfirmation);
        assert_eq!((begin.epoch, begin.beat), (5, 12));
        assert_eq!(begin.lost_since, Instant(4_000_000));
    }

    #[test]
    fn a_promotion_is_held_at_once_and_an_old_one_waits() {
        let begin = begun(&promoted(), known(10, 0), RULES);
        assert_eq!(begin.state, RecoveryState::Held);
        let late = Present {
            now: Instant(4_000_000 + 300_000_001),
            ..promoted()
        };
        let begin = begun(&late, known(10, 0), RULES);
        assert_eq!(begin.state, RecoveryState::AwaitingConfirmation);
    }

    #[test]
    fn a_declared_promotion_is_accepted_unless_a_beat_is_missing() {
        let declared = Rules {
            failover: Failover::Synchronous,
            ..RULES
        };
        assert_eq!(
            notice(&promoted(), known(10, 0), declared),
            Notice::Accepted
        );
        let begin = begun(&promoted(), known(11, 0), declared);
        assert_eq!(begin.state, RecoveryState::Held);
    }

    #[test]
    fn an_epoch_is_greater_than_any_that_is_known() {
        assert_eq!(begun(&seen(), known(11, 7), RULES).epoch, 8);
        let of_the_row = Present {
            epoch: 9,
            ..promoted()
        };
        assert_eq!(begun(&of_the_row, known(11, 7), RULES).epoch, 10);
    }

    #[test]
    fn a_recovery_that_another_replica_began_is_not_begun_again() {
        let named = Present { epoch: 1, ..seen() };
        assert_eq!(notice(&named, known(11, 0), RULES), Notice::Accepted);
    }

    #[test]
    fn a_second_loss_keeps_the_earlier_time_and_the_question() {
        let waiting = Present {
            state: RecoveryState::AwaitingConfirmation,
            epoch: 3,
            lost_since: Some(Instant(1_000_000)),
            since: Some(Instant(2_000_000)),
            ..promoted()
        };
        let begin = begun(&waiting, known(10, 3), RULES);
        assert_eq!(begin.state, RecoveryState::AwaitingConfirmation);
        assert_eq!(begin.lost_since, Instant(1_000_000));
    }

    #[test]
    fn the_witness_of_a_file_lies_beside_it() {
        let of = |url: &str| beside_the_file(&[url.to_owned()]);
        let expected = Some(PathBuf::from("/data/payonce.db.witness"));
        assert_eq!(of("sqlite:///data/payonce.db?mode=rwc"), expected);
        assert_eq!(of("postgres://127.0.0.1/payonce"), None);
    }
}
