//! What callers read in each situation.

use super::row;
use crate::domain::decide::testing::*;
use crate::domain::evidence::{Shown, Sighting};
use crate::domain::kind::Kind;
use crate::domain::outcome::answer;
use crate::domain::state::State;

fn changed(mut scene: Scene, change: impl FnOnce(&mut Scene)) -> Scene {
    change(&mut scene);
    scene
}

fn behind(refund: Scene) -> Scene {
    changed(refund, |scene| scene.focus = scene.parent().operation.id)
}

fn payments() -> Vec<(&'static str, Scene)> {
    let authorize = || Scene::payment(Kind::Authorize, "purchase", stripe_like());
    let part = || Scene::charge().succeeded().refunding(Some(4_000));
    vec![
        ("CREATED", Scene::charge()),
        ("QUEUED", Scene::charge().queued()),
        ("SUBMITTING", Scene::charge().submitting()),
        ("UNKNOWN", Scene::charge().unknown()),
        (
            "UNKNOWN, a case waits for the outcome",
            changed(Scene::charge().unknown(), |scene| {
                scene.after(900).overdue();
            }),
        ),
        (
            "UNKNOWN, another amount was shown",
            changed(Scene::charge().unknown(), |scene| {
                let amount = Some(usd(9_999));
                let sighting = scene.ours("pay_1", Shown::Done);
                scene.noticed(vec![Sighting { amount, ..sighting }]);
            }),
        ),
        (
            "UNKNOWN, an instruction waits",
            changed(Scene::charge().unknown(), |scene| {
                scene.instruct(None).expect("an instruction");
            }),
        ),
        ("PENDING", Scene::charge().showing(Shown::Processing)),
        (
            "REQUIRES_ACTION",
            Scene::charge().showing(action_until(None)),
        ),
        ("AUTHORIZED", authorize().showing(Shown::Held)),
        ("SUCCEEDED", Scene::charge().succeeded()),
        (
            "SUCCEEDED, then shown as failed",
            changed(Scene::charge().succeeded(), |scene| {
                scene.see("pay_1", failed());
            }),
        ),
        (
            "SUCCEEDED, and a duplicate found",
            changed(Scene::charge().succeeded(), |scene| {
                scene.see("pay_2", Shown::Done);
            }),
        ),
        (
            "SUCCEEDED, a full refund under way",
            behind(Scene::refund()),
        ),
        (
            "SUCCEEDED, a full refund refused",
            behind(Scene::refund().declined()),
        ),
        ("SUCCEEDED, a partial refund under way", behind(part())),
        ("SUCCEEDED, part given back", behind(part().succeeded())),
        (
            "SUCCEEDED, all given back",
            behind(Scene::refund().succeeded()),
        ),
        ("DECLINED", Scene::charge().declined()),
        (
            "DECLINED, and money turned up",
            changed(Scene::charge().declined(), |scene| {
                scene.see("pay_2", Shown::Done);
            }),
        ),
        ("CANCELED", Scene::charge().canceled()),
        ("VOIDED", authorize().forced(State::Voided)),
    ]
}

fn refunds() -> Vec<(&'static str, Scene)> {
    vec![
        ("REFUND, QUEUED", Scene::refund()),
        ("REFUND, UNKNOWN", Scene::refund().unknown()),
        ("REFUND, SUCCEEDED", Scene::refund().succeeded()),
        (
            "REFUND, SUCCEEDED and come back",
            changed(Scene::refund().succeeded(), |scene| {
                scene.see("re_1", failed());
            }),
        ),
        ("REFUND, DECLINED", Scene::refund().declined()),
        ("REFUND, CANCELED", Scene::refund().canceled()),
    ]
}

/// `OfferAnotherMethod` as `OFFER_ANOTHER_METHOD`.
fn wire_name(name: impl std::fmt::Debug) -> String {
    let mut wire = String::new();
    for letter in format!("{name:?}").chars() {
        if letter.is_ascii_uppercase() && !wire.is_empty() {
            wire.push('_');
        }
        wire.push(letter.to_ascii_uppercase());
    }
    wire
}

pub(super) fn table() -> String {
    let heads = [
        "situation",
        "outcome",
        "safe_next_action",
        "fulfilment",
        "final",
    ];
    let mut table = row(heads.map(str::to_owned));
    table += &row(heads.map(|_| "---".to_owned()));
    for (situation, scene) in payments().into_iter().chain(refunds()) {
        let read = answer(scene.record());
        table += &row([
            situation.to_owned(),
            wire_name(read.outcome),
            wire_name(read.safe_next_action),
            wire_name(read.fulfilment),
            if read.is_final { "yes" } else { "no" }.to_owned(),
        ]);
    }
    table
}
