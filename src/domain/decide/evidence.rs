//! Weighing what a provider shows.
//!
//! A payment is ours only if its id or its key is ours. Amount, currency and
//! account are always compared; what does not match is recorded, opens a
//! review and settles nothing.

use super::draft::Draft;
use super::money::take_money;
use super::{compensate, refund};
use crate::domain::effect::Effect;
use crate::domain::evidence::{Decline, Evidence, Shown, Sighting, Source};
use crate::domain::fact::Fact;
use crate::domain::operation::{Record, ReviewReason};
use crate::domain::state::State;

/// Takes evidence in, by whatever road it came.
pub(super) fn weigh(draft: &mut Draft<'_>, evidence: &Evidence) {
    if names_us(draft, evidence) || refusal_counts(draft, evidence) {
        draft.put(Fact::EvidenceSeen {
            source: evidence.source,
        });
    }
    let mut ours: Vec<&Sighting> = evidence
        .sightings
        .iter()
        .filter(|s| is_ours(draft.record(), s))
        .collect();
    ours.sort_by_key(|sighting| sighting.made_at);
    if ours.is_empty() && refusal_counts(draft, evidence) {
        decline(draft, evidence.refused.clone());
    }
    let with_money = ours.iter().find(|sighting| holds_money(sighting));
    if let Some(first) = with_money.or(ours.first())
        && draft.operation().provider_payment_id.is_none()
    {
        let provider_payment_id = first.id.clone();
        draft.put(Fact::ProviderPaymentNamed {
            provider_payment_id,
        });
    }
    if !ours.is_empty() && draft.operation().intent.kind.is_payment() {
        weigh_payment(draft, evidence, &ours);
    } else if !ours.is_empty() {
        refund::weigh(draft, evidence, &ours);
    }
    if names_only_the_order(evidence, draft.record()) {
        draft.ask_person(ReviewReason::ReferenceOnlyMatch);
    }
    compensate::carry_out_instruction(draft);
}

/// Something shown carries our id or our key.
pub(super) fn shows_ours(draft: &Draft<'_>, evidence: &Evidence) -> bool {
    evidence
        .sightings
        .iter()
        .any(|sighting| is_ours(draft.record(), sighting))
}

/// Something shown is ours, or could be: it names the order and carries no
/// key at all.
pub(super) fn names_us(draft: &Draft<'_>, evidence: &Evidence) -> bool {
    shows_ours(draft, evidence) || names_only_the_order(evidence, draft.record())
}

fn is_ours(record: &Record, sighting: &Sighting) -> bool {
    let operation = &record.operation;
    let by_key = sighting.key.as_ref() == Some(&operation.intent.provider_key);
    let by_id = operation.provider_payment_id.as_ref() == Some(&sighting.id);
    let by_effect = record
        .effects
        .iter()
        .any(|effect| effect.provider_payment_id == sighting.id);
    by_key || by_id || by_effect
}

fn names_only_the_order(evidence: &Evidence, record: &Record) -> bool {
    let keyless = |s: &Sighting| s.key.is_none() && !is_ours(record, s);
    evidence.sightings.iter().any(keyless)
}

/// P5: the refusal of a request is a refusal of the payment only where the
/// profile lists it, and only if nothing else of ours may have got through
/// (the attempt that was answered is closed or open; others must be NotSent).
pub(super) fn refusal_counts(draft: &Draft<'_>, evidence: &Evidence) -> bool {
    let progress = &draft.operation().progress;
    let others = progress.left - i32::from(progress.open.is_none());
    let to_our_request = evidence.source == Source::Response && evidence.refused.is_some();
    to_our_request && !progress.sign_seen && others == 0
}

fn decline(draft: &mut Draft<'_>, why: Option<Decline>) {
    if money_stands(draft) {
        return draft.ask_person(ReviewReason::Contradiction);
    }
    match draft.state() {
        State::Created
        | State::Queued
        | State::Submitting
        | State::Unknown
        | State::Pending
        | State::RequiresAction => {
            if let Some(decline) = why {
                draft.put(Fact::DeclineExplained { decline });
            }
            draft.answer_waiting_review();
            draft.move_to(State::Declined);
            refund::settle_parent(draft);
            if draft.operation().intent.kind.is_compensation() {
                draft.ask_person(ReviewReason::RefundDeclined);
            }
        }
        // A settled payment does not become a declined one.
        State::Authorized | State::Succeeded | State::Voided => {
            draft.ask_person(ReviewReason::Contradiction);
        }
        State::Declined | State::Canceled => {}
    }
}

/// A payment of ours was seen with money in it that was not given back:
/// nothing proves any more that no money was taken.
fn money_stands(draft: &Draft<'_>) -> bool {
    draft.record().effects.iter().any(Effect::stands)
}

fn holds_money(sighting: &Sighting) -> bool {
    match sighting.shown {
        Shown::Done | Shown::Held => true,
        Shown::Processing | Shown::ActionRequired(_) | Shown::Failed(_) | Shown::Withdrawn => false,
    }
}

fn weigh_payment(draft: &mut Draft<'_>, evidence: &Evidence, ours: &[&Sighting]) {
    let money: Vec<&&Sighting> = ours.iter().filter(|s| holds_money(s)).collect();
    for sighting in &money {
        take_money(draft, evidence, sighting);
    }
    if money.is_empty() {
        weigh_without_money(draft, ours);
    }
}

/// Nothing of ours that was shown holds or took money.
fn weigh_without_money(draft: &mut Draft<'_>, ours: &[&Sighting]) {
    let mut dead: Option<&Decline> = None;
    let mut withdrawn = false;
    for sighting in ours {
        match &sighting.shown {
            Shown::Processing => return to_waiting(draft, State::Pending),
            Shown::ActionRequired(action) => {
                if can_wait(draft.state())
                    && draft.operation().customer_action.as_ref() != Some(action)
                {
                    let action = action.clone();
                    draft.put(Fact::CustomerActionAsked { action });
                }
                return to_waiting(draft, State::RequiresAction);
            }
            Shown::Failed(why) => dead = Some(why),
            Shown::Withdrawn => withdrawn = true,
            Shown::Done | Shown::Held => {}
        }
    }
    if let Some(why) = dead {
        if !is_old_news(draft, ours) {
            decline(draft, Some(why.clone()));
        }
    } else if withdrawn && !is_old_news(draft, ours) {
        withdraw(draft);
    }
}

/// A failed payment says nothing about another one that succeeded.
fn is_old_news(draft: &Draft<'_>, ours: &[&Sighting]) -> bool {
    let primary = draft
        .record()
        .primary()
        .map(|effect| &effect.provider_payment_id);
    primary.is_some_and(|primary| ours.iter().all(|sighting| sighting.id != *primary))
}

pub(super) fn can_wait(state: State) -> bool {
    match state {
        State::Created
        | State::Queued
        | State::Submitting
        | State::Unknown
        | State::Pending
        | State::RequiresAction => true,
        State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => false,
    }
}

/// The provider has it and is not done. Of a payment that was settled this is
/// old news; of one that was declined or canceled it is a contradiction.
pub(super) fn to_waiting(draft: &mut Draft<'_>, to: State) {
    match draft.state() {
        State::Created
        | State::Queued
        | State::Submitting
        | State::Unknown
        | State::Pending
        | State::RequiresAction => {
            if !draft.operation().progress.sign_seen {
                draft.put(Fact::SignSeen);
            }
            draft.move_to(to);
            draft.schedule_look();
        }
        State::Authorized | State::Succeeded | State::Voided => {}
        State::Declined | State::Canceled => draft.ask_person(ReviewReason::Contradiction),
    }
}

/// The provider shows the payment as withdrawn: nothing was or will be taken.
pub(super) fn withdraw(draft: &mut Draft<'_>) {
    if money_stands(draft) {
        return draft.ask_person(ReviewReason::Contradiction);
    }
    match draft.state() {
        State::Created
        | State::Queued
        | State::Submitting
        | State::Unknown
        | State::Pending
        | State::RequiresAction => {
            draft.answer_waiting_review();
            draft.move_to(State::Canceled);
            refund::settle_parent(draft);
        }
        State::Authorized | State::Succeeded | State::Voided => {
            draft.ask_person(ReviewReason::Contradiction);
        }
        State::Declined | State::Canceled => {}
    }
}

/// Ends an operation as declined; used for refunds too.
pub(super) fn decline_for(draft: &mut Draft<'_>, why: &Decline) {
    decline(draft, Some(why.clone()));
}
