//! P12: amount, currency and account are always compared.

use crate::domain::decide::Event;
use crate::domain::decide::testing::*;
use crate::domain::effect::Role;
use crate::domain::evidence::{Evidence, Shown, Sighting, Source};
use crate::domain::money::{Currency, Money};
use crate::domain::operation::ReviewReason;
use crate::domain::outcome::Fulfilment;
use crate::domain::reference::ProviderAccount;
use crate::domain::state::State;

fn changed(scene: &Scene, change: impl FnOnce(&mut Sighting)) -> Evidence {
    let mut sighting = scene.ours("pay_1", Shown::Done);
    change(&mut sighting);
    evidence(Source::Response, vec![sighting])
}

fn elsewhere() -> ProviderAccount {
    ProviderAccount::parse("other").expect("account")
}

#[test]
fn a_mismatch_settles_nothing_and_forbids_fulfilment() {
    let scene = Scene::charge().submitting();
    let euros = Currency::parse("EUR").expect("currency");
    let of_other_account = Evidence {
        account: elsewhere(),
        ..changed(&scene, |_| {})
    };
    for (evidence, reason) in [
        (
            changed(&scene, |s| s.amount = Some(usd(9_999))),
            ReviewReason::AmountMismatch,
        ),
        (
            changed(&scene, |s| s.amount = None),
            ReviewReason::AmountMismatch,
        ),
        (
            changed(&scene, |s| s.amount = Some(Money::new(euros, 10_000))),
            ReviewReason::CurrencyMismatch,
        ),
        (
            changed(&scene, |s| s.account = Some(elsewhere())),
            ReviewReason::AccountMismatch,
        ),
        (of_other_account, ReviewReason::AccountMismatch),
    ] {
        let mut scene = scene.clone();
        scene.answered(evidence);
        assert_eq!(scene.state(), State::Unknown);
        assert_eq!(scene.case(), Some(reason));
        assert_eq!(scene.record().effects[0].role, Role::Primary);
        let answer = scene.answer();
        assert_eq!(answer.fulfilment, Fulfilment::Forbidden);
    }
}

#[test]
fn a_known_payment_that_shows_another_amount_opens_a_case() {
    let mut scene = Scene::charge().succeeded();
    let event = changed(&scene, |s| s.amount = Some(usd(10_001)));
    scene.hand(&Event::Noticed(event)).expect("never refused");
    assert_eq!(scene.state(), State::Succeeded);
    assert_eq!(scene.case(), Some(ReviewReason::AmountMismatch));
}

#[test]
fn a_payment_that_took_money_is_not_declined_by_what_is_shown_later() {
    for shown in [failed(), Shown::Withdrawn] {
        let mut scene = Scene::charge().submitting();
        let mismatch = changed(&scene, |s| s.amount = Some(usd(9_999)));
        scene.answered(mismatch);
        scene.see("pay_1", shown);
        assert_eq!(scene.state(), State::Unknown);
    }
}
