//! A corrected request after a definitive end (P1, P9).

use crate::domain::decide::Event;
use crate::domain::decide::testing::*;
use crate::domain::evidence::Shown;
use crate::domain::ids::OperationId;
use crate::domain::refusal::Refusal;

fn supersede(scene: &mut Scene) -> Result<(), Refusal> {
    let by = OperationId(scene.new_id());
    scene.hand(&Event::Supersede { by }).map(|_| ())
}

#[test]
fn a_declined_or_canceled_operation_is_superseded_once() {
    for mut scene in [Scene::charge().declined(), Scene::charge().canceled()] {
        supersede(&mut scene).expect("the newest, and over");
        assert!(scene.operation().superseded_by.is_some());
        let operation_id = scene.focus;
        let refused = Err(Refusal::NotSupersedable { operation_id });
        assert_eq!(supersede(&mut scene), refused);
    }
}

#[test]
fn an_unresolved_operation_is_not_superseded() {
    for mut scene in [
        Scene::charge().queued(),
        Scene::charge().submitting(),
        Scene::charge().unknown(),
        Scene::charge().showing(Shown::Processing),
        Scene::charge().showing(action_until(None)),
    ] {
        let operation_id = scene.focus;
        assert_eq!(
            supersede(&mut scene),
            Err(Refusal::Unresolved { operation_id })
        );
    }
}

#[test]
fn a_recorded_or_paid_operation_is_not_superseded() {
    for mut scene in [Scene::charge(), Scene::charge().succeeded()] {
        let operation_id = scene.focus;
        assert_eq!(
            supersede(&mut scene),
            Err(Refusal::NotSupersedable { operation_id })
        );
    }
}

#[test]
fn a_dispute_or_money_not_given_back_blocks_it() {
    let mut disputed = Scene::charge().declined();
    disputed.see("pay_1", Shown::Processing);
    let mut late = Scene::charge().declined();
    late.see("pay_2", Shown::Done);
    for mut scene in [disputed, late] {
        let operation_id = scene.focus;
        assert_eq!(
            supersede(&mut scene),
            Err(Refusal::Unresolved { operation_id })
        );
    }
}

#[test]
fn a_declined_refund_is_not_superseded() {
    let mut scene = Scene::refund().declined();
    let operation_id = scene.focus;
    assert_eq!(
        supersede(&mut scene),
        Err(Refusal::NotSupersedable { operation_id })
    );
}
