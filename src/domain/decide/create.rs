//! Recording an operation.

use super::submit::{at_once, first_attempt, refuse_beside_unresolved};
use super::{Context, Opening};
use crate::domain::digest;
use crate::domain::evolve::evolve;
use crate::domain::fact::Fact;
use crate::domain::ids::OperationId;
use crate::domain::kind::Kind;
use crate::domain::operation::{Intent, Record};
use crate::domain::profile::Profile;
use crate::domain::provider_key::{PaymentIdentity, ProviderKey};
use crate::domain::reference::{ProviderAccount, Purpose, TenantId};
use crate::domain::refusal::Refusal;
use crate::domain::request::CreateRequest;

/// Where a new operation belongs, after defaults were applied.
#[derive(Clone, Copy, Debug)]
pub struct CreatePlace<'a> {
    /// Its id.
    pub id: OperationId,
    /// Whose it is.
    pub tenant: &'a TenantId,
    /// Why the order is paid.
    pub purpose: &'a Purpose,
    /// The account it goes through.
    pub account: &'a ProviderAccount,
    /// 1, or one more than the superseded one's.
    pub generation: i32,
    /// No other payment of the order may be unresolved beside it.
    pub exclusive: bool,
    /// The other payments of the order.
    pub order: &'a [Record],
    /// Hand it over in the same commit, and open its first attempt if there
    /// is room.
    pub submit: Option<Option<Opening>>,
}

/// The facts of a new operation. That no other operation has its identity is
/// for the engine to look up and for the unique index to hold.
pub fn create(
    request: &CreateRequest,
    place: CreatePlace<'_>,
    context: Context<'_>,
) -> Result<Vec<Fact>, Refusal> {
    check_account(request, &context.policy.profile)?;
    let intent = intent(request, place, context.deployment);
    let mut facts = vec![Fact::Created {
        intent: Box::new(intent),
    }];
    if let Some(opening) = place.submit {
        let draft = evolve(place.id, None, 1, context.now, &facts);
        let draft = draft.expect("an operation is recorded by its first fact");
        refuse_beside_unresolved(&draft.operation, place.order)?;
        facts.push(Fact::Submitted);
        if let Some(opening) = at_once(opening, context) {
            facts.extend(first_attempt(request.kind, opening, context));
        }
    }
    Ok(facts)
}

/// What the account cannot do is refused here, before anything is sent.
fn check_account(request: &CreateRequest, profile: &Profile) -> Result<(), Refusal> {
    let refuse = |field, rule: String| Err(Refusal::InvalidField { field, rule });
    if !request.kind.is_payment() {
        // REFUND and VOID come from Compensate only. The key of a CAPTURE
        // derives from its parent's identity, not from the order's.
        return refuse("kind", "must be CHARGE or AUTHORIZE".to_owned());
    }
    if !profile.kinds.contains(&request.kind) {
        let offered: Vec<&str> = profile.kinds.iter().map(|kind| Kind::name(*kind)).collect();
        let rule = format!(
            "must be offered by the provider account: {}",
            offered.join(", ")
        );
        return refuse("kind", rule);
    }
    if request.amount.minor_units > profile.max_minor_units {
        let rule = format!(
            "must be at most {} at this provider account",
            profile.max_minor_units
        );
        return refuse("amount.minor_units", rule);
    }
    match &profile.currencies {
        Some(taken) if !taken.contains(&request.amount.currency) => refuse(
            "amount.currency_code",
            "must be taken by the provider account".to_owned(),
        ),
        Some(_) | None => Ok(()),
    }
}

fn intent(request: &CreateRequest, place: CreatePlace<'_>, deployment: &str) -> Intent {
    let provider_key = ProviderKey::for_payment(PaymentIdentity {
        deployment,
        account: place.account,
        tenant: place.tenant,
        order_id: &request.order_id,
        purpose: place.purpose,
        generation: place.generation,
    });
    Intent {
        tenant: place.tenant.clone(),
        kind: request.kind,
        order_id: request.order_id.clone(),
        purpose: place.purpose.clone(),
        generation: place.generation,
        parent: request.parent,
        label: None,
        reason: None,
        target: None,
        supersedes: request.supersedes,
        amount: request.amount,
        payment_method: request.payment_method.clone(),
        payee: request.payee.clone(),
        customer_ref: request.customer_ref.clone(),
        agent: request.agent.clone(),
        description: request.description.clone(),
        labels: request.labels.clone(),
        fingerprint: digest::of_create(request),
        provider: place.account.clone(),
        provider_key,
        exclusive: place.exclusive,
    }
}
