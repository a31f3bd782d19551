//! One representative subject for each kind and state.

use crate::domain::decide::testing::*;
use crate::domain::evidence::Shown;
use crate::domain::kind::Kind;
use crate::domain::state::State;

/// Whether some event leads an operation of that kind there.
fn is_reached(kind: Kind, state: State) -> bool {
    match state {
        State::Created | State::RequiresAction => kind == Kind::Charge,
        State::Authorized | State::Voided => false,
        State::Queued
        | State::Submitting
        | State::Unknown
        | State::Pending
        | State::Succeeded
        | State::Declined
        | State::Canceled => true,
    }
}

/// The head of a column; a star where no event leads there.
pub(super) fn heading(kind: Kind, state: State) -> String {
    let star = if is_reached(kind, state) { "" } else { " *" };
    format!("{state}{star}")
}

fn beginning(kind: Kind) -> Scene {
    match kind {
        Kind::Refund => Scene::refund(),
        Kind::Charge | Kind::Authorize | Kind::Capture | Kind::Void => Scene::charge(),
    }
}

/// An operation of 100.00 in that state; its attempt, if any, is its first.
pub(super) fn subject(kind: Kind, state: State) -> Scene {
    let scene = beginning(kind);
    if !is_reached(kind, state) {
        return scene.forced(state);
    }
    match state {
        State::Created | State::Authorized | State::Voided => scene,
        State::Queued => scene.queued(),
        State::Submitting => scene.submitting(),
        State::Unknown => scene.unknown(),
        State::Pending => scene.showing(Shown::Processing),
        State::RequiresAction => scene.showing(action_until(None)),
        State::Succeeded => scene.succeeded(),
        State::Declined => scene.declined(),
        State::Canceled => scene.canceled(),
    }
}
