//! Every event, in the variants that matter.

use crate::domain::decide::testing::*;
use crate::domain::decide::{Event, Hint};
use crate::domain::evidence::{Evidence, LookUp, Shown, Sighting, Source};
use crate::domain::ids::{AttemptId, OperationId};
use crate::domain::state::State;

/// A line of the table.
pub(super) struct Line {
    pub(super) name: &'static str,
    /// What happened before, where the state allows it.
    pub(super) prepare: fn(&mut Scene),
    pub(super) make: fn(&mut Scene) -> Event,
}

const fn line(name: &'static str, make: fn(&mut Scene) -> Event) -> Line {
    let prepare = |_: &mut Scene| {};
    Line {
        name,
        prepare,
        make,
    }
}

const fn prepared(
    name: &'static str,
    prepare: fn(&mut Scene),
    make: fn(&mut Scene) -> Event,
) -> Line {
    Line {
        name,
        prepare,
        make,
    }
}

pub(super) const EVENTS: &[Line] = &[
    line("Submit", |_| Event::Submit(None)),
    line("Submit, with room for an attempt", |scene| {
        Event::Submit(Some(fresh(scene)))
    }),
    line("Open", |scene| Event::Open(fresh(scene))),
    prepared(
        "Open, after a look-up that would have seen it",
        look_past_lag,
        |scene| Event::Open(fresh(scene)),
    ),
    line("NotSent", not_sent),
    prepared(
        "NotSent, another attempt may have left",
        send_again,
        not_sent,
    ),
    prepared("NotSent, an instruction waits", instruct, not_sent),
    line("Ambiguous", |scene| ambiguous(scene, Hint::default())),
    line("Answered: done", |scene| answered(scene, Shown::Done)),
    line("Answered: processing", |scene| {
        answered(scene, Shown::Processing)
    }),
    line("Answered: customer action", |scene| {
        answered(scene, action_until(None))
    }),
    line("Answered: failed", |scene| answered(scene, failed())),
    line("Answered: withdrawn", |scene| {
        answered(scene, Shown::Withdrawn)
    }),
    line("Answered: request refused, listed", |scene| {
        answer(scene, refusal())
    }),
    prepared(
        "Answered: request refused, another attempt may have left",
        send_again,
        |scene| answer(scene, refusal()),
    ),
    line("Answered: nothing of ours", |scene| {
        answer(scene, nothing_of_ours())
    }),
    line("LookedUp: done", |scene| seen(scene, Shown::Done)),
    line("LookedUp: done, another amount", |scene| {
        let sighting = scene.ours(id_of(scene), Shown::Done);
        let amount = Some(usd(9_999));
        look_up(Sighting { amount, ..sighting })
    }),
    line("LookedUp: done, a second one", |scene| {
        look_up(scene.ours("second_2", Shown::Done))
    }),
    line("LookedUp: done, our order but no key", |scene| {
        let sighting = scene.ours("keyless_3", Shown::Done);
        look_up(Sighting {
            key: None,
            ..sighting
        })
    }),
    line("LookedUp: processing", |scene| {
        seen(scene, Shown::Processing)
    }),
    line("LookedUp: customer action", |scene| {
        seen(scene, action_until(None))
    }),
    line("LookedUp: failed", |scene| seen(scene, failed())),
    line("LookedUp: withdrawn", |scene| seen(scene, Shown::Withdrawn)),
    line("LookedUp: not found, too early", |_| {
        Event::LookedUp(LookUp::NotFound)
    }),
    prepared(
        "LookedUp: not found, the third that counts",
        absent_twice,
        |_| Event::LookedUp(LookUp::NotFound),
    ),
    line("LookedUp: no verdict", |_| {
        Event::LookedUp(LookUp::NoVerdict)
    }),
    prepared("LookedUp: no verdict, after every window", wait, |_| {
        Event::LookedUp(LookUp::NoVerdict)
    }),
    line("LeaseLapsed", |_| Event::LeaseLapsed),
    prepared("Overdue, after every window", wait, |_| Event::Overdue),
    line("Compensate", |scene| compensate(scene, false)),
    line("Compensate, when_resolved", |scene| compensate(scene, true)),
    line("Supersede", |scene| {
        let by = OperationId(scene.new_id());
        Event::Supersede { by }
    }),
];

fn fresh(scene: &mut Scene) -> crate::domain::decide::Opening {
    let attempt = AttemptId(scene.new_id());
    opening(attempt, scene.now)
}

/// The open attempt, or one that nobody knows.
fn attempt(scene: &mut Scene) -> AttemptId {
    let unknown = AttemptId(scene.new_id());
    scene
        .operation()
        .progress
        .open
        .map_or(unknown, |open| open.id)
}

fn not_sent(scene: &mut Scene) -> Event {
    let attempt = attempt(scene);
    Event::NotSent { attempt }
}

fn ambiguous(scene: &mut Scene, hint: Hint) -> Event {
    let attempt = attempt(scene);
    Event::Ambiguous { attempt, hint }
}

fn id_of(scene: &Scene) -> &'static str {
    match scene.operation().intent.kind.is_payment() {
        true => "pay_1",
        false => "re_1",
    }
}

fn answer(scene: &mut Scene, evidence: Evidence) -> Event {
    let attempt = attempt(scene);
    Event::Answered { attempt, evidence }
}

fn answered(scene: &mut Scene, shown: Shown) -> Event {
    let sighting = scene.ours(id_of(scene), shown);
    answer(scene, evidence(Source::Response, vec![sighting]))
}

fn look_up(sighting: Sighting) -> Event {
    Event::LookedUp(found(vec![sighting]))
}

fn seen(scene: &mut Scene, shown: Shown) -> Event {
    look_up(scene.ours(id_of(scene), shown))
}

fn compensate(scene: &mut Scene, when_resolved: bool) -> Event {
    let mut asked = scene.asked("label", None);
    asked.request.when_resolved = when_resolved;
    Event::Compensate(asked)
}

fn look_past_lag(scene: &mut Scene) {
    scene.after(11).not_found();
}

fn send_again(scene: &mut Scene) {
    if scene.state() == State::Unknown {
        look_past_lag(scene);
        scene.open().expect("a resend");
    }
}

fn instruct(scene: &mut Scene) {
    if scene.state() == State::Submitting && scene.operation().intent.kind.is_payment() {
        scene.instruct(None).expect("an instruction");
    }
}

fn absent_twice(scene: &mut Scene) {
    scene.after(90).not_found();
    scene.after(10).not_found();
    scene.after(10);
}

fn wait(scene: &mut Scene) {
    scene.after(8 * 24 * 3600);
}
