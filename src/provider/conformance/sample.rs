//! Operations to try an adapter with, made by the domain's own rules.

use std::time::Duration;

use uuid::Uuid;

use crate::domain::decide::{Context, CreatePlace, create};
use crate::domain::evolve::evolve;
use crate::domain::ids::{CaseId, OperationId, ProviderPaymentId};
use crate::domain::kind::Kind;
use crate::domain::money::Money;
use crate::domain::operation::Operation;
use crate::domain::profile::{Policy, Rail, Timings};
use crate::domain::provider_key::ProviderKey;
use crate::domain::reference::{Label, OrderId, Purpose, TenantId};
use crate::domain::request::{CreateRequest, PaymentMethod};
use crate::domain::time::Instant;

/// Part of the keys of all samples.
const DEPLOYMENT: &str = "conformance";

/// A recorded CHARGE of that order through that account.
pub fn charge(
    rail: &Rail,
    order_id: &OrderId,
    amount: Money,
    payment_method: PaymentMethod,
) -> Operation {
    let request = CreateRequest {
        order_id: order_id.clone(),
        purpose: None,
        kind: Kind::Charge,
        amount,
        payment_method: Some(payment_method),
        payee: None,
        customer_ref: None,
        agent: None,
        provider: None,
        parent: None,
        supersedes: None,
        description: None,
        labels: Default::default(),
    };
    let id = OperationId(Uuid::nil());
    let policy = Policy {
        profile: rail.profile.clone(),
        timings: timings(),
    };
    let place = CreatePlace {
        id,
        tenant: &TenantId::parse("default").expect("a reference"),
        purpose: &Purpose::parse("purchase").expect("a reference"),
        account: &rail.account,
        generation: 1,
        exclusive: true,
        order: &[],
        submit: None,
    };
    let context = Context {
        policy: &policy,
        deployment: DEPLOYMENT,
        now: Instant(0),
        recovery: None,
        jitter: 500,
        case_id: CaseId(Uuid::nil()),
        child: OperationId(Uuid::nil()),
    };
    let facts = create(&request, place, context).expect("the account takes it");
    let record = evolve(id, None, 1, context.now, &facts);
    record.expect("a recorded operation").operation
}

/// A REFUND of that part of a charge, which is `payment` at the provider.
pub fn refund_of(
    charge: &Operation,
    payment: &ProviderPaymentId,
    label: &Label,
    amount: Money,
) -> Operation {
    let mut refund = charge.clone();
    let key = ProviderKey::for_compensation(charge.identity(DEPLOYMENT), Kind::Refund, label);
    refund.intent.kind = Kind::Refund;
    refund.intent.parent = Some(charge.id);
    refund.intent.label = Some(label.clone());
    refund.intent.target = Some(payment.clone());
    refund.intent.amount = amount;
    refund.intent.payment_method = None;
    refund.intent.provider_key = key;
    refund.provider_payment_id = None;
    refund
}

fn timings() -> Timings {
    Timings {
        provider_deadline: Duration::from_secs(5),
        lease: Duration::from_secs(15),
        pause: Duration::from_secs(20),
        observation_window: Duration::from_secs(900),
        look_ups: vec![Duration::from_secs(1)],
        look_up_interval: Duration::from_secs(60),
        jitter_percent: 0,
    }
}
