//! Where several refusals apply, the one that stands first is given.

use crate::domain::decide::testing::*;
use crate::domain::decide::{Compensation, Event};
use crate::domain::evidence::Shown;
use crate::domain::money::Currency;
use crate::domain::refusal::Refusal;

fn rank(refusal: &Refusal) -> usize {
    match refusal {
        Refusal::NotFound => 0,
        Refusal::KeyReused { .. } => 1,
        Refusal::InvalidField { .. } => 2,
        Refusal::Unresolved { .. } => 3,
        Refusal::NotSupersedable { .. } => 4,
        Refusal::NotConfirmed { .. } => 5,
        Refusal::ExceedsCaptured { .. } => 6,
        Refusal::NoPlace(_) => 7,
    }
}

/// What is wrong with a `Compensate`, each refused by itself.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    OtherTerms,
    OtherCurrency,
    NoAmount,
    Unresolved,
    NoSuchEffect,
    TooMuch,
}

impl Fault {
    const ALL: [Fault; 6] = [
        Fault::OtherTerms,
        Fault::OtherCurrency,
        Fault::NoAmount,
        Fault::Unresolved,
        Fault::NoSuchEffect,
        Fault::TooMuch,
    ];

    fn rank(self) -> usize {
        match self {
            Fault::OtherTerms => 1,
            Fault::OtherCurrency | Fault::NoAmount => 2,
            Fault::Unresolved => 3,
            Fault::NoSuchEffect => 5,
            Fault::TooMuch => 6,
        }
    }

    fn put(self, asked: &mut Compensation) {
        let request = &mut asked.request;
        let amount = request.amount.get_or_insert(usd(2));
        match self {
            Fault::OtherTerms | Fault::Unresolved => {}
            Fault::OtherCurrency => amount.currency = Currency::parse("EUR").expect("currency"),
            Fault::NoAmount => amount.minor_units = 0,
            Fault::NoSuchEffect => request.provider_payment_id = Some(payment("pay_9")),
            Fault::TooMuch => amount.minor_units = 10_001,
        }
    }

    /// An amount cannot be too small and too large.
    fn excludes(self, other: Fault) -> bool {
        let either = |fault| self == fault || other == fault;
        either(Fault::NoAmount) && either(Fault::TooMuch)
    }
}

/// A subject that has the faults that lie in it.
fn scene_for(faults: &[Fault]) -> Scene {
    if faults.contains(&Fault::OtherTerms) {
        let mut scene = Scene::charge().unknown();
        let mut standing = scene.asked("label", Some(1));
        standing.request.when_resolved = true;
        scene
            .hand(&Event::Compensate(standing))
            .expect("an instruction");
        return scene;
    }
    let mut scene = Scene::charge().succeeded();
    if faults.contains(&Fault::Unresolved) {
        scene.compensate("first", Some(1)).expect("a refund");
    }
    scene
}

fn refused(faults: &[Fault]) -> Refusal {
    let mut scene = scene_for(faults);
    let mut asked = scene.asked("label", Some(2));
    faults.iter().for_each(|fault| fault.put(&mut asked));
    let refused = scene.hand(&Event::Compensate(asked));
    refused.expect_err("each of them is refused")
}

#[test]
fn of_every_two_faults_the_first_in_order_is_told() {
    for one in Fault::ALL {
        assert_eq!(rank(&refused(&[one])), one.rank(), "{one:?}");
        for other in Fault::ALL.into_iter().filter(|other| !one.excludes(*other)) {
            let expected = one.rank().min(other.rank());
            let got = refused(&[one, other]);
            assert_eq!(rank(&got), expected, "{one:?} and {other:?}: {got}");
        }
    }
}

#[test]
fn superseding_tells_unresolved_before_not_supersedable() {
    let mut scene = Scene::charge().declined();
    let by = crate::domain::ids::OperationId(scene.new_id());
    scene
        .hand(&Event::Supersede { by })
        .expect("the first time");
    scene.see("pay_2", Shown::Done);
    let refused = scene.hand(&Event::Supersede { by });
    assert_eq!(refused.map_err(|r| rank(&r)), Err(3));
}

#[test]
fn a_refund_cannot_be_compensated() {
    let mut scene = Scene::refund().succeeded();
    let refused = scene.compensate("back", None);
    assert_eq!(refused.map_err(|r| rank(&r)), Err(2));
}

#[test]
fn a_held_payment_is_not_refunded() {
    let kind = crate::domain::kind::Kind::Authorize;
    let mut scene = Scene::payment(kind, "purchase", stripe_like()).showing(Shown::Held);
    let refused = scene.compensate("back", None);
    assert_eq!(refused.map_err(|r| rank(&r)), Err(5));
}

#[test]
fn a_part_of_what_was_never_sent_cannot_be_canceled() {
    let mut scene = Scene::charge().queued();
    let refused = scene.compensate("part", Some(1));
    assert!(matches!(
        refused,
        Err(Refusal::InvalidField {
            field: "amount",
            ..
        })
    ));
    scene.compensate("whole", Some(10_000)).expect("all of it");
    assert_eq!(scene.state(), crate::domain::state::State::Canceled);
}

#[test]
fn what_was_declined_has_nothing_to_give_back() {
    let mut scene = Scene::charge().declined();
    let decision = scene.asked("back", None);
    let decision = scene.hand(&Event::Compensate(decision)).expect("no error");
    assert!(decision.is_nothing());
}

#[test]
fn money_under_the_key_of_what_was_never_sent_is_not_canceled_away() {
    for mut scene in [Scene::charge(), Scene::charge().queued()] {
        let mut other = scene.ours("pay_1", Shown::Done);
        other.amount = Some(usd(9_999));
        scene.noticed(vec![other]);
        let refund = scene
            .compensate("back", None)
            .expect("the effect is confirmed");
        assert_eq!(
            scene.kept[&refund].record.operation.intent.amount,
            usd(9_999)
        );
        assert_ne!(scene.state(), crate::domain::state::State::Canceled);
    }
}
