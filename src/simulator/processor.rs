//! The processor: takes a call through its fault, its effect, the ledger and
//! its answer.
//!
//! The state is changed and the line handed to the journal under one lock, so
//! that the file has the order of the effects; no lock is held across an await.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::answer::{self, CloseSocket, Refusal, Reply};
use super::call::{Call, Subject, Work};
use super::clock::TimeScale;
use super::command::Command;
use super::execution::Execution;
use super::fault::Fault;
use super::fault_book::FaultBook;
use super::journal::{Journal, LedgerLost, Ticket};
use super::keys::{InFlight, Keyed, KeysInFlight, repeat, sha256};
use super::look_up::LookUp;
use super::model::{Change, KeyRecord, ObjectId};
use super::profile::Profile;
use super::state::State;
use super::view::View;
use super::wire_log::{Outcome, Place, Request, WireLog};

/// Locks what no panic leaves half changed.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The running processor, shared by all connections.
#[derive(Debug)]
pub(super) struct Processor {
    pub(super) profile: Profile,
    pub(super) scale: TimeScale,
    pub(super) base_url: String,
    pub(super) journal: Journal,
    pub(super) state: Mutex<State>,
    pub(super) faults: Mutex<FaultBook>,
    pub(super) wire_log: Mutex<WireLog>,
    pub(super) in_flight: KeysInFlight,
    /// The work of calls, which outlives their connections.
    pub(super) calls: TaskTracker,
    /// Cuts that work off.
    pub(super) kill: CancellationToken,
}

/// A fault, and whether it came with the payment method.
struct ChosenFault {
    fault: Fault,
    by_method: bool,
}

/// A call whose effect is in memory and on its way to the disk.
struct Done {
    outcome: Outcome,
    reply: Reply,
    /// What the answer is about, where it is about one object.
    object: Option<ObjectId>,
    ticket: Ticket,
    /// Held until the answer leaves.
    in_flight: Option<InFlight>,
}

impl Processor {
    /// Answers a call. The work goes on if the caller hangs up.
    pub(super) async fn serve(self: Arc<Self>, call: Call) -> Response {
        let subject = Subject::of(&call, &lock(&self.state));
        let at_ms = lock(&self.state).now_ms();
        let request = Request::new(&call, &subject, at_ms);
        let place = lock(&self.wire_log).add(request);
        let kill = self.kill.clone();
        let calls = self.calls.clone();
        let work = async move {
            let response = self.work(&call, &subject, place).await;
            if response.extensions().get::<CloseSocket>().is_none() {
                lock(&self.wire_log).set_answer(place, response.status().as_u16());
            }
            response
        };
        let work = calls.spawn(kill.run_until_cancelled_owned(work));
        match work.await {
            Ok(Some(response)) => response,
            Ok(None) | Err(_) => answer::close_socket(),
        }
    }

    async fn work(&self, call: &Call, subject: &Subject, place: Place) -> Response {
        let chosen = self.choose_fault(call, subject);
        if let Some(ChosenFault { fault, .. }) = &chosen {
            lock(&self.wire_log).set_fault(place, fault.kind());
            if let Some(response) = answer::before_execution(fault, &call.path).await {
                let outcome = match response.extensions().get::<CloseSocket>() {
                    Some(_) => Outcome::Dropped,
                    None => Outcome::Refused,
                };
                lock(&self.wire_log).set_outcome(place, outcome);
                return response;
            }
        }
        let done = self.carry_out(call, chosen.as_ref().map(|it| &it.fault));
        lock(&self.wire_log).set_outcome(place, done.outcome);
        if done.ticket.on_disk().await.is_err() {
            return answer::close_socket();
        }
        // A method spoils the answer to what it executed, and no other.
        let spoils = chosen.filter(|it| !it.by_method || done.outcome == Outcome::Executed);
        let response = match spoils {
            None => done.reply.into_response(),
            Some(ChosenFault { fault, .. }) => {
                let unrelated = self.unrelated(&fault, done.object.as_ref());
                answer::after_execution(&fault, done.reply, unrelated).await
            }
        };
        drop(done.in_flight);
        response
    }

    /// What tests ordered comes before what the payment method does.
    fn choose_fault(&self, call: &Call, subject: &Subject) -> Option<ChosenFault> {
        if let Some(fault) = lock(&self.faults).hit(subject) {
            return Some(ChosenFault {
                fault,
                by_method: false,
            });
        }
        match &call.work {
            Ok(Work::Change(Command::Pay(asked))) => {
                let fault = asked.payment_method.fault(self.scale)?;
                Some(ChosenFault {
                    fault,
                    by_method: true,
                })
            }
            _ => None,
        }
    }

    fn carry_out(&self, call: &Call, fault: Option<&Fault>) -> Done {
        let mut state = lock(&self.state);
        self.apply_due(&mut state);
        let done = match &call.work {
            Ok(Work::LookUp(look_up)) => self.look_up(&state, look_up, fault),
            Ok(Work::Change(command)) => self.change(&mut state, call, Ok(command), fault),
            Err(refusal) => self.change(&mut state, call, Err(refusal.clone()), fault),
        };
        match done {
            Ok(done) => done,
            Err(refusal) => Done {
                outcome: Outcome::Refused,
                reply: Reply::from(refusal),
                object: None,
                ticket: self.journal.append(0, Vec::new()),
                in_flight: None,
            },
        }
    }

    fn look_up(
        &self,
        state: &State,
        look_up: &LookUp,
        fault: Option<&Fault>,
    ) -> Result<Done, Refusal> {
        if !self.profile.offers_look_ups() {
            return Err(Refusal::no_look_ups());
        }
        let stale = fault == Some(&Fault::Stale);
        Ok(Done {
            outcome: Outcome::LookedUp,
            reply: look_up.answer(self.view(state), stale)?,
            object: look_up.object(state),
            ticket: self.journal.append(0, Vec::new()),
            in_flight: None,
        })
    }

    fn change(
        &self,
        state: &mut State,
        call: &Call,
        command: Result<&Command, Refusal>,
        fault: Option<&Fault>,
    ) -> Result<Done, Refusal> {
        let key = call.key.as_deref().filter(|_| self.profile.keeps_keys());
        let body_sha256 = sha256(&call.body);
        let keyed = key.map(|key| Keyed {
            key,
            path: &call.path,
            body_sha256: &body_sha256,
        });
        if let Some(keyed) = keyed {
            check_key(keyed.key)?;
            let view = self.view(state);
            let known = repeat(view, &self.in_flight, self.profile, self.scale, keyed);
            if let Some(reply) = known {
                return Ok(Done {
                    outcome: Outcome::Replayed,
                    reply: reply?,
                    object: state.key(keyed.key).map(|record| record.object.clone()),
                    ticket: self.journal.append(0, Vec::new()),
                    in_flight: None,
                });
            }
        }
        let effect = Execution {
            state,
            key,
            fault,
            scale: self.scale,
        }
        .run(command?)?;
        let mut line = effect.changes;
        apply_all(state, &line);
        let reply = match fault {
            Some(Fault::ErrorAfter { status }) => Reply::from(Refusal::injected(*status)),
            _ => {
                let reply = self.view(state).reply(&effect.object);
                reply.expect("the object was put into the state just above")
            }
        };
        if let Some(keyed) = keyed {
            let record = Change::Key(record(state, keyed, &reply, &effect.object));
            state.apply(record.clone());
            line.push(record);
        }
        Ok(Done {
            outcome: Outcome::Executed,
            reply,
            object: Some(effect.object),
            ticket: self.journal.append(state.now_ms(), line),
            in_flight: key.map(|key| self.in_flight.begin(key)),
        })
    }

    /// Applies changes made by other ways than a call, and answers once they
    /// are on disk. `plan` reads the state after what was due and yields the
    /// changes and a result.
    pub(super) async fn apply<T>(
        &self,
        plan: impl FnOnce(View<'_>) -> Result<Vec<Change>, Refusal>,
        show: impl FnOnce(View<'_>) -> T,
    ) -> Result<T, ChangeError> {
        let (shown, ticket) = {
            let mut state = lock(&self.state);
            self.apply_due(&mut state);
            let changes = plan(self.view(&state)).map_err(ChangeError::Refused)?;
            apply_all(&mut state, &changes);
            // A clock that was moved brings things due.
            let ticket = self.journal.append(state.now_ms(), changes);
            let ticket = self.apply_due(&mut state).unwrap_or(ticket);
            (show(self.view(&state)), ticket)
        };
        ticket.on_disk().await.map_err(ChangeError::Lost)?;
        Ok(shown)
    }

    /// The ticket of the last line, if anything was due.
    fn apply_due(&self, state: &mut State) -> Option<Ticket> {
        let due = state.due_changes();
        if due.is_empty() {
            return None;
        }
        apply_all(state, &due);
        Some(self.journal.append(state.now_ms(), due))
    }

    fn unrelated(&self, fault: &Fault, object: Option<&ObjectId>) -> Option<Value> {
        if *fault != Fault::OtherPayment {
            return None;
        }
        self.view(&lock(&self.state)).unrelated(object?)
    }

    fn view<'a>(&'a self, state: &'a State) -> View<'a> {
        View {
            state,
            base_url: &self.base_url,
        }
    }
}

/// Why a change by `/control` was not made.
#[derive(Debug)]
pub(super) enum ChangeError {
    Refused(Refusal),
    Lost(LedgerLost),
}

fn apply_all(state: &mut State, changes: &[Change]) {
    for change in changes {
        state.apply(change.clone());
    }
}

fn record(state: &State, keyed: Keyed<'_>, reply: &Reply, object: &ObjectId) -> KeyRecord {
    KeyRecord {
        key: keyed.key.to_owned(),
        path: keyed.path.to_owned(),
        body_sha256: keyed.body_sha256.to_owned(),
        first_ms: state.now_ms(),
        status: reply.status,
        body: reply.body.clone(),
        object: object.clone(),
    }
}

fn check_key(key: &str) -> Result<(), Refusal> {
    if (1..=255).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(());
    }
    Err(Refusal::invalid(
        "idempotency_key_invalid",
        "Idempotency-Key must have from 1 to 255 visible ASCII characters",
    ))
}
