//! Random sequences of events, and how they are played.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::domain::decide::testing::*;
use crate::domain::decide::{Event, Hint};
use crate::domain::evidence::{Evidence, LookUp, Shown, Sighting, Source};
use crate::domain::ids::{AttemptId, OperationId};
use crate::domain::profile::Policy;
use crate::domain::provider_key::ProviderKey;

/// One thing that happens to one of the order's rows.
#[derive(Clone, Debug)]
pub(super) struct Move {
    /// Which row, by its place; the payment's is the first.
    row: usize,
    /// Seconds since the last one.
    pause: u64,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Submit {
        open: bool,
    },
    Open,
    NotSent,
    Ambiguous(Hint),
    Answered(Seen),
    LookedUp(Option<Seen>),
    NoVerdict,
    Noticed(Seen),
    LeaseLapsed,
    Overdue,
    Compensate {
        label: u8,
        amount: Option<i64>,
        named: Option<u8>,
        later: bool,
    },
    Supersede,
}

#[derive(Clone, Debug)]
struct Seen {
    sightings: Vec<SeenOne>,
    refused: bool,
}

#[derive(Clone, Debug)]
struct SeenOne {
    id: u8,
    ours: bool,
    keyless: bool,
    shown: u8,
    /// How far the shown amount is from ours.
    off: i64,
    given_back: i64,
    made_at: Option<i64>,
}

fn seen_one() -> impl Strategy<Value = SeenOne> {
    let off = prop_oneof![8 => Just(0_i64), 1 => -5_000..5_000_i64];
    let flags = (prop::bool::weighted(0.9), prop::bool::weighted(0.1));
    let back = prop_oneof![4 => Just(0_i64), 1 => 0..20_000_i64];
    let made = prop::option::of(0..5_i64);
    (0..3_u8, flags, 0..6_u8, off, back, made).prop_map(
        |(id, (ours, keyless), shown, off, given_back, made_at)| SeenOne {
            id,
            ours,
            keyless,
            shown,
            off,
            given_back,
            made_at,
        },
    )
}

fn seen() -> impl Strategy<Value = Seen> {
    let few = prop_oneof![1 => vec(seen_one(), 0..1), 6 => vec(seen_one(), 1..2), 2 => vec(seen_one(), 2..4)];
    (few, prop::bool::weighted(0.2)).prop_map(|(sightings, refused)| Seen { sightings, refused })
}

fn hint() -> impl Strategy<Value = Hint> {
    let wait = prop::option::weighted(0.2, 0..300_u64);
    (prop::bool::weighted(0.2), prop::bool::weighted(0.2), wait).prop_map(
        |(sign, replayed_failure, wait)| Hint {
            sign,
            replayed_failure,
            retry_after: wait.map(secs),
        },
    )
}

fn what() -> impl Strategy<Value = What> {
    prop_oneof![
        3 => any::<bool>().prop_map(|open| What::Submit { open }),
        6 => Just(What::Open),
        2 => Just(What::NotSent),
        4 => hint().prop_map(What::Ambiguous),
        4 => seen().prop_map(What::Answered),
        5 => Just(What::LookedUp(None)),
        3 => seen().prop_map(|seen| What::LookedUp(Some(seen))),
        1 => Just(What::NoVerdict),
        3 => seen().prop_map(What::Noticed),
        2 => Just(What::LeaseLapsed),
        2 => Just(What::Overdue),
        4 => (0..3_u8, prop::option::of(1..12_000_i64), prop::option::weighted(0.2, 0..3_u8), any::<bool>())
            .prop_map(|(label, amount, named, later)| What::Compensate { label, amount, named, later }),
        1 => Just(What::Supersede),
    ]
}

pub(super) fn moves() -> impl Strategy<Value = Vec<Move>> {
    let pause = prop_oneof![3 => Just(0), 4 => 1..30_u64, 3 => 30..200_u64, 1 => 200..100_000_u64];
    let one = (0..3_usize, pause, what()).prop_map(|(row, pause, what)| Move { row, pause, what });
    vec(one, 1..40)
}

pub(super) fn policy() -> impl Strategy<Value = Policy> {
    prop_oneof![
        4 => Just(stripe_like()),
        1 => Just(no_idempotency()),
        1 => Just(report_only()),
        1 => Just(lag_unknown()),
        1 => Just(bound_assumed()),
    ]
}

fn shown(number: u8, now: u64) -> Shown {
    match number {
        0 => Shown::Done,
        1 => Shown::Held,
        2 => Shown::Processing,
        3 => action_until(Some(START + secs(now))),
        4 => failed(),
        _ => Shown::Withdrawn,
    }
}

fn show(scene: &Scene, seen: &Seen, source: Source) -> Evidence {
    let one = |seen: &SeenOne| {
        let ours = scene.ours(&format!("id_{}", seen.id), shown(seen.shown, 60));
        let theirs = ProviderKey::stored("po-theirs".to_owned());
        let amount = ours
            .amount
            .map(|amount| usd((amount.minor_units + seen.off).max(0)));
        Sighting {
            key: match (seen.keyless, seen.ours) {
                (true, _) => None,
                (false, true) => ours.key.clone(),
                (false, false) => Some(theirs),
            },
            amount,
            given_back: seen.given_back,
            made_at: seen
                .made_at
                .map(|second| START + secs(second.unsigned_abs())),
            ..ours
        }
    };
    Evidence {
        refused: seen.refused.then(insufficient_funds),
        ..evidence(source, seen.sightings.iter().map(one).collect())
    }
}

/// What the row's worker or caller would hand over; `None` where it has
/// nothing to hand over.
fn event(scene: &mut Scene, what: &What) -> Option<Event> {
    let open = scene.operation().progress.open.map(|open| open.id);
    let fresh = AttemptId(scene.new_id());
    let now = scene.now;
    Some(match what {
        What::Submit { open } => Event::Submit(open.then(|| opening(fresh, now))),
        What::Open => Event::Open(opening(fresh, now)),
        What::NotSent => Event::NotSent { attempt: open? },
        What::Ambiguous(hint) => Event::Ambiguous {
            attempt: open?,
            hint: *hint,
        },
        What::Answered(seen) => Event::Answered {
            attempt: open.unwrap_or(fresh),
            evidence: show(scene, seen, Source::Response),
        },
        What::LookedUp(None) => Event::LookedUp(LookUp::NotFound),
        What::LookedUp(Some(seen)) => {
            Event::LookedUp(LookUp::Found(show(scene, seen, Source::LookUp)))
        }
        What::NoVerdict => Event::LookedUp(LookUp::NoVerdict),
        What::Noticed(seen) => Event::Noticed(show(scene, seen, Source::Webhook)),
        What::LeaseLapsed => Event::LeaseLapsed,
        What::Overdue => Event::Overdue,
        What::Compensate {
            label,
            amount,
            named,
            later,
        } => {
            let mut asked = scene.asked(&format!("label-{label}"), *amount);
            asked.request.provider_payment_id = named.map(|id| payment(&format!("id_{id}")));
            asked.request.when_resolved = *later;
            Event::Compensate(asked)
        }
        What::Supersede => Event::Supersede {
            by: OperationId(scene.new_id()),
        },
    })
}

/// The engine returns a compensation that exists already.
fn has_label(scene: &Scene, event: &Event) -> bool {
    let Event::Compensate(asked) = event else {
        return false;
    };
    let labels = scene
        .kept
        .values()
        .map(|kept| &kept.record.operation.intent.label);
    labels
        .into_iter()
        .any(|label| label.as_ref() == Some(&asked.request.label))
}

/// Plays the moves and calls `check` with the rows before and after each.
pub(super) fn play(policy: Policy, moves: &[Move], mut check: impl FnMut(&Scene, &Scene)) -> Scene {
    let mut scene = Scene::charge_at(policy);
    let payment = scene.focus;
    for step in moves {
        let mut rows: Vec<OperationId> = scene.kept.keys().copied().collect();
        rows.sort_by_key(|id| *id != payment);
        scene.focus = rows[step.row.min(rows.len() - 1)];
        scene.after(step.pause);
        if let Some(event) = event(&mut scene, &step.what)
            && !has_label(&scene, &event)
        {
            let before = scene.clone();
            let _refused = scene.hand(&event);
            check(&before, &scene);
        }
    }
    scene
}
