//! Asking what the processor has of an operation.
//!
//! The list by reference comes first, also when an id is known: only a list
//! shows a second payment for the same operation (P11).

use std::collections::HashSet;

use serde::Deserialize;

use super::answer::Reader;
use super::body::{Object, Payment, Refund};
use super::request::{self, segment};
use crate::domain::evidence::Sighting;
use crate::domain::ids::ProviderPaymentId;
use crate::domain::kind::Kind;
use crate::domain::operation::Operation;
use crate::domain::profile::Rail;
use crate::http::{Failure, Limits, Outbound};

/// Objects asked for at once; the processor allows 100.
const PAGE: usize = 100;

/// Pages read before the list is taken for endless.
const MAX_PAGES: usize = 50;

/// One question.
pub(super) struct Question<'a> {
    pub(super) outbound: &'a Outbound,
    pub(super) rail: &'a Rail,
    pub(super) reader: &'a Reader,
    pub(super) limits: Limits,
}

/// Why the processor's answer says nothing, for logs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum NoVerdict {
    #[error(transparent)]
    Failed(#[from] Failure),
    #[error("the deadline passed before the last page")]
    Late,
    #[error("status {0}")]
    Status(u16),
    #[error("an answer that is not recognised")]
    Unrecognised,
    #[error("an object that was not asked for")]
    NotAskedFor,
    #[error("a list that does not end")]
    Endless,
    #[error("no look-up is offered for this kind of operation")]
    NotOffered,
}

#[derive(Deserialize)]
#[serde(bound = "O: Object")]
struct Page<O> {
    data: Vec<O>,
    has_more: bool,
}

/// A list and what all of it must have in common.
struct List<'a> {
    collection: &'static str,
    reference: &'a str,
    payment: Option<&'a str>,
}

impl Question<'_> {
    /// Everything that carries our reference, and the object with the known id.
    /// Empty means that the processor answered in full and has nothing.
    pub(super) async fn ask(&self, operation: &Operation) -> Result<Vec<Sighting>, NoVerdict> {
        let intent = &operation.intent;
        let list = |collection, payment| List {
            collection,
            reference: request::reference(operation, self.reader.key_field),
            payment,
        };
        let known = operation.provider_payment_id.as_ref();
        match (intent.kind, &intent.target) {
            (Kind::Charge | Kind::Authorize, _) => {
                self.all::<Payment>(list("/v1/payments", None), known).await
            }
            (Kind::Refund, Some(target)) => {
                let list = list("/v1/refunds", Some(target.as_str()));
                self.all::<Refund>(list, known).await
            }
            (Kind::Refund | Kind::Capture | Kind::Void, _) => Err(NoVerdict::NotOffered),
        }
    }

    async fn all<O: Object>(
        &self,
        list: List<'_>,
        known: Option<&ProviderPaymentId>,
    ) -> Result<Vec<Sighting>, NoVerdict> {
        let mut found = self.listed::<O>(&list).await?;
        if let Some(id) = known
            && found.iter().all(|sighting| sighting.id != *id)
        {
            match self.one::<O>(list.collection, id).await {
                Ok(sighting) => found.push(sighting),
                // Something known is gone: that is no "not found", but what the
                // list did show remains true.
                Err(cause) if found.is_empty() => return Err(cause),
                Err(_) => {}
            }
        }
        Ok(found)
    }

    async fn listed<O: Object>(&self, list: &List<'_>) -> Result<Vec<Sighting>, NoVerdict> {
        let mut found: Vec<Sighting> = Vec::new();
        let mut seen = HashSet::new();
        for _ in 0..MAX_PAGES {
            let after = found.last().map(|sighting| &sighting.id);
            let page: Page<O> = self.get(&list.page_after(after)).await?;
            if page.has_more && page.data.is_empty() {
                return Err(NoVerdict::Unrecognised);
            }
            for object in &page.data {
                let sighting = list.take(object, self.reader)?;
                if !seen.insert(sighting.id.clone()) {
                    return Err(NoVerdict::Endless);
                }
                found.push(sighting);
            }
            if !page.has_more {
                return Ok(found);
            }
        }
        Err(NoVerdict::Endless)
    }

    async fn one<O: Object>(
        &self,
        collection: &str,
        id: &ProviderPaymentId,
    ) -> Result<Sighting, NoVerdict> {
        let path = format!("{collection}/{}", segment(id.as_str()));
        if !request::names_a_place(&path) {
            return Err(NoVerdict::NotOffered);
        }
        let object: O = self.get(&path).await?;
        let sighting = object.sighting(self.reader);
        let sighting = sighting.ok_or(NoVerdict::Unrecognised)?;
        if sighting.id == *id {
            Ok(sighting)
        } else {
            Err(NoVerdict::NotAskedFor)
        }
    }

    async fn get<T: serde::de::DeserializeOwned>(&self, path: &str) -> Result<T, NoVerdict> {
        let request = request::get(&self.rail.endpoint, path);
        let answer = self.outbound.send(request, self.limits).await?;
        if answer.status != 200 {
            return Err(NoVerdict::Status(answer.status));
        }
        serde_json::from_slice(&answer.body).map_err(|_| NoVerdict::Unrecognised)
    }
}

impl List<'_> {
    fn page_after(&self, after: Option<&ProviderPaymentId>) -> String {
        let mut path = format!("{}?limit={PAGE}", self.collection);
        let mut add = |name: &str, value: &str| {
            path.push_str(&format!("&{name}={}", segment(value)));
        };
        add("reference", self.reference);
        if let Some(payment) = self.payment {
            add("payment", payment);
        }
        if let Some(after) = after {
            add("starting_after", after.as_str());
        }
        path
    }

    /// A list that holds what was not asked for cannot be trusted to hold what
    /// was.
    fn take<O: Object>(&self, object: &O, reader: &Reader) -> Result<Sighting, NoVerdict> {
        let asked_for =
            object.reference() == Some(self.reference) && object.payment() == self.payment;
        if !asked_for {
            return Err(NoVerdict::NotAskedFor);
        }
        object.sighting(reader).ok_or(NoVerdict::Unrecognised)
    }
}
