//! Failures on purpose, for tests: what a cut connection looks like from
//! here.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use sea_orm::{DatabaseTransaction, DbErr, RuntimeErr, sqlx};

/// One failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::store) enum Fault {
    /// COMMIT is executed, and its answer is lost.
    AnswerLost,
    /// COMMIT never arrives.
    CommitLost,
    /// The ledger cannot be read afterwards.
    LookUpFails,
}

/// Failures still to come, in order.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Faults(Arc<Mutex<VecDeque<Fault>>>);

impl Faults {
    pub(in crate::store) fn plan(&self, faults: impl IntoIterator<Item = Fault>) {
        self.0
            .lock()
            .expect("no test panics with it")
            .extend(faults);
    }

    fn next_if(&self, wanted: &[Fault]) -> Option<Fault> {
        let mut planned = self.0.lock().expect("no test panics with it");
        let due = planned.front().is_some_and(|next| wanted.contains(next));
        due.then(|| planned.pop_front()).flatten()
    }

    pub(super) async fn around_commit(
        &self,
        transaction: DatabaseTransaction,
    ) -> Result<(), DbErr> {
        match self.next_if(&[Fault::AnswerLost, Fault::CommitLost]) {
            None | Some(Fault::LookUpFails) => transaction.commit().await,
            Some(Fault::AnswerLost) => transaction.commit().await.and(Err(cut())),
            Some(Fault::CommitLost) => transaction.rollback().await.and(Err(cut())),
        }
    }

    pub(super) fn look_up(&self) -> Result<(), DbErr> {
        match self.next_if(&[Fault::LookUpFails]) {
            Some(_) => Err(cut()),
            None => Ok(()),
        }
    }
}

fn cut() -> DbErr {
    let reset = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    DbErr::Exec(RuntimeErr::SqlxError(Arc::new(sqlx::Error::Io(reset))))
}
