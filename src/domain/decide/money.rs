//! What a payment with money in it makes of the operation.
//!
//! Amount, currency and account are always compared (P12). The first payment
//! that is confirmed is the primary effect; any other is a duplicate, or late.

use super::draft::Draft;
use super::evidence::can_wait;
use crate::domain::effect::{Effect, Role};
use crate::domain::evidence::{Evidence, Shown, Sighting};
use crate::domain::fact::Fact;
use crate::domain::ids::EffectId;
use crate::domain::kind::Kind;
use crate::domain::money::Money;
use crate::domain::operation::ReviewReason;
use crate::domain::reference::ProviderAccount;
use crate::domain::state::State;

/// Where a payment stands: in the account it names, or else in the one that
/// was asked or that answered.
fn stands_in<'e>(evidence: &'e Evidence, sighting: &'e Sighting) -> &'e ProviderAccount {
    sighting.account.as_ref().unwrap_or(&evidence.account)
}

/// Which disagreement a sighting of money shows, if any.
pub(super) fn mismatch(
    draft: &Draft<'_>,
    evidence: &Evidence,
    sighting: &Sighting,
) -> Option<ReviewReason> {
    let intent = &draft.operation().intent;
    match sighting.amount {
        _ if *stands_in(evidence, sighting) != intent.provider => {
            Some(ReviewReason::AccountMismatch)
        }
        Some(shown) if shown.currency != intent.amount.currency => {
            Some(ReviewReason::CurrencyMismatch)
        }
        Some(shown) if shown == intent.amount => None,
        Some(_) | None => Some(ReviewReason::AmountMismatch),
    }
}

/// A payment of ours that holds or took money.
pub(super) fn take_money(draft: &mut Draft<'_>, evidence: &Evidence, sighting: &Sighting) {
    let known = draft.record().effect(Some(&sighting.id)).cloned();
    if let Some(effect) = known {
        return follow_effect(draft, &effect, evidence, sighting);
    }
    let disagreement = mismatch(draft, evidence, sighting);
    let role = role_for_new(draft);
    let effect = new_effect(draft, evidence, sighting, role);
    draft.put(Fact::EffectRecorded {
        effect: Box::new(effect),
    });
    match (disagreement, role) {
        (Some(reason), _) => draft.ask_person(reason),
        (None, Role::Primary) => settle_with_money(draft, sighting),
        (None, Role::Duplicate) => draft.ask_person(ReviewReason::DuplicateEffect),
        (None, Role::Late) => draft.ask_person(ReviewReason::Contradiction),
    }
}

fn role_for_new(draft: &Draft<'_>) -> Role {
    match draft.state() {
        State::Declined | State::Canceled => Role::Late,
        State::Created
        | State::Queued
        | State::Submitting
        | State::Unknown
        | State::Pending
        | State::RequiresAction
        | State::Authorized
        | State::Succeeded
        | State::Voided => {
            if draft.record().primary().is_some() {
                Role::Duplicate
            } else {
                Role::Primary
            }
        }
    }
}

fn new_effect(draft: &Draft<'_>, evidence: &Evidence, sighting: &Sighting, role: Role) -> Effect {
    let intent = &draft.operation().intent;
    let amount = sighting.amount.unwrap_or(intent.amount);
    let taken = sighting.shown == Shown::Done;
    let account = stands_in(evidence, sighting);
    Effect {
        id: EffectId::of(draft.operation().id, account, &sighting.id),
        account: account.clone(),
        provider_payment_id: sighting.id.clone(),
        role,
        currency: amount.currency,
        authorized: if taken { 0 } else { amount.minor_units },
        captured: if taken { amount.minor_units } else { 0 },
        refunded: 0,
        refund_pending: 0,
        charged_back: 0,
        returned: if taken {
            sighting.given_back.min(amount.minor_units)
        } else {
            0
        },
        confirmed_at: draft.now(),
    }
}

fn settle_with_money(draft: &mut Draft<'_>, sighting: &Sighting) {
    match settled_by(draft.operation().intent.kind, &sighting.shown) {
        Some(to) if can_wait(draft.state()) => {
            draft.answer_waiting_review();
            draft.move_to(to);
        }
        // Held although it was to be taken, or taken although it was to be
        // held, or money of what was settled without any: a person must see
        // which it is.
        Some(_) | None => draft.ask_person(ReviewReason::Contradiction),
    }
}

/// The state that a payment of that kind has reached when its money shows so.
fn settled_by(kind: Kind, shown: &Shown) -> Option<State> {
    match (kind, shown) {
        (Kind::Charge, Shown::Done) => Some(State::Succeeded),
        (Kind::Authorize, Shown::Held) => Some(State::Authorized),
        (
            Kind::Charge | Kind::Authorize | Kind::Capture | Kind::Refund | Kind::Void,
            Shown::Done
            | Shown::Held
            | Shown::Processing
            | Shown::ActionRequired(_)
            | Shown::Failed(_)
            | Shown::Withdrawn,
        ) => None,
    }
}

/// A payment that is known already: only what has been added to it counts,
/// and whether it has become another one than was recorded.
fn follow_effect(draft: &mut Draft<'_>, effect: &Effect, evidence: &Evidence, sighting: &Sighting) {
    let recorded = Money::new(effect.currency, effect.captured.max(effect.authorized));
    let moved = *stands_in(evidence, sighting) != effect.account;
    if let Some(reason) = mismatch(draft, evidence, sighting)
        && (moved || sighting.amount != Some(recorded))
    {
        draft.ask_person(reason);
    }
    if sighting.shown == Shown::Done && effect.captured == 0 {
        // We know of a hold only, and no capture of ours took it.
        draft.ask_person(ReviewReason::Contradiction);
    }
    let ours = effect.refunded.saturating_add(effect.refund_pending);
    let outside = sighting
        .given_back
        .min(effect.captured)
        .saturating_sub(ours);
    if outside > effect.returned {
        draft.put(Fact::EffectReturned {
            effect: effect.id,
            returned: outside,
        });
    }
}
