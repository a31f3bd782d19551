//! Recording: what an account cannot do is refused before anything is kept.

use uuid::Uuid;

use crate::domain::decide::testing::*;
use crate::domain::decide::{Context, CreatePlace, Opening, create};
use crate::domain::fact::Fact;
use crate::domain::ids::{AttemptId, CaseId, OperationId};
use crate::domain::kind::Kind;
use crate::domain::profile::Policy;
use crate::domain::refusal::Refusal;
use crate::domain::request::CreateRequest;

fn made(
    request: &CreateRequest,
    policy: &Policy,
    submit: Option<Option<Opening>>,
) -> Result<Vec<Fact>, Refusal> {
    let id = OperationId(Uuid::from_u128(1));
    let place = CreatePlace {
        id,
        tenant: &tenant(),
        purpose: &purpose("purchase"),
        account: &account(),
        generation: 1,
        exclusive: true,
        order: &[],
        submit,
    };
    let context = Context {
        policy,
        deployment: "default",
        now: START,
        recovery: None,
        jitter: 500,
        case_id: CaseId(Uuid::from_u128(2)),
        child: id,
    };
    create(request, place, context)
}

fn refused_field(request: &CreateRequest, policy: &Policy) -> Option<&'static str> {
    match made(request, policy, None) {
        Err(Refusal::InvalidField { field, .. }) => Some(field),
        Ok(_) | Err(_) => None,
    }
}

#[test]
fn only_payments_are_created_whatever_the_account_offers() {
    let mut policy = stripe_like();
    policy.profile.kinds = &Kind::ALL;
    for kind in [Kind::Capture, Kind::Refund, Kind::Void] {
        assert_eq!(refused_field(&request(kind), &policy), Some("kind"));
    }
}

#[test]
fn what_the_account_does_not_take_is_refused() {
    let mut policy = stripe_like();
    policy.profile.kinds = &[Kind::Charge];
    assert_eq!(
        refused_field(&request(Kind::Authorize), &policy),
        Some("kind")
    );
    policy.profile.max_minor_units = 9_999;
    assert_eq!(
        refused_field(&request(Kind::Charge), &policy),
        Some("amount.minor_units")
    );
    policy.profile.max_minor_units = 10_000;
    policy.profile.currencies = Some(Vec::new());
    assert_eq!(
        refused_field(&request(Kind::Charge), &policy),
        Some("amount.currency_code")
    );
}

#[test]
fn with_submit_it_is_recorded_and_opened_at_once() {
    let names = |facts: &[Fact]| -> Vec<String> {
        let json = |fact| serde_json::to_value(fact).expect("plain data");
        facts
            .iter()
            .map(|f| json(f)["fact"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    let charge = request(Kind::Charge);
    let policy = stripe_like();
    let facts = made(&charge, &policy, None).expect("offered");
    assert_eq!(names(&facts), ["created"]);
    let facts = made(&charge, &policy, Some(None)).expect("offered");
    assert_eq!(names(&facts), ["created", "submitted"]);
    let attempt = AttemptId(Uuid::from_u128(3));
    let facts = made(&charge, &policy, Some(Some(opening(attempt, START)))).expect("offered");
    assert_eq!(
        names(&facts),
        [
            "created",
            "submitted",
            "attempt_opened",
            "moved",
            "check_scheduled"
        ]
    );
}

#[test]
fn a_lost_row_comes_back_with_its_old_key() {
    let key = || Scene::charge().operation().intent.provider_key.clone();
    assert_eq!(key(), key());
    let other = Scene::payment(Kind::Charge, "deposit", stripe_like());
    assert_ne!(key(), other.operation().intent.provider_key);
}
