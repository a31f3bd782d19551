//! What providers show.

use super::{account, usd};
use crate::domain::evidence::{
    CustomerAction, CustomerActionKind, Decline, DeclineCategory, Evidence, LookUp, Shown,
    Sighting, Source,
};
use crate::domain::ids::ProviderPaymentId;
use crate::domain::provider_key::ProviderKey;
use crate::domain::time::Instant;

pub(crate) fn payment(id: &str) -> ProviderPaymentId {
    ProviderPaymentId::parse(id).expect("provider id")
}

pub(crate) fn insufficient_funds() -> Decline {
    Decline {
        category: DeclineCategory::InsufficientFunds,
        provider_code: Some("51".to_owned()),
    }
}

pub(crate) fn failed() -> Shown {
    Shown::Failed(insufficient_funds())
}

/// A page for the payer, with or without an end.
pub(crate) fn action_until(expires_at: Option<Instant>) -> Shown {
    Shown::ActionRequired(CustomerAction {
        kind: CustomerActionKind::Redirect,
        url: Some("https://issuer.example/3ds?x=\u{1f600}".to_owned()),
        expires_at,
    })
}

/// The payment `id` of 100.00 USD with that key.
pub(crate) fn sighting(id: &str, key: &ProviderKey, shown: Shown) -> Sighting {
    Sighting {
        id: payment(id),
        key: Some(key.clone()),
        account: None,
        shown,
        amount: Some(usd(10_000)),
        given_back: 0,
        made_at: None,
    }
}

pub(crate) fn evidence(source: Source, sightings: Vec<Sighting>) -> Evidence {
    Evidence {
        source,
        account: account(),
        sightings,
        refused: None,
    }
}

/// The provider refused the request itself, in a way that counts.
pub(crate) fn refusal() -> Evidence {
    Evidence {
        refused: Some(insufficient_funds()),
        ..evidence(Source::Response, Vec::new())
    }
}

/// An answer that is trusted and shows nothing of ours.
pub(crate) fn nothing_of_ours() -> Evidence {
    let theirs = ProviderKey::stored("po-of-another-operation".to_owned());
    let sighting = sighting("pay_theirs", &theirs, Shown::Done);
    evidence(Source::Response, vec![sighting])
}

pub(crate) fn found(sightings: Vec<Sighting>) -> LookUp {
    LookUp::Found(evidence(Source::LookUp, sightings))
}
