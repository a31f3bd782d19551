//! Giving back: `Compensate`, and the instruction that waits for an outcome.
//!
//! Only a confirmed effect is ever given back (P10). What was never
//! dispatched is canceled; what is unresolved is refused, or waits.

use super::draft::Draft;
use super::submit::{at_once, first_attempt};
use super::{Compensation, Opening};
use crate::domain::digest::{self, Fingerprint};
use crate::domain::effect::{Effect, Role};
use crate::domain::fact::Fact;
use crate::domain::ids::OperationId;
use crate::domain::kind::Kind;
use crate::domain::money::Money;
use crate::domain::operation::{Instruction, Intent, Operation, Record, ReviewReason};
use crate::domain::provider_key::ProviderKey;
use crate::domain::reference::Label;
use crate::domain::refusal::Refusal;
use crate::domain::request::{CompensateRequest, CompensationReason};
use crate::domain::state::State;

/// A caller wants the effect given back. A repeat of the same label never
/// comes here with a compensation that exists: the engine returns that one.
pub(super) fn compensate(draft: &mut Draft<'_>, asked: &Compensation) -> Result<(), Refusal> {
    let operation = draft.operation();
    let operation_id = operation.id;
    if !operation.intent.kind.is_payment() {
        return Err(Refusal::InvalidField {
            field: "operation_id",
            rule: format!("must name a payment, not a {}", operation.intent.kind),
        });
    }
    if let Some(standing) = &operation.instruction {
        refuse_other_terms(standing, &asked.request, operation_id)?;
    }
    check_amount(draft.record(), &asked.request)?;
    if let Some(standing) = &operation.instruction {
        return join(standing, &asked.request, operation_id);
    }
    match operation.state {
        State::Created | State::Queued if draft.record().effects.is_empty() => {
            cancel(draft, &asked.request)
        }
        // It was never sent by us, and yet money was taken under our key.
        State::Created | State::Queued => give_back(draft, asked),
        State::Submitting | State::Unknown | State::Pending | State::RequiresAction => {
            instruct(draft, &asked.request)
        }
        // An authorization is let go of by a void, which no account offers.
        State::Authorized => Err(Refusal::NotConfirmed { operation_id }),
        State::Declined | State::Canceled if names_no_effect(draft, &asked.request) => Ok(()),
        State::Succeeded | State::Declined | State::Canceled | State::Voided => {
            give_back(draft, asked)
        }
    }
}

/// The amount is in the currency of what is given back.
fn check_amount(record: &Record, request: &CompensateRequest) -> Result<(), Refusal> {
    let Some(amount) = request.amount else {
        return Ok(());
    };
    let effect = record.effect(request.provider_payment_id.as_ref());
    let currency = effect.map_or(record.operation.intent.amount.currency, |e| e.currency);
    if amount.minor_units < 1 {
        return Err(Refusal::InvalidField {
            field: "amount.minor_units",
            rule: "must be at least 1".to_owned(),
        });
    }
    if amount.currency != currency {
        return Err(Refusal::InvalidField {
            field: "amount.currency_code",
            rule: format!("must be the payment's currency, {currency}"),
        });
    }
    Ok(())
}

/// The same label with other terms.
fn refuse_other_terms(
    standing: &Instruction,
    request: &CompensateRequest,
    operation_id: OperationId,
) -> Result<(), Refusal> {
    let fields = standing
        .fingerprint
        .differing_fields(&digest::of_compensate(request));
    if standing.label == request.label && !fields.is_empty() {
        return Err(Refusal::KeyReused {
            operation_id,
            fields,
        });
    }
    Ok(())
}

/// One instruction an operation: the same again joins it, another one is
/// refused.
fn join(
    standing: &Instruction,
    request: &CompensateRequest,
    operation_id: OperationId,
) -> Result<(), Refusal> {
    if standing.label == request.label {
        Ok(())
    } else {
        Err(Refusal::Unresolved { operation_id })
    }
}

/// There is nothing to give back, and no payment was named that should exist.
fn names_no_effect(draft: &Draft<'_>, request: &CompensateRequest) -> bool {
    draft.record().effects.is_empty() && request.provider_payment_id.is_none()
}

/// Nothing was ever dispatched: the operation itself is canceled, in one
/// commit that a racing `Submit` can only win or lose.
fn cancel(draft: &mut Draft<'_>, request: &CompensateRequest) -> Result<(), Refusal> {
    if request.provider_payment_id.is_some() {
        let operation_id = draft.operation().id;
        return Err(Refusal::NotConfirmed { operation_id });
    }
    let whole = draft.operation().intent.amount;
    if request.amount.is_some_and(|amount| amount != whole) {
        return Err(Refusal::InvalidField {
            field: "amount",
            rule: "must be absent or the whole amount: nothing was sent, so the whole operation is canceled".to_owned(),
        });
    }
    // Its row knows of no send; one that was lost may have known.
    if draft.context.recovery.is_some() {
        let operation_id = draft.operation().id;
        return Err(Refusal::Unresolved { operation_id });
    }
    draft.move_to(State::Canceled);
    Ok(())
}

/// The outcome is not known: refused, or kept as an instruction, which is
/// about the payment that will turn out to be the primary one.
fn instruct(draft: &mut Draft<'_>, request: &CompensateRequest) -> Result<(), Refusal> {
    if request.when_resolved && request.provider_payment_id.is_some() {
        return Err(Refusal::InvalidField {
            field: "provider_payment_id",
            rule: "must be absent with when_resolved while the outcome is not known".to_owned(),
        });
    }
    if !request.when_resolved {
        let operation_id = draft.operation().id;
        return Err(Refusal::NotConfirmed { operation_id });
    }
    draft.put(Fact::InstructionAccepted {
        instruction: Box::new(Instruction {
            label: request.label.clone(),
            reason: request.reason,
            amount: request.amount,
            fingerprint: digest::of_compensate(request),
            accepted_at: draft.now(),
        }),
    });
    Ok(())
}

/// Reserves the amount and records the compensation, in one commit.
fn give_back(draft: &mut Draft<'_>, asked: &Compensation) -> Result<(), Refusal> {
    refuse_beside_unresolved(&draft.subject().compensations)?;
    let request = &asked.request;
    let operation_id = draft.operation().id;
    let effect = draft.record().effect(request.provider_payment_id.as_ref());
    let effect = effect
        .cloned()
        .ok_or(Refusal::NotConfirmed { operation_id })?;
    let left = effect.left();
    let amount = request.amount.map_or(left, |amount| amount.minor_units);
    if amount > left || left == 0 {
        return Err(Refusal::ExceedsCaptured { operation_id });
    }
    let terms = Terms {
        child: asked.child,
        label: request.label.clone(),
        reason: request.reason,
        fingerprint: digest::of_compensate(request),
        opening: asked.opening,
    };
    start(draft, &effect, amount, terms);
    Ok(())
}

/// P6: no second compensation while one is unresolved or disputed.
fn refuse_beside_unresolved(compensations: &[Operation]) -> Result<(), Refusal> {
    let in_the_way = compensations.iter().find(|other| match other.state {
        State::Queued | State::Submitting | State::Unknown => true,
        State::Created
        | State::Pending
        | State::RequiresAction
        | State::Authorized
        | State::Succeeded
        | State::Declined
        | State::Canceled
        | State::Voided => is_doubtful(other),
    });
    match in_the_way {
        Some(other) => Err(Refusal::Unresolved {
            operation_id: other.id,
        }),
        None => Ok(()),
    }
}

/// What it gave back is not certain. A refund that came back is: its amount
/// is free again.
fn is_doubtful(compensation: &Operation) -> bool {
    let reason = compensation.review.as_ref().map(|review| review.reason);
    compensation.is_disputed() && reason != Some(ReviewReason::RefundReversed)
}

/// Carries the instruction out as soon as the outcome is known, in the commit
/// that made it known.
pub(super) fn carry_out_instruction(draft: &mut Draft<'_>) {
    let Some(instruction) = draft.operation().instruction.clone() else {
        return;
    };
    match draft.state() {
        State::Succeeded => {
            let Some(effect) = draft.record().primary().cloned() else {
                return;
            };
            draft.put(Fact::InstructionEnded);
            let amount = instruction
                .amount
                .map_or(effect.left(), |amount| amount.minor_units);
            if amount > effect.left() || effect.left() == 0 {
                draft.ask_person(ReviewReason::InstructionExceedsEffect);
                return;
            }
            let terms = Terms {
                child: draft.context.child,
                label: instruction.label,
                reason: instruction.reason,
                fingerprint: instruction.fingerprint,
                opening: None,
            };
            start(draft, &effect, amount, terms);
        }
        State::Declined | State::Canceled | State::Voided => draft.put(Fact::InstructionEnded),
        State::Created
        | State::Queued
        | State::Submitting
        | State::Unknown
        | State::Pending
        | State::RequiresAction
        | State::Authorized => {}
    }
}

struct Terms {
    child: OperationId,
    label: Label,
    reason: CompensationReason,
    fingerprint: Fingerprint,
    opening: Option<Opening>,
}

fn start(draft: &mut Draft<'_>, effect: &Effect, amount: i64, terms: Terms) {
    draft.put(Fact::RefundReserved {
        effect: effect.id,
        amount,
        by: terms.child,
    });
    let whole = draft
        .record()
        .primary()
        .is_some_and(|primary| primary.left() == 0);
    if effect.role == Role::Primary && whole && !draft.operation().fulfilment_forbidden {
        draft.put(Fact::FulfilmentForbidden);
    }
    let child = terms.child;
    let opening = terms.opening;
    let intent = intent_of(draft, effect, amount, terms);
    let mut facts = vec![
        Fact::Created {
            intent: Box::new(intent),
        },
        Fact::Submitted,
    ];
    if let Some(opening) = at_once(opening, draft.context) {
        facts.extend(first_attempt(Kind::Refund, opening, draft.context));
    }
    draft.add_child(child, facts);
}

/// A refund goes through the account that holds the payment.
fn intent_of(draft: &Draft<'_>, effect: &Effect, amount: i64, terms: Terms) -> Intent {
    let parent = draft.operation();
    let provider_key = ProviderKey::for_compensation(
        parent.identity(draft.context.deployment),
        Kind::Refund,
        &terms.label,
    );
    Intent {
        tenant: parent.intent.tenant.clone(),
        kind: Kind::Refund,
        order_id: parent.intent.order_id.clone(),
        purpose: parent.intent.purpose.clone(),
        generation: parent.intent.generation,
        parent: Some(parent.id),
        label: Some(terms.label),
        reason: Some(terms.reason),
        target: Some(effect.provider_payment_id.clone()),
        supersedes: None,
        amount: Money::new(effect.currency, amount),
        payment_method: None,
        payee: None,
        customer_ref: parent.intent.customer_ref.clone(),
        agent: parent.intent.agent.clone(),
        description: None,
        labels: Default::default(),
        fingerprint: terms.fingerprint,
        provider: effect.account.clone(),
        provider_key,
        exclusive: false,
    }
}
