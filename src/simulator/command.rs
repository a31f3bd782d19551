//! What a POST under `/v1/payments` asks for, checked field by field.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::answer::Refusal;
use super::method::Method;
use super::profile::Profile;

const MOST_MINOR_UNITS: i64 = 999_999_999_999_999;

/// A new payment.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct NewPayment {
    pub(super) amount: i64,
    pub(super) currency: String,
    pub(super) payment_method: Method,
    #[serde(default = "at_once")]
    pub(super) capture: bool,
    #[serde(default)]
    pub(super) reference: Option<String>,
    #[serde(default)]
    pub(super) metadata: BTreeMap<String, String>,
}

fn at_once() -> bool {
    true
}

/// A capture of an authorized payment: all of it without an amount.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct NewCapture {
    #[serde(default)]
    pub(super) amount: Option<i64>,
}

/// A refund of a captured payment.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct NewRefund {
    pub(super) amount: i64,
    #[serde(default)]
    pub(super) reference: Option<String>,
    #[serde(default)]
    pub(super) metadata: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Deserialize)]
struct NewVoid {}

/// A request to change something.
#[derive(Debug, Clone)]
pub(super) enum Command {
    Pay(NewPayment),
    Capture { payment: String, asked: NewCapture },
    Void { payment: String },
    Refund { payment: String, asked: NewRefund },
}

impl Command {
    pub(super) fn pay(body: &[u8], profile: Profile) -> Result<Self, Refusal> {
        let asked: NewPayment = read(body)?;
        check_amount(asked.amount)?;
        check_reference(asked.reference.as_deref(), profile)?;
        let currency = asked.currency.as_bytes();
        if currency.len() != 3 || !currency.iter().all(u8::is_ascii_uppercase) {
            return Err(Refusal::invalid(
                "currency_invalid",
                "currency must be three capital letters (ISO 4217)",
            ));
        }
        Ok(Self::Pay(asked))
    }

    pub(super) fn capture(payment: String, body: &[u8]) -> Result<Self, Refusal> {
        let asked: NewCapture = read(body)?;
        asked.amount.map_or(Ok(()), check_amount)?;
        Ok(Self::Capture { payment, asked })
    }

    pub(super) fn void(payment: String, body: &[u8]) -> Result<Self, Refusal> {
        let NewVoid {} = read(body)?;
        Ok(Self::Void { payment })
    }

    pub(super) fn refund(payment: String, body: &[u8], profile: Profile) -> Result<Self, Refusal> {
        let asked: NewRefund = read(body)?;
        check_amount(asked.amount)?;
        check_reference(asked.reference.as_deref(), profile)?;
        Ok(Self::Refund { payment, asked })
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body)
        .map_err(|error| Refusal::invalid("body_invalid", &format!("body: {error}")))
}

fn check_amount(amount: i64) -> Result<(), Refusal> {
    if (1..=MOST_MINOR_UNITS).contains(&amount) {
        return Ok(());
    }
    Err(Refusal::invalid(
        "amount_invalid",
        "amount must be from 1 to 999999999999999 minor units",
    ))
}

/// Without keys the reference is all there is to look a payment up by.
fn check_reference(reference: Option<&str>, profile: Profile) -> Result<(), Refusal> {
    match reference {
        None if !profile.keeps_keys() => Err(Refusal::invalid(
            "reference_required",
            "reference must be given: this processor keeps no idempotency keys",
        )),
        Some(reference) if reference.is_empty() || reference.len() > 255 => Err(Refusal::invalid(
            "reference_invalid",
            "reference must have from 1 to 255 bytes",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_payments_are_refused_with_the_rule() {
        let table = [
            (
                r#"{"amount":0,"currency":"USD","payment_method":"pm_ok"}"#,
                "amount_invalid",
            ),
            (
                r#"{"amount":1000000000000000,"currency":"USD","payment_method":"pm_ok"}"#,
                "amount_invalid",
            ),
            (
                r#"{"amount":1.5,"currency":"USD","payment_method":"pm_ok"}"#,
                "body_invalid",
            ),
            (
                r#"{"amount":1,"currency":"usd","payment_method":"pm_ok"}"#,
                "currency_invalid",
            ),
            (
                r#"{"amount":1,"currency":"USD","payment_method":"pm_gold"}"#,
                "body_invalid",
            ),
            (
                r#"{"amount":1,"currency":"USD","payment_method":"pm_ok","reference":""}"#,
                "reference_invalid",
            ),
            ("[", "body_invalid"),
        ];
        for (body, code) in table {
            let refusal = Command::pay(body.as_bytes(), Profile::StripeLike).unwrap_err();
            assert_eq!(refusal.code, code, "{body}");
        }
    }

    #[test]
    fn a_reference_is_required_where_no_keys_are_kept() {
        let body = br#"{"amount":1,"currency":"USD","payment_method":"pm_ok"}"#;
        assert!(Command::pay(body, Profile::StripeLike).is_ok());
        let refusal = Command::pay(body, Profile::ReportOnly).unwrap_err();
        assert_eq!(refusal.code, "reference_required");
    }
}
