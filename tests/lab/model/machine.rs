//! What can happen next, and what it makes of the world.

use payonce::domain::decide::Event;
use payonce::domain::evidence::Source;
use payonce::domain::schedule::Step;
use stateright::{Model, Property};

use super::caller::{Call, Command};
use super::promises;
use super::provider::Verdict;
use super::setting::{Setting, at};
use super::worker::{Finding, Sight, Worker};
use super::world::{Row, World};

/// One thing that happens. Workers are alike: a number names one only until
/// the next thing happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// One tick passes; several where nothing is on its way and nothing due.
    Tick,
    /// A caller reads and decides; if callers are not slow, it commits too.
    Ask { place: usize, command: Command },
    /// A caller's commit reaches the store.
    Commit { call: usize },
    /// A worker takes the lease of a due row.
    Claim { worker: usize, row: usize },
    /// The same, and the step that is due, and what comes of it, at once.
    Resolve {
        worker: usize,
        row: usize,
        sight: Sight,
    },
    /// It takes the step that it planned.
    Take {
        worker: usize,
        step: Option<Step>,
        sight: Sight,
    },
    /// It writes its request.
    Write { worker: usize },
    /// It cannot, or may no longer.
    NotSent { worker: usize },
    /// It waits no longer for an answer.
    NoAnswer { worker: usize },
    /// The answer reaches it.
    Answer { worker: usize },
    /// It records what it holds.
    Record { worker: usize },
    /// It dies, and all that it knew with it.
    Crash { worker: usize },
    /// A request takes effect at the provider.
    Effect { copy: usize, verdict: Free },
    /// The provider tells about an entry.
    Webhook { entry: usize },
}

/// What becomes of a request; `Replay` where its key decides that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Free {
    Replay,
    Choose(Verdict),
}

impl Model for Setting {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        vec![World::begin(self)]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        if world.now >= self.bounds.end {
            return;
        }
        self.caller_actions(world, actions);
        self.provider_actions(world, actions);
        for worker in 0..world.workers.len() {
            self.worker_actions(world, worker, actions);
        }
        if self.may_pass(world) {
            actions.push(Action::Tick);
        }
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let mut next = world.clone();
        self.happen(&mut next, action);
        Some(next.levelled(&self.truth))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        promises::all()
    }
}

impl Setting {
    fn is_calm(&self, world: &World) -> bool {
        world.now >= self.bounds.calm_from
    }

    fn caller_actions(&self, world: &World, actions: &mut Vec<Action>) {
        for (place, command) in self.story.commands().iter().enumerate() {
            if world.now > self.bounds.asked_until {
                break;
            }
            let given = world.spent.commands & (1 << place) != 0;
            let room = self.bounds.slow_callers || self.has_hands(world, *command);
            if !given && room && world.decided(self, *command).is_some() {
                let command = *command;
                actions.push(Action::Ask { place, command });
            }
        }
        for (call, asked) in world.calls.iter().enumerate() {
            if !asked.commit.opens() || world.idle_worker().is_some() {
                actions.push(Action::Commit { call });
            }
        }
    }

    /// A command that sends needs a worker that is free.
    fn has_hands(&self, world: &World, command: Command) -> bool {
        let sends = match command {
            Command::Submit { send } | Command::Compensate { send, .. } => send,
            Command::Supersede => true,
        };
        !sends || world.idle_worker().is_some()
    }

    fn provider_actions(&self, world: &World, actions: &mut Vec<Action>) {
        let provider = &world.provider;
        for (copy, sent) in provider.copies.iter().enumerate() {
            if sent.answer.is_some() {
                continue;
            }
            let choose = |verdict| Action::Effect {
                copy,
                verdict: Free::Choose(verdict),
            };
            if provider.is_free(sent.attempt, world.now, &self.truth) {
                actions.push(choose(Verdict::Do));
                if self.bounds.declines {
                    actions.push(choose(Verdict::Decline));
                }
                if self.bounds.refusals {
                    actions.push(choose(Verdict::Refuse));
                }
            } else {
                let verdict = Free::Replay;
                actions.push(Action::Effect { copy, verdict });
            }
        }
        if world.spent.webhooks < self.bounds.webhooks {
            actions.extend((0..provider.entries.len()).map(|entry| Action::Webhook { entry }));
        }
    }

    fn worker_actions(&self, world: &World, worker: usize, actions: &mut Vec<Action>) {
        let bounds = &self.bounds;
        match &world.workers[worker] {
            Worker::Idle => {
                // Workers are alike: the first that is free claims.
                if world.idle_worker() == Some(worker) {
                    self.claims(world, worker, actions);
                }
                return;
            }
            Worker::Claimed { row, .. } => {
                let step = world.planned(self, worker);
                for sight in self.sights(world, *row, step) {
                    actions.push(Action::Take {
                        worker,
                        step,
                        sight,
                    });
                }
            }
            Worker::Ready { opened_at, .. } => {
                let timings = &self.policy.timings;
                let room = timings.lease.saturating_sub(timings.provider_deadline);
                let late = at(world.now) > at(*opened_at) + room;
                if world.now <= opened_at + self.truth.pause
                    && world.provider.on_their_way() < bounds.copies
                {
                    actions.push(Action::Write { worker });
                }
                if late || world.spent.not_sent < bounds.not_sent {
                    actions.push(Action::NotSent { worker });
                }
            }
            Worker::Waiting { .. } => {
                if bounds.answers && world.answer_for(worker).is_some() {
                    actions.push(Action::Answer { worker });
                }
                actions.push(Action::NoAnswer { worker });
            }
            Worker::Home { .. } => actions.push(Action::Record { worker }),
        }
        if !self.is_calm(world) && world.spent.crashes < bounds.crashes {
            actions.push(Action::Crash { worker });
        }
    }

    /// Once it is calm, nothing that comes between the parts of a step would
    /// make a difference: the provider knows nothing of our rows, and we know
    /// of its ledger what one look-up reads.
    fn claims(&self, world: &World, worker: usize, actions: &mut Vec<Action>) {
        for row in (0..world.rows.len()).filter(|row| world.is_claimable(*row)) {
            if !self.is_calm(world) {
                actions.push(Action::Claim { worker, row });
                continue;
            }
            let operation = &world.rows[row].record.operation;
            let step = self.wrong.plan(operation, &self.policy, at(world.now));
            for sight in self.sights(world, row, step) {
                actions.push(Action::Resolve { worker, row, sight });
            }
        }
    }

    fn sights(&self, world: &World, row: usize, step: Option<Step>) -> Vec<Sight> {
        if step != Some(Step::LookUp) {
            return vec![Sight::Fresh];
        }
        let mut sights = vec![Sight::Fresh];
        if world.shown(row, true, &self.truth) != world.shown(row, false, &self.truth) {
            sights.push(Sight::Lagging);
        }
        if world.spent.lost_look_ups < self.bounds.lost_look_ups {
            sights.push(Sight::Lost);
        }
        sights
    }

    /// Before it is calm, time passes whenever it likes. Afterwards only when
    /// everybody has done what is to be done, but for pauses before sending
    /// (within P) where the bounds have them.
    fn may_pass(&self, world: &World) -> bool {
        if world.spent.commands == 0 || self.is_over(world) {
            return false;
        }
        if !self.is_calm(world) {
            return true;
        }
        let due = (0..world.rows.len()).any(|row| world.is_claimable(row));
        let at_rest = |worker: &Worker| match worker {
            Worker::Idle => !due,
            Worker::Ready { opened_at, .. } => {
                let full = world.provider.on_their_way() >= self.bounds.copies;
                let may_wait = self.bounds.pauses_when_calm || full;
                may_wait && world.now < opened_at + self.truth.pause
            }
            Worker::Claimed { .. } | Worker::Waiting { .. } | Worker::Home { .. } => false,
        };
        world.calls.is_empty() && world.workers.iter().all(at_rest)
    }

    /// Whatever time may still bring, it brings to nobody.
    fn is_over(&self, world: &World) -> bool {
        let rests = |row: &Row| row.record.operation.next_check_at.is_none();
        world.calls.is_empty()
            && world.provider.on_their_way() == 0
            && world.workers.iter().all(|it| *it == Worker::Idle)
            && world.rows.iter().all(rests)
    }

    /// How far time goes on.
    fn next_tick(&self, world: &World) -> u8 {
        let busy = world.workers.iter().any(|it| *it != Worker::Idle);
        let next = world.now + 1;
        if !self.is_calm(world) || busy || world.provider.on_their_way() > 0 {
            return next;
        }
        let due = world.rows.iter().filter_map(Row::due_at).min();
        let due = due.and_then(|at| u8::try_from(at.0).ok());
        due.unwrap_or(self.bounds.end).clamp(next, self.bounds.end)
    }

    fn happen(&self, world: &mut World, action: Action) {
        match action {
            Action::Tick => {
                world.now = self.next_tick(world);
                world.provider.forget_lost(world.now, &self.truth);
            }
            Action::Ask { place, command } => self.ask(world, place, command),
            Action::Commit { call } => {
                let call = world.calls.remove(call);
                self.committed(world, &call);
            }
            Action::Claim { worker, row } => world.claimed(self, worker, row),
            Action::Resolve { worker, row, sight } => {
                world.claimed(self, worker, row);
                world.step(self, worker, sight);
                world.bring_home(self, worker);
            }
            Action::Take { worker, sight, .. } => world.step(self, worker, sight),
            Action::Write { worker } => world.write_request(worker),
            Action::NotSent { worker } => self.not_sent(world, worker),
            Action::NoAnswer { worker } => world.brings(worker, Finding::NoAnswer),
            Action::Answer { worker } => {
                if let Some(answer) = world.answer_for(worker) {
                    world.brings(worker, |attempt| Finding::Answered(attempt, answer));
                }
            }
            Action::Record { worker } => world.bring_home(self, worker),
            Action::Crash { worker } => {
                world.spent.crashes += 1;
                world.workers[worker] = Worker::Idle;
            }
            Action::Effect { copy, verdict } => self.effect(world, copy, verdict),
            Action::Webhook { entry } => self.webhook(world, entry),
        }
    }

    fn ask(&self, world: &mut World, place: usize, command: Command) {
        let Some(commit) = world.decided(self, command) else {
            return;
        };
        world.spent.commands |= 1 << place;
        let call = Call { commit, place };
        if self.bounds.slow_callers {
            world.calls.push(call);
        } else {
            self.committed(world, &call);
        }
    }

    /// Applied, or stale: then the caller may ask again.
    fn committed(&self, world: &mut World, call: &Call) {
        match world.commit(self, &call.commit) {
            Some(opened) => {
                if let Some(worker) = world.idle_worker() {
                    world.hand_out(worker, &opened);
                }
            }
            None => world.spent.commands &= !(1 << call.place),
        }
    }

    fn not_sent(&self, world: &mut World, worker: usize) {
        let timings = &self.policy.timings;
        let room = timings.lease.saturating_sub(timings.provider_deadline);
        if let Worker::Ready { opened_at, .. } = world.workers[worker] {
            world.spent.not_sent += u8::from(at(world.now) <= at(opened_at) + room);
        }
        world.brings(worker, Finding::NotSent);
    }

    fn effect(&self, world: &mut World, copy: usize, verdict: Free) {
        let row = world.provider.copies[copy].attempt.row;
        let money = world.money_of(row);
        let verdict = match verdict {
            Free::Choose(verdict) => verdict,
            Free::Replay => Verdict::Do,
        };
        let now = world.now;
        world
            .provider
            .execute(copy, verdict, money, now, &self.truth);
    }

    fn webhook(&self, world: &mut World, entry: usize) {
        world.spent.webhooks += 1;
        let row = world.provider.entries[entry].row;
        let glimpse = world.provider.glimpse(entry);
        let event = Event::Noticed(world.evidence(Source::Webhook, &[glimpse]));
        world.weigh(self, row, None, &event, false);
    }
}
