//! The processor's objects, as `docs/simulator.md` ("The API") describes them.
//!
//! The types are strict where money or identity is concerned: a number that is
//! text, a fraction or negative, a field given twice, an unknown status or
//! another kind of object is not recognised. Fields that are not used may be
//! anything.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::answer::Reader;
use super::decline;
use crate::domain::evidence::{CustomerAction, CustomerActionKind, Shown, Sighting};
use crate::domain::ids::ProviderPaymentId;
use crate::domain::money::{Currency, MAX_MINOR_UNITS, Money};
use crate::domain::time::Instant;

/// Longest address of a customer step that is passed on, in bytes.
const MAX_URL_BYTES: usize = 2048;

/// An object that can stand for an operation.
pub(super) trait Object: DeserializeOwned + Send {
    /// Its merchant reference.
    fn reference(&self) -> Option<&str>;

    /// The payment it belongs to, if it is not one itself.
    fn payment(&self) -> Option<&str>;

    /// What it says; `None` where its fields do not go together.
    fn sighting(&self, reader: &Reader) -> Option<Sighting>;
}

/// A payment.
#[derive(Deserialize)]
pub(super) struct Payment {
    #[serde(rename = "object")]
    _object: PaymentTag,
    id: String,
    pub(super) status: PaymentStatus,
    amount: u64,
    currency: String,
    amount_captured: u64,
    amount_refunded: u64,
    account: String,
    reference: Option<String>,
    metadata: Option<Metadata>,
    created: Option<i64>,
    decline: Option<Code>,
    action: Option<Action>,
}

/// A refund.
#[derive(Deserialize)]
pub(super) struct Refund {
    #[serde(rename = "object")]
    _object: RefundTag,
    id: String,
    payment: String,
    status: RefundStatus,
    amount: u64,
    currency: String,
    account: Option<String>,
    reference: Option<String>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum PaymentTag {
    Payment,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum RefundTag {
    Refund,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PaymentStatus {
    Succeeded,
    RequiresCapture,
    Processing,
    RequiresAction,
    Failed,
    Canceled,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RefundStatus {
    Succeeded,
    Pending,
    Failed,
}

#[derive(Deserialize)]
struct Metadata {
    payonce_key: Option<String>,
}

#[derive(Deserialize)]
struct Code {
    code: Option<String>,
}

#[derive(Deserialize)]
struct Action {
    kind: Option<String>,
    url: Option<String>,
    expires_at: Option<i64>,
}

impl Object for Payment {
    fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    fn payment(&self) -> Option<&str> {
        None
    }

    fn sighting(&self, reader: &Reader) -> Option<Sighting> {
        let metadata_key = self
            .metadata
            .as_ref()
            .and_then(|it| it.payonce_key.as_deref());
        Some(Sighting {
            id: id(&self.id)?,
            key: reader.key(metadata_key, self.reference()),
            account: Some(reader.account_named(&self.account)),
            shown: self.shown()?,
            amount: money(self.moved(), &self.currency)?,
            given_back: i64::try_from(self.amount_refunded).ok()?,
            made_at: self.created.and_then(instant),
        })
    }
}

impl Payment {
    /// A payment that took nothing has not succeeded, and one that took
    /// something has neither failed nor been withdrawn.
    fn shown(&self) -> Option<Shown> {
        let took = self.amount_captured > 0;
        match self.status {
            PaymentStatus::Succeeded => took.then_some(Shown::Done),
            PaymentStatus::RequiresCapture => Some(Shown::Held),
            PaymentStatus::Processing => Some(Shown::Processing),
            PaymentStatus::RequiresAction => Some(Shown::ActionRequired(self.customer_action())),
            PaymentStatus::Failed => {
                let code = self.decline.as_ref().and_then(|it| it.code.as_deref());
                (!took).then(|| Shown::Failed(decline::of_code(code)))
            }
            PaymentStatus::Canceled => (!took).then_some(Shown::Withdrawn),
        }
    }

    /// Of a payment that succeeded, what was really taken.
    fn moved(&self) -> u64 {
        if self.status == PaymentStatus::Succeeded {
            self.amount_captured
        } else {
            self.amount
        }
    }

    fn customer_action(&self) -> CustomerAction {
        let action = self.action.as_ref();
        let redirects = action.and_then(|it| it.kind.as_deref()) == Some("redirect");
        CustomerAction {
            kind: if redirects {
                CustomerActionKind::Redirect
            } else {
                CustomerActionKind::Other
            },
            url: action
                .and_then(|it| it.url.clone())
                .filter(|it| is_web_address(it)),
            expires_at: action.and_then(|it| it.expires_at).and_then(instant),
        }
    }
}

impl Object for Refund {
    fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    fn payment(&self) -> Option<&str> {
        Some(&self.payment)
    }

    fn sighting(&self, reader: &Reader) -> Option<Sighting> {
        let metadata_key = self
            .metadata
            .as_ref()
            .and_then(|it| it.payonce_key.as_deref());
        Some(Sighting {
            id: id(&self.id)?,
            key: reader.key(metadata_key, self.reference()),
            account: self.account.as_deref().map(|it| reader.account_named(it)),
            shown: match self.status {
                RefundStatus::Succeeded => Shown::Done,
                RefundStatus::Pending => Shown::Processing,
                RefundStatus::Failed => Shown::Failed(decline::of_code(None)),
            },
            amount: money(self.amount, &self.currency)?,
            given_back: 0,
            made_at: None,
        })
    }
}

/// Ids are letters, digits, `_` and `-`, as in `pay_…`.
fn id(text: &str) -> Option<ProviderPaymentId> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    text.bytes()
        .all(plain)
        .then(|| ProviderPaymentId::parse(text))
        .flatten()
}

/// Outside: not what the processor writes. Inside: not an amount we can have.
fn money(amount: u64, currency: &str) -> Option<Option<Money>> {
    let written_right = currency.len() == 3 && currency.bytes().all(|it| it.is_ascii_uppercase());
    if !written_right {
        return None;
    }
    let in_bounds = i64::try_from(amount)
        .ok()
        .filter(|it| (1..=MAX_MINOR_UNITS).contains(it));
    let known = Currency::parse(currency);
    Some(
        known
            .zip(in_bounds)
            .map(|(currency, units)| Money::new(currency, units)),
    )
}

/// From milliseconds since 1970.
fn instant(milliseconds: i64) -> Option<Instant> {
    milliseconds.checked_mul(1000).map(Instant)
}

fn is_web_address(text: &str) -> bool {
    let web = text.starts_with("https://") || text.starts_with("http://");
    web && text.len() <= MAX_URL_BYTES && text.bytes().all(|byte| byte.is_ascii_graphic())
}
