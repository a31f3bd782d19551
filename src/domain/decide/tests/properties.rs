//! What holds after any sequence of events, whoever hands them over and when.

mod moves;

use proptest::prelude::*;

use crate::domain::decide::testing::*;
use crate::domain::ledger::replay;
use crate::domain::operation::{Lease, Record};
use crate::domain::profile::MAX_RESENDS;
use crate::domain::state::State;
use moves::{moves, play, policy};

fn records(scene: &Scene) -> impl Iterator<Item = &Record> {
    scene.kept.values().map(|kept| &kept.record)
}

fn given_back_stays_within(record: &Record) {
    for effect in &record.effects {
        let ours = effect.refunded + effect.refund_pending;
        assert!(0 <= ours && ours <= effect.captured, "{effect:?}");
        let all = ours + effect.charged_back + effect.returned;
        assert!(all <= effect.captured, "{effect:?}");
    }
}

/// Every reservation of the payment belongs to a refund that is not settled,
/// and every refunded amount to one that succeeded and did not come back.
fn sums_are_those_of_the_refunds(scene: &Scene) {
    let sum = |record: &Record, counts: &dyn Fn(&Record) -> bool| -> i64 {
        let of = |child: &&Record| child.operation.intent.parent == Some(record.operation.id);
        let children = records(scene).filter(of).filter(|child| counts(child));
        children
            .map(|child| child.operation.intent.amount.minor_units)
            .sum()
    };
    for record in records(scene).filter(|r| r.operation.intent.kind.is_payment()) {
        let pending: i64 = record
            .effects
            .iter()
            .map(|effect| effect.refund_pending)
            .sum();
        let refunded: i64 = record.effects.iter().map(|effect| effect.refunded).sum();
        assert_eq!(
            pending,
            sum(record, &|child| child.operation.state.is_unresolved())
        );
        let stands = |child: &Record| {
            child.operation.state == State::Succeeded && child.operation.reversed_at.is_none()
        };
        assert_eq!(refunded, sum(record, &stands));
    }
}

fn is_claimable(record: &Record) {
    let operation = &record.operation;
    let claimable = operation.next_check_at.is_some();
    assert!(
        !operation.state.is_unresolved() || claimable,
        "{operation:?}"
    );
}

fn settled_stays(before: &Record, after: &Record) {
    let state = before.operation.state;
    assert!(
        !state.is_final() || after.operation.state == state,
        "{state}"
    );
    assert_eq!(before.operation.intent, after.operation.intent);
}

fn one_attempt_at_a_time(before: &Record, after: &Record) {
    let (was, is) = (&before.operation.progress, &after.operation.progress);
    assert!(was.open.is_none() || is.open.is_none() || was.open == is.open);
    assert!(is.resends <= MAX_RESENDS);
    let sent_again = is.resends > was.resends;
    assert!(!sent_again || before.operation.state == State::Unknown);
}

fn no_false_finality(before: &Record, after: &Record) {
    let operation = &after.operation;
    let newly = before.operation.state != operation.state;
    if newly && matches!(operation.state, State::Declined | State::Canceled) {
        assert!(
            !after.effects.iter().any(|effect| effect.stands()),
            "{operation:?}"
        );
        assert_eq!(operation.instruction, None);
    }
    if newly && operation.state == State::Succeeded && operation.intent.kind.is_payment() {
        let primary = after.primary().expect("a success has its effect");
        assert_eq!(primary.captured, operation.intent.amount.minor_units);
    }
}

/// The live row, without what is not in the ledger.
fn live(record: &Record) -> Record {
    let mut record = record.clone();
    record.operation.lease = Lease::default();
    record
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Handing over panics where facts made by `decide` do not fit the row.
    #[test]
    fn after_any_events_the_rules_hold(policy in policy(), moves in moves()) {
        play(policy, &moves, |before, after| {
            records(after).for_each(given_back_stays_within);
            records(after).for_each(is_claimable);
            sums_are_those_of_the_refunds(after);
            for (id, kept) in &before.kept {
                settled_stays(&kept.record, &after.kept[id].record);
                one_attempt_at_a_time(&kept.record, &after.kept[id].record);
                no_false_finality(&kept.record, &after.kept[id].record);
            }
        });
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_ledger_replays_to_the_row(policy in policy(), moves in moves()) {
        let scene = play(policy, &moves, |_, _| {});
        for kept in scene.kept.values() {
            let replayed = replay(&kept.rows).expect("it holds together");
            prop_assert_eq!(replayed, Some(live(&kept.record)));
        }
    }

    #[test]
    fn any_altered_byte_of_a_ledger_is_found(
        policy in policy(),
        moves in moves(),
        row in any::<prop::sample::Index>(),
        byte in any::<prop::sample::Index>(),
        bit in 0..7_u32,
    ) {
        let scene = play(policy, &moves, |_, _| {});
        let rows = &scene.kept.values().next().expect("the payment").rows;
        let row = row.index(rows.len());
        let mut altered = rows.clone();
        let mut bytes = altered[row].body.clone().into_bytes();
        let byte = byte.index(bytes.len());
        bytes[byte] ^= 1 << bit;
        if let Ok(body) = String::from_utf8(bytes) {
            altered[row].body = body;
            prop_assert!(replay(&altered).is_err());
        }
    }

    #[test]
    fn a_row_that_is_gone_or_doubled_is_found(policy in policy(), moves in moves(), at in any::<prop::sample::Index>()) {
        let scene = play(policy, &moves, |_, _| {});
        let rows = &scene.kept.values().next().expect("the payment").rows;
        let at = at.index(rows.len());
        let mut doubled = rows.clone();
        doubled.insert(at, rows[at].clone());
        prop_assert!(replay(&doubled).is_err());
        if at + 1 < rows.len() {
            let mut gone = rows.clone();
            gone.remove(at);
            prop_assert!(replay(&gone).is_err());
        }
    }
}
