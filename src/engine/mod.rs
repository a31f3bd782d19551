//! The one door: commands, evidence and queries.
//!
//! Guarantees:
//! - every change of an operation is decided by `domain::decide` on rows that
//!   were just read, and committed only if none of them changed since; where
//!   one did, the decision is made again;
//! - nothing here contacts a provider: a decision that opens an attempt hands
//!   it to the worker pool after its commit;
//! - a caller that goes away changes nothing: commits run in the store's own
//!   tasks, and what follows them in a task of ours.

mod change;
mod compensate;
mod create;
mod dispatch;
mod error;
mod hear;
mod hub;
mod queries;
mod record;
mod view;
mod wait;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, Semaphore, mpsc, watch};

use crate::clock::Clock;
use crate::domain::ids::{AttemptId, CaseId, CommitId, OperationId};
use crate::domain::profile::{Policy, Rail, Timings};
use crate::domain::recovery::{Recovery, Standing};
use crate::domain::reference::{ProviderAccount, Purpose};
use crate::domain::time::Instant;
use crate::store::{Footing, Store};

pub use compensate::Compensated;
pub use create::Created;
pub use dispatch::{Dispatch, Held};
pub use error::{EngineError, StoreError};
pub use queries::{ListFilter, Page};
pub use record::{Opened, Recorded};
pub use view::{CompensationSummary, View};
pub use wait::Until;

/// What the engine is configured with.
#[derive(Clone, Debug)]
pub struct Options {
    /// `deployment.name`, part of every provider key.
    pub deployment: String,
    /// The purposes that an order may be paid for. The first is not special:
    /// an absent purpose means [`DEFAULT_PURPOSE`].
    pub purposes: Vec<Purpose>,
    /// Of these, the ones that may be unresolved side by side for one order.
    pub independent_purposes: Vec<Purpose>,
    /// The account that is used when a request names none.
    pub default_account: ProviderAccount,
    /// The operator's times.
    pub timings: Timings,
    /// How often a waiting caller looks at the row itself, in case a wake-up
    /// was lost or came from another replica.
    pub wait_poll: Duration,
    /// This replica's name, unique among all that share the database.
    pub owner: String,
}

/// The purpose of a request that names none. Fixed: a default that followed
/// the configured list would give an order a second identity when the list
/// is edited.
pub const DEFAULT_PURPOSE: &str = "purchase";

/// Facts of one account and the rules that follow from them.
#[derive(Clone, Debug)]
pub struct Account {
    /// The account.
    pub rail: Rail,
    /// The rules.
    pub policy: Policy,
}

struct Inner {
    store: Store,
    clock: Clock,
    options: Options,
    accounts: HashMap<ProviderAccount, Account>,
    hub: hub::Hub,
    work: Notify,
    slots: Arc<Semaphore>,
    dispatches: mpsc::UnboundedSender<Dispatch>,
    standing: watch::Sender<Standing>,
}

/// The engine. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

impl Engine {
    /// An engine over a store. `slots` bounds how many provider calls this
    /// replica makes at once; attempts that it opens come out of the returned
    /// receiver, each with its slot.
    pub fn new(
        store: Store,
        clock: Clock,
        options: Options,
        rails: Vec<Rail>,
        slots: Arc<Semaphore>,
    ) -> (Self, mpsc::UnboundedReceiver<Dispatch>) {
        // Unbounded in name only: every message holds one of the slots.
        let (dispatches, receiver) = mpsc::unbounded_channel();
        let with_policy = |rail: Rail| {
            let policy = Policy {
                profile: rail.profile.clone(),
                timings: options.timings.clone(),
            };
            (rail.account.clone(), Account { rail, policy })
        };
        let accounts = rails.into_iter().map(with_policy).collect();
        let inner = Inner {
            store,
            clock,
            options,
            accounts,
            hub: hub::Hub::default(),
            work: Notify::new(),
            slots,
            dispatches,
            standing: watch::Sender::new(Standing::default()),
        };
        let engine = Self {
            inner: Arc::new(inner),
        };
        engine.hear_others();
        (engine, receiver)
    }

    /// The rules and facts of an account.
    pub fn account(&self, name: &ProviderAccount) -> Result<&Account, EngineError> {
        let account = self.inner.accounts.get(name);
        account.ok_or_else(|| EngineError::UnknownAccount(name.clone()))
    }

    /// Database time.
    pub fn now(&self) -> Instant {
        self.inner.clock.now()
    }

    /// What the newest beat said of the database. Until the first call only a
    /// database that never was in a recovery takes attempts.
    pub fn stand(&self, standing: Standing) {
        let before = self.inner.standing.send_replace(standing);
        if before.recovery != standing.recovery {
            self.inner.work.notify_one();
        }
    }

    /// The recovery that stands, if one does.
    pub fn recovery(&self) -> Option<Recovery> {
        self.inner.standing.borrow().recovery
    }

    /// What every part of one decision rests on.
    fn moment(&self) -> Moment {
        Moment {
            now: self.now(),
            standing: *self.inner.standing.borrow(),
        }
    }

    /// The database is not the one that a decision rested on: nothing is sent
    /// before the next beat tells what happened.
    fn suspect(&self, footing: Footing) {
        let now = self.now();
        self.inner.standing.send_if_modified(|standing| {
            let same = (standing.epoch, standing.beat) == (footing.epoch, footing.beat);
            if same {
                *standing = standing.suspected(now);
            }
            same
        });
    }

    /// Completes when a commit of this replica left something due at once.
    /// Only a hint: due work is also looked for from time to time.
    pub async fn work(&self) {
        self.inner.work.notified().await;
    }

    /// The operator's times.
    pub fn timings(&self) -> &Timings {
        &self.inner.options.timings
    }
}

/// When a decision is made, and on what.
#[derive(Clone, Copy, Debug)]
struct Moment {
    now: Instant,
    standing: Standing,
}

/// UUIDv7 (RFC 9562) for everything that is named here.
fn fresh() -> uuid::Uuid {
    uuid::Uuid::now_v7()
}

fn fresh_operation() -> OperationId {
    OperationId(fresh())
}

fn fresh_attempt() -> AttemptId {
    AttemptId(fresh())
}

fn fresh_case() -> CaseId {
    CaseId(fresh())
}

fn fresh_commit() -> CommitId {
    CommitId(fresh())
}
