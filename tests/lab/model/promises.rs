//! What must hold in every world that can be reached.

use payonce::domain::operation::Operation;
use payonce::domain::state::State;
use stateright::Property;

use super::provider::LedgerEntry;
use super::setting::Setting;
use super::world::World;

pub(crate) const ONE_EFFECT: &str = "at most one effect for one operation";
pub(crate) const ONE_LIVE: &str = "at most one live payment for one order";
pub(crate) const SUCCESS_IS_TRUE: &str = "what succeeded has its effect";
pub(crate) const CLOSED_IS_TRUE: &str = "what was declined or canceled has no effect, ever";
pub(crate) const DURABLE_FIRST: &str = "what the provider saw was durable before";
pub(crate) const ONE_KEY: &str = "one key for one operation";
pub(crate) const WITHIN_CAPTURED: &str = "no more is given back than was taken";
pub(crate) const FENCED: &str = "writes without their lease change nothing";
pub(crate) const SETTLED: &str = "in the end everything is settled or under review";

/// All of them. The last is checked where time ends: by then nothing has
/// failed for long.
pub(crate) fn all() -> Vec<Property<Setting>> {
    vec![
        Property::always(ONE_EFFECT, one_effect),
        Property::always(ONE_LIVE, one_live_payment),
        Property::always(SUCCESS_IS_TRUE, success_is_true),
        Property::always(CLOSED_IS_TRUE, closed_is_true),
        Property::always(DURABLE_FIRST, durable_first),
        Property::always(ONE_KEY, one_key),
        Property::always(WITHIN_CAPTURED, within_captured),
        Property::always(FENCED, |_, world: &World| !world.fence_broken),
        Property::always(SETTLED, settled),
    ]
}

fn effects(world: &World, row: usize) -> usize {
    let of_row = |it: &&LedgerEntry| it.done && it.row == row;
    world.provider.entries.iter().filter(of_row).count()
}

fn one_effect(_: &Setting, world: &World) -> bool {
    (0..world.rows.len()).all(|row| effects(world, row) <= 1)
}

fn one_live_payment(_: &Setting, world: &World) -> bool {
    let entries = world.provider.entries.iter().enumerate();
    let live = entries.filter(|(place, it)| {
        it.done && it.gives_back.is_none() && world.provider.given_back(*place) < it.amount
    });
    live.count() <= 1
}

fn in_states(world: &World, states: &[State], holds: impl Fn(usize) -> bool) -> bool {
    let rows = world.rows.iter().enumerate();
    rows.filter(|(_, row)| states.contains(&row.record.operation.state))
        .all(|(place, _)| holds(place))
}

fn success_is_true(_: &Setting, world: &World) -> bool {
    in_states(world, &[State::Succeeded], |row| effects(world, row) >= 1)
}

fn closed_is_true(_: &Setting, world: &World) -> bool {
    let closed = [State::Declined, State::Canceled];
    in_states(world, &closed, |row| effects(world, row) == 0)
}

fn durable_first(_: &Setting, world: &World) -> bool {
    let seen = world.provider.seen.iter();
    let written = |it| world.attempts.contains(it);
    seen.clone().all(written)
}

fn one_key(_: &Setting, world: &World) -> bool {
    let seen = &world.provider.seen;
    let same = |one: &super::world::AttemptRow| {
        let mut others = seen.iter().filter(|other| other.row == one.row);
        others.all(|other| other.key == one.key)
    };
    seen.iter().all(same)
}

/// In our sums, and in the provider's.
fn within_captured(_: &Setting, world: &World) -> bool {
    let mut effects = world.rows.iter().flat_map(|row| &row.record.effects);
    let ours = effects.all(|it| {
        let back = it.refunded + it.refund_pending;
        0 <= back && back + it.returned + it.charged_back <= it.captured
    });
    let mut entries = world.provider.entries.iter().enumerate();
    ours && entries.all(|(place, it)| world.provider.given_back(place) <= it.amount)
}

fn settled(setting: &Setting, world: &World) -> bool {
    let rests = |operation: &Operation| {
        let state = operation.state;
        state.is_final() || state == State::Created || operation.review.is_some()
    };
    world.now < setting.bounds.end || world.rows.iter().all(|row| rests(&row.record.operation))
}
