//! Answers to requests, as evidence. The table is in the documentation of
//! `provider`.

use std::time::Duration;

use http::HeaderMap;
use http::header::RETRY_AFTER;
use serde::Deserialize;
use serde_json::Value;

use super::body::{Object, Payment, PaymentStatus, Refund};
use super::decline;
use super::profile::KeyField;
use crate::domain::attempt::Step;
use crate::domain::decide::Hint;
use crate::domain::evidence::{Decline, Evidence, Sighting, Source};
use crate::domain::provider_key::ProviderKey;
use crate::domain::reference::ProviderAccount;
use crate::http::Answer;
use crate::provider::{AmbiguousCause, Sent};

/// The processor's own name of the one account it keeps.
const OWN_ACCOUNT: &str = "acct_sim";

/// Stands for every account that is not the configured one. No configured name
/// holds a `~`.
const ELSEWHERE: &str = "~elsewhere";

/// Longest pause that is taken from a provider.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(3600);

/// Marks an answer as the stored one of an earlier request with the key.
const REPLAYED: &str = "idempotent-replayed";

/// What is needed to read an object.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub(super) account: ProviderAccount,
    pub(super) key_field: KeyField,
}

#[derive(Deserialize)]
struct ErrorBody {
    error: Error,
}

#[derive(Deserialize)]
struct Error {
    #[serde(rename = "type")]
    kind: String,
    code: Option<String>,
    payment: Option<Payment>,
}

impl Reader {
    /// The key that an object carries. A text that cannot be one of ours counts
    /// as none: such an object may still be meant for the order.
    pub(super) fn key(
        &self,
        in_metadata: Option<&str>,
        reference: Option<&str>,
    ) -> Option<ProviderKey> {
        let text = match self.key_field {
            KeyField::Metadata => in_metadata,
            KeyField::Reference => reference,
        };
        text.filter(|it| looks_like_a_key(it))
            .map(|it| ProviderKey::stored(it.to_owned()))
    }

    /// The configured name of an account of the processor.
    pub(super) fn account_named(&self, text: &str) -> ProviderAccount {
        if text == OWN_ACCOUNT {
            self.account.clone()
        } else {
            ProviderAccount::parse(ELSEWHERE).expect("keeps the rule of references")
        }
    }

    /// What an answer to a request with that key says.
    pub(super) fn classify(&self, step: Step, key: &ProviderKey, answer: &Answer) -> Sent {
        let status = answer.status;
        match status {
            200 => match step {
                Step::Create => self.success::<Payment>(key, answer),
                Step::Refund => self.success::<Refund>(key, answer),
                Step::Capture | Step::Void | Step::Cancel => self.unrecognised(key, answer),
            },
            201..=299 => self.unrecognised(key, answer),
            402 if step == Step::Create => self.card_error(key, answer),
            400 => self.bad_request(step, answer),
            409 => ambiguous(SIGN, AmbiguousCause::InProgress),
            429 => slow_down(answer, AmbiguousCause::RateLimited),
            503 if !is_replay(answer) => {
                slow_down(answer, AmbiguousCause::ProviderFailed { status })
            }
            500..=599 => failure(answer),
            _ => ambiguous(Hint::default(), AmbiguousCause::NoRefusal { status }),
        }
    }

    fn success<O: Object>(&self, key: &ProviderKey, answer: &Answer) -> Sent {
        let object: Option<O> = serde_json::from_slice(&answer.body).ok();
        match object.and_then(|it| it.sighting(self)) {
            Some(sighting) => self.sighted(key, answer.status, sighting),
            None => self.unrecognised(key, answer),
        }
    }

    /// A decline. It counts as one of our payment only if it shows that payment
    /// as failed, or shows that none was made.
    fn card_error(&self, key: &ProviderKey, answer: &Answer) -> Sent {
        let body: Option<ErrorBody> = serde_json::from_slice(&answer.body).ok();
        let Some(error) = body.map(|it| it.error).filter(|it| it.kind == "card_error") else {
            return self.unrecognised(key, answer);
        };
        match error.payment {
            None => self.refused(decline::of_code(error.code.as_deref())),
            Some(payment) if payment.status == PaymentStatus::Failed => {
                match payment.sighting(self) {
                    Some(sighting) => self.sighted(key, answer.status, sighting),
                    None => self.unrecognised(key, answer),
                }
            }
            Some(_) => self.unrecognised(key, answer),
        }
    }

    fn bad_request(&self, step: Step, answer: &Answer) -> Sent {
        let status = answer.status;
        let nothing_said = ambiguous(Hint::default(), AmbiguousCause::NoRefusal { status });
        let Ok(ErrorBody { error }) = serde_json::from_slice(&answer.body) else {
            return nothing_said;
        };
        match (error.kind.as_str(), error.code.as_deref(), step) {
            ("idempotency_mismatch", _, _) => ambiguous(SIGN, AmbiguousCause::KeyMismatch),
            ("invalid_request", code @ Some("amount_too_large"), Step::Refund) => {
                self.refused(decline::of_code(code))
            }
            _ => nothing_said,
        }
    }

    /// Only what carries the key that was sent answers the request.
    fn sighted(&self, key: &ProviderKey, status: u16, sighting: Sighting) -> Sent {
        if sighting.key.as_ref() != Some(key) {
            return ambiguous(Hint::default(), AmbiguousCause::NotOurs { status });
        }
        Sent::Answered(Evidence {
            source: Source::Response,
            account: self.account.clone(),
            sightings: vec![sighting],
            refused: None,
        })
    }

    fn refused(&self, decline: Decline) -> Sent {
        Sent::Answered(Evidence {
            source: Source::Response,
            account: self.account.clone(),
            sightings: Vec::new(),
            refused: Some(decline),
        })
    }

    /// An id beside our key is a sign of the payment, whatever else is wrong.
    fn unrecognised(&self, key: &ProviderKey, answer: &Answer) -> Sent {
        let hint = Hint {
            sign: self.names_us(key, &answer.body),
            ..Hint::default()
        };
        let status = answer.status;
        ambiguous(hint, AmbiguousCause::Unrecognised { status })
    }

    fn names_us(&self, key: &ProviderKey, body: &[u8]) -> bool {
        let Ok(body) = serde_json::from_slice::<Value>(body) else {
            return false;
        };
        let object = body.pointer("/error/payment").unwrap_or(&body);
        let text = |pointer| object.pointer(pointer).and_then(Value::as_str);
        let shown = self.key(text("/metadata/payonce_key"), text("/reference"));
        shown.as_ref() == Some(key) && text("/id").is_some_and(|id| !id.is_empty())
    }
}

const SIGN: Hint = Hint {
    sign: true,
    replayed_failure: false,
    retry_after: None,
};

fn ambiguous(hint: Hint, cause: AmbiguousCause) -> Sent {
    Sent::Ambiguous(hint, cause)
}

fn slow_down(answer: &Answer, cause: AmbiguousCause) -> Sent {
    let hint = Hint {
        retry_after: retry_after(&answer.headers),
        ..Hint::default()
    };
    ambiguous(hint, cause)
}

fn failure(answer: &Answer) -> Sent {
    let status = answer.status;
    if !is_replay(answer) {
        return ambiguous(Hint::default(), AmbiguousCause::ProviderFailed { status });
    }
    let hint = Hint {
        replayed_failure: true,
        ..Hint::default()
    };
    ambiguous(hint, AmbiguousCause::FailureReplayed { status })
}

fn is_replay(answer: &Answer) -> bool {
    answer.headers.get(REPLAYED).is_some_and(|it| it == "true")
}

/// Whole seconds only; a date would need a clock that agrees with theirs.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    let seconds = text.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(MAX_RETRY_AFTER))
}

/// The form of `ProviderKey`: `po` and 32 characters of lower-case base32.
fn looks_like_a_key(text: &str) -> bool {
    let base32 = |byte: u8| byte.is_ascii_lowercase() || (b'2'..=b'7').contains(&byte);
    text.len() == 34 && text.starts_with("po") && text.bytes().all(base32)
}
