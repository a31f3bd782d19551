//! P9, P11 and P12: what evidence may change, and what it may not.

use crate::domain::decide::Hint;
use crate::domain::decide::testing::*;
use crate::domain::effect::Role;
use crate::domain::evidence::{Shown, Sighting, Source};
use crate::domain::kind::Kind;
use crate::domain::operation::ReviewReason;
use crate::domain::state::State;
use crate::domain::time::Instant;

fn roles(scene: &Scene) -> Vec<(&str, Role)> {
    let effects = scene.record().effects.iter();
    effects
        .map(|effect| (effect.provider_payment_id.as_str(), effect.role))
        .collect()
}

#[test]
fn a_late_success_settles_what_was_unknown_and_answers_the_waiting_case() {
    let mut scene = Scene::charge().unknown();
    scene.after(1000).overdue();
    assert!(scene.case().is_some());
    scene.after(10_000);
    let sighting = scene.ours("pay_1", Shown::Done);
    scene.noticed(vec![sighting]);
    assert_eq!((scene.state(), scene.case()), (State::Succeeded, None));
    assert_eq!(roles(&scene), [("pay_1", Role::Primary)]);
}

#[test]
fn evidence_settles_what_was_never_submitted_here() {
    for mut scene in [
        Scene::charge(),
        Scene::charge().queued(),
        Scene::charge().submitting(),
    ] {
        let sighting = scene.ours("pay_1", Shown::Done);
        scene.noticed(vec![sighting]);
        assert_eq!(scene.state(), State::Succeeded);
    }
}

#[test]
fn a_webhook_before_our_own_answer_wins_and_the_answer_adds_nothing() {
    let mut scene = Scene::charge().submitting();
    let sighting = scene.ours("pay_1", Shown::Done);
    scene.noticed(vec![sighting]);
    let processing = scene.ours("pay_1", Shown::Processing);
    scene.answered(evidence(Source::Response, vec![processing]));
    assert_eq!((scene.state(), scene.case()), (State::Succeeded, None));
    assert_eq!(scene.operation().progress.open, None);
}

#[test]
fn repeated_evidence_changes_no_state_and_no_sum() {
    let mut scene = Scene::charge().succeeded();
    let before = scene.record().effects.clone();
    for _ in 0..32 {
        scene.see("pay_1", Shown::Done);
    }
    assert_eq!(scene.record().effects, before);
    assert_eq!((scene.state(), scene.case()), (State::Succeeded, None));
}

#[test]
fn what_succeeded_and_then_failed_keeps_its_state_and_opens_a_case() {
    for shown in [failed(), Shown::Withdrawn] {
        let mut scene = Scene::charge().succeeded();
        scene.see("pay_1", shown);
        assert_eq!(scene.state(), State::Succeeded);
        assert_eq!(scene.case(), Some(ReviewReason::Contradiction));
    }
}

#[test]
fn the_failure_of_another_payment_says_nothing_about_the_one_that_succeeded() {
    let mut scene = Scene::charge().succeeded();
    scene.see("pay_0", failed());
    assert_eq!((scene.state(), scene.case()), (State::Succeeded, None));
}

#[test]
fn money_after_a_decline_or_a_cancellation_is_late_and_opens_a_case() {
    for mut scene in [Scene::charge().declined(), Scene::charge().canceled()] {
        let before = scene.state();
        scene.see("pay_2", Shown::Done);
        assert_eq!(scene.state(), before);
        assert_eq!(scene.case(), Some(ReviewReason::Contradiction));
        assert_eq!(roles(&scene), [("pay_2", Role::Late)]);
        assert!(scene.record().blocks_its_order());
    }
}

#[test]
fn a_late_success_resurrects_no_refunded_operation() {
    let mut refund = Scene::refund().succeeded();
    refund.focus = refund.parent().operation.id;
    refund.see("pay_1", Shown::Done);
    let effect = &refund.record().effects[0];
    assert_eq!(
        (effect.captured, effect.refunded, effect.returned),
        (10_000, 10_000, 0)
    );
    assert_eq!(
        refund.answer().outcome,
        crate::domain::outcome::Outcome::Refunded
    );
}

#[test]
fn a_payment_still_at_work_after_a_decline_is_a_contradiction() {
    let mut scene = Scene::charge().declined();
    scene.see("pay_1", Shown::Processing);
    assert_eq!(scene.state(), State::Declined);
    assert_eq!(scene.case(), Some(ReviewReason::Contradiction));
}

#[test]
fn a_declined_payment_that_can_still_take_money_is_pending_meanwhile() {
    let mut scene = Scene::charge().unknown();
    let dead = scene.ours("pay_1", failed());
    let alive = scene.ours("pay_2", Shown::Processing);
    scene.looked_up(found(vec![dead, alive]));
    assert_eq!(scene.state(), State::Pending);
}

#[test]
fn a_payment_with_neither_our_key_nor_our_id_only_opens_a_case() {
    let mut scene = Scene::charge().unknown();
    let mut keyless = scene.ours("pay_x", Shown::Done);
    keyless.key = None;
    scene.looked_up(found(vec![keyless]));
    assert_eq!(scene.state(), State::Unknown);
    assert_eq!(scene.case(), Some(ReviewReason::ReferenceOnlyMatch));
    assert!(scene.record().effects.is_empty());
}

#[test]
fn a_payment_known_by_its_id_is_ours_without_a_key() {
    let mut scene = Scene::charge().showing(Shown::Processing);
    let mut keyless = scene.ours("pay_1", Shown::Done);
    keyless.key = None;
    scene.looked_up(found(vec![keyless]));
    assert_eq!((scene.state(), scene.case()), (State::Succeeded, None));
}

#[test]
fn of_two_payments_found_together_the_oldest_is_primary_and_a_person_is_asked() {
    let mut scene = Scene::charge().unknown();
    let made = |second| Some(Instant(START.0 + second));
    let young = Sighting {
        made_at: made(2),
        ..scene.ours("pay_young", Shown::Done)
    };
    let old = Sighting {
        made_at: made(1),
        ..scene.ours("pay_old", Shown::Done)
    };
    scene.looked_up(found(vec![young, old]));
    assert_eq!(scene.state(), State::Succeeded);
    assert_eq!(scene.case(), Some(ReviewReason::DuplicateEffect));
    assert_eq!(
        roles(&scene),
        [("pay_old", Role::Primary), ("pay_young", Role::Duplicate)]
    );
    assert_eq!(
        scene.operation().provider_payment_id,
        Some(payment("pay_old"))
    );
}

#[test]
fn a_second_payment_found_later_is_a_duplicate() {
    let mut scene = Scene::charge().succeeded();
    scene.see("pay_2", Shown::Done);
    assert_eq!(scene.case(), Some(ReviewReason::DuplicateEffect));
    assert_eq!(
        roles(&scene),
        [("pay_1", Role::Primary), ("pay_2", Role::Duplicate)]
    );
}

#[test]
fn the_payment_that_holds_money_gives_its_id_not_an_older_failed_one() {
    let mut scene = Scene::charge().unknown();
    let dead = scene.ours("pay_dead", failed());
    let paid = Sighting {
        made_at: Some(START),
        ..scene.ours("pay_paid", Shown::Done)
    };
    scene.looked_up(found(vec![dead, paid]));
    assert_eq!(scene.state(), State::Succeeded);
    assert_eq!(
        scene.operation().provider_payment_id,
        Some(payment("pay_paid"))
    );
}

#[test]
fn money_held_where_it_was_to_be_taken_is_for_a_person() {
    let mut scene = Scene::charge().submitting();
    let held = scene.ours("pay_1", Shown::Held);
    scene.answered(evidence(Source::Response, vec![held]));
    assert_eq!(scene.state(), State::Unknown);
    assert_eq!(scene.case(), Some(ReviewReason::Contradiction));
}

#[test]
fn a_disagreement_takes_the_place_of_a_case_that_only_waits() {
    let mut scene = Scene::charge().unknown();
    scene.after(1000).overdue();
    let waiting = scene.operation().review.clone().expect("a case");
    let mismatch = Sighting {
        amount: Some(usd(1)),
        ..scene.ours("pay_1", Shown::Done)
    };
    scene.noticed(vec![mismatch]);
    let open = scene.operation().review.clone().expect("a case");
    assert_eq!(open.reason, ReviewReason::AmountMismatch);
    assert_ne!(open.case_id, waiting.case_id);
    scene.after(1000).overdue();
    assert_eq!(
        scene.operation().review,
        Some(open),
        "and is displaced by none"
    );
}

#[test]
fn in_flight_twice_is_a_sign_and_success_follows() {
    let mut scene = Scene::charge().unknown();
    scene.after(11).not_found();
    scene.open().expect("a resend");
    scene.ambiguous(Hint {
        sign: true,
        ..Hint::default()
    });
    assert_eq!(scene.state(), State::Unknown);
    scene.after(5).see("pay_1", Shown::Done);
    assert_eq!(scene.state(), State::Succeeded);
}

#[test]
fn a_hold_that_turns_out_to_be_taken_opens_a_case() {
    let mut scene = Scene::payment(Kind::Authorize, "purchase", stripe_like());
    scene = scene.showing(Shown::Held);
    scene.see("pay_1", Shown::Done);
    assert_eq!(scene.state(), State::Authorized);
    assert_eq!(scene.case(), Some(ReviewReason::Contradiction));
}

#[test]
fn what_was_refunded_and_is_then_shown_as_failed_opens_a_case() {
    let mut scene = Scene::refund().succeeded();
    scene.focus = scene.parent().operation.id;
    scene.see("pay_1", failed());
    assert_eq!(scene.state(), State::Succeeded);
    assert_eq!(scene.case(), Some(ReviewReason::Contradiction));
}

#[test]
fn money_never_moves_a_voided_operation() {
    let mut scene = Scene::charge().forced(State::Voided);
    scene.see("pay_1", Shown::Done);
    assert_eq!(scene.state(), State::Voided);
    assert_eq!(scene.case(), Some(ReviewReason::Contradiction));
}
