//! What callers asked and what they were told: a promise once it was said.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use payonce::proto::v1::{CreateOperationRequest, Operation, OperationState};

use crate::lab::harness::Refusal;

/// Everything that was said to any caller.
#[derive(Default)]
pub(crate) struct Book {
    pages: Mutex<Pages>,
    in_flight: AtomicUsize,
}

#[derive(Default)]
struct Pages {
    told: BTreeMap<String, Told>,
    /// The operation of each order and generation, as it was told first.
    identities: HashMap<(String, i32), String>,
    sent: Vec<CreateOperationRequest>,
    broken: Vec<String>,
    refused: BTreeMap<String, u64>,
    answered: u64,
    unanswered: u64,
}

/// What was said of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) order: String,
    pub(crate) state: OperationState,
    /// The newest version that was told.
    pub(crate) version: i64,
}

/// A call that has no answer yet.
pub(crate) struct InFlight<'a>(&'a Book);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Book {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call goes out.
    pub(crate) fn begin(&self) -> InFlight<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(self)
    }

    /// How many calls have no answer at the moment.
    pub(crate) fn calls_in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// A request that may be repeated from now on.
    pub(crate) fn sends(&self, request: &CreateOperationRequest) {
        self.pages().sent.push(request.clone());
    }

    /// An earlier request.
    pub(crate) fn sent_before(&self, rng: &mut fastrand::Rng) -> Option<CreateOperationRequest> {
        let pages = self.pages();
        rng.choice(&pages.sent).cloned()
    }

    /// An operation that somebody was told of, and what.
    pub(crate) fn any(&self, rng: &mut fastrand::Rng) -> Option<(String, Told)> {
        let pages = self.pages();
        let told = rng.choice(pages.told.iter())?;
        Some((told.0.clone(), told.1.clone()))
    }

    /// An operation was shown in an OK answer.
    pub(crate) fn hears(&self, operation: &Operation) {
        let mut pages = self.pages();
        pages.answered += 1;
        pages.hears(operation);
    }

    /// A call was refused.
    pub(crate) fn is_refused(&self, what: &str, refusal: &Refusal) {
        let reason = format!("{what}: {:?} {}", refusal.code, refusal.reason);
        *self.pages().refused.entry(reason).or_default() += 1;
    }

    /// No replica answered.
    pub(crate) fn hears_nothing(&self) {
        self.pages().unanswered += 1;
    }

    /// An answer that contradicts an earlier one.
    pub(crate) fn breaks(&self, what: String) {
        self.pages().broken.push(what);
    }

    /// Everything that was told, by operation id.
    pub(crate) fn told(&self) -> BTreeMap<String, Told> {
        self.pages().told.clone()
    }

    /// Answers that contradict earlier ones.
    pub(crate) fn broken(&self) -> Vec<String> {
        self.pages().broken.clone()
    }

    /// How often each call was refused, and why.
    pub(crate) fn refused(&self) -> BTreeMap<String, u64> {
        self.pages().refused.clone()
    }

    /// How many calls were answered, and how many given up.
    pub(crate) fn calls(&self) -> (u64, u64) {
        let pages = self.pages();
        (pages.answered, pages.unanswered)
    }
}

impl Pages {
    fn hears(&mut self, operation: &Operation) {
        let id = operation.operation_id.clone();
        // Compensations share the order of their parent.
        if operation.parent_operation_id.is_empty() {
            let identity = (operation.order_id.clone(), operation.generation);
            let first = self.identities.entry(identity).or_insert(id.clone());
            if *first != id {
                let order = &operation.order_id;
                self.broken
                    .push(format!("{order} was told to be {first}, and then {id}"));
            }
        }
        let now = Told {
            order: operation.order_id.clone(),
            state: operation.state(),
            version: operation.version,
        };
        let told = self.told.entry(id.clone()).or_insert_with(|| now.clone());
        if is_over(told.state) && told.state != now.state && now.version >= told.version {
            let (was, is) = (told.state, now.state);
            self.broken
                .push(format!("{id} was told to be {was:?}, and then {is:?}"));
        }
        if now.version > told.version {
            *told = now;
        }
    }
}

/// Whether a state may never be followed by another one.
pub(crate) fn is_over(state: OperationState) -> bool {
    match state {
        OperationState::Succeeded
        | OperationState::Declined
        | OperationState::Canceled
        | OperationState::Voided => true,
        OperationState::Unspecified
        | OperationState::Created
        | OperationState::Queued
        | OperationState::Submitting
        | OperationState::Unknown
        | OperationState::Pending
        | OperationState::RequiresAction
        | OperationState::Authorized => false,
    }
}
