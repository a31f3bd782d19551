//! The request digest (P3): whether two requests ask for the same thing.
//!
//! It covers business fields only, as they were sent: currencies in upper
//! case, defaults not yet applied, an absent field equal to an empty one,
//! integers as strings (a JSON number above 2^53 would lose its last digits),
//! in the canonical JSON of RFC 8785, hashed with SHA-256. Trace ids,
//! deadlines, labels, descriptions, `submit` and `wait` are not in it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::ids::OperationId;
use super::money::Money;
use super::refusal::Refusal;
use super::request::{CompensateRequest, CreateRequest};

/// The version that new rows get. An old row is compared by its own version.
pub const CURRENT_VERSION: i16 = 1;

/// A digest together with the canonical text that it was made from, which is
/// kept so that a mismatch can name the fields that differ.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Which canonical form.
    pub version: i16,
    /// The business fields in that form.
    pub canonical: String,
}

impl Fingerprint {
    /// SHA-256 of the canonical text.
    pub fn sha256(&self) -> [u8; 32] {
        Sha256::digest(self.canonical.as_bytes()).into()
    }

    /// The names of the fields in which two requests differ, in alphabetical
    /// order; empty when they ask for the same thing.
    pub fn differing_fields(&self, other: &Fingerprint) -> Vec<String> {
        if self.sha256() == other.sha256() {
            return Vec::new();
        }
        let (ours, theirs) = (fields(&self.canonical), fields(&other.canonical));
        let mut names: Vec<String> = ours.keys().chain(theirs.keys()).cloned().collect();
        names.sort();
        names.dedup();
        names.retain(|name| ours.get(name) != theirs.get(name));
        names
    }
}

/// P3: a repeat must ask for what was asked before; else it is a conflict that
/// names the fields.
pub fn check_repeat(
    operation_id: OperationId,
    before: &Fingerprint,
    asked: &Fingerprint,
) -> Result<(), Refusal> {
    let fields = before.differing_fields(asked);
    if fields.is_empty() {
        return Ok(());
    }
    Err(Refusal::KeyReused {
        operation_id,
        fields,
    })
}

fn fields(canonical: &str) -> Map<String, Value> {
    serde_json::from_str(canonical).unwrap_or_default()
}

fn seal(fields: Map<String, Value>) -> Fingerprint {
    let canonical = serde_json_canonicalizer::to_string(&Value::Object(fields))
        .expect("strings and objects of strings have a canonical form");
    Fingerprint {
        version: CURRENT_VERSION,
        canonical,
    }
}

fn put(fields: &mut Map<String, Value>, name: &str, text: Option<String>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        fields.insert(name.to_owned(), Value::String(text));
    }
}

fn money(amount: &Money) -> Value {
    json!({
        "currency_code": amount.currency.code(),
        "minor_units": amount.minor_units.to_string(),
    })
}

/// The digest of a `CreateOperation`.
pub fn of_create(request: &CreateRequest) -> Fingerprint {
    let mut fields = Map::new();
    let text = |name: &dyn ToString| Some(name.to_string());
    put(&mut fields, "order_id", text(&request.order_id));
    put(
        &mut fields,
        "purpose",
        request.purpose.clone().map(String::from),
    );
    put(&mut fields, "kind", text(&request.kind));
    fields.insert("amount".to_owned(), money(&request.amount));
    let method = request.payment_method.as_ref();
    put(
        &mut fields,
        "payment_method",
        method.map(|m| m.as_str().to_owned()),
    );
    put(
        &mut fields,
        "payee",
        request.payee.clone().map(String::from),
    );
    put(
        &mut fields,
        "customer_ref",
        request.customer_ref.clone().map(String::from),
    );
    put(
        &mut fields,
        "agent",
        request.agent.clone().map(String::from),
    );
    put(
        &mut fields,
        "provider",
        request.provider.clone().map(String::from),
    );
    put(
        &mut fields,
        "parent_operation_id",
        request.parent.map(|id| id.to_string()),
    );
    put(
        &mut fields,
        "supersedes_operation_id",
        request.supersedes.map(|id| id.to_string()),
    );
    seal(fields)
}

/// The digest of a `Compensate`: parent, amount as sent, effect.
pub fn of_compensate(request: &CompensateRequest) -> Fingerprint {
    let mut fields = Map::new();
    put(
        &mut fields,
        "operation_id",
        Some(request.operation_id.to_string()),
    );
    if let Some(amount) = &request.amount {
        fields.insert("amount".to_owned(), money(amount));
    }
    let effect = request.provider_payment_id.as_ref();
    put(
        &mut fields,
        "provider_payment_id",
        effect.map(|id| id.as_str().to_owned()),
    );
    seal(fields)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::domain::kind::Kind;
    use crate::domain::money::{Currency, MAX_MINOR_UNITS};
    use crate::domain::reference::{OrderId, Purpose};
    use crate::domain::request::PaymentMethod;
    use proptest::prelude::*;

    fn request(minor_units: i64, currency: &str) -> CreateRequest {
        CreateRequest {
            order_id: OrderId::parse("8472").expect("order"),
            purpose: None,
            kind: Kind::Charge,
            amount: Money::new(Currency::parse(currency).expect("currency"), minor_units),
            payment_method: PaymentMethod::parse("pm_ok"),
            payee: None,
            customer_ref: None,
            agent: None,
            provider: None,
            parent: None,
            supersedes: None,
            description: None,
            labels: BTreeMap::new(),
        }
    }

    #[test]
    fn the_canonical_form_is_fixed() {
        let expected = r#"{"amount":{"currency_code":"USD","minor_units":"4900"},"kind":"CHARGE","order_id":"8472","payment_method":"pm_ok"}"#;
        assert_eq!(of_create(&request(4900, "usd")).canonical, expected);
    }

    #[test]
    fn words_for_people_are_not_in_it() {
        let mut other = request(4900, "USD");
        other.description = Some("a note".into());
        other.labels.insert("run".into(), "7".into());
        assert_eq!(of_create(&other), of_create(&request(4900, "USD")));
    }

    #[test]
    fn a_difference_is_named() {
        let one = of_create(&request(1212, "USD"));
        assert_eq!(
            one.differing_fields(&of_create(&request(1213, "USD"))),
            ["amount"]
        );
        let mut other = request(1212, "USD");
        other.purpose = Some(Purpose::parse("deposit").expect("purpose"));
        other.payment_method = None;
        let differing = one.differing_fields(&of_create(&other));
        assert_eq!(differing, ["payment_method", "purpose"]);
    }

    #[test]
    fn neighbours_above_two_to_the_53_differ() {
        let big = 9_007_199_254_740_992;
        let digest = |units| of_create(&request(units, "USD")).sha256();
        assert_ne!(digest(big), digest(big + 1));
    }

    /// A second encoder, written from RFC 8785 for strings and objects only:
    /// keys sorted by UTF-16 code units, minimal escapes.
    fn encode(value: &Value) -> String {
        match value {
            Value::String(text) => escape(text),
            Value::Object(map) => {
                let mut keys: Vec<&String> = map.keys().collect();
                keys.sort_by_key(|key| key.encode_utf16().collect::<Vec<_>>());
                let pairs: Vec<String> = keys
                    .iter()
                    .map(|key| format!("{}:{}", escape(key), encode(&map[*key])))
                    .collect();
                format!("{{{}}}", pairs.join(","))
            }
            other => panic!("a digest holds strings and objects only, not {other}"),
        }
    }

    fn escape(text: &str) -> String {
        let mut out = String::from("\"");
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                c => out.push(c),
            }
        }
        out.push('"');
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]
        #[test]
        fn two_encoders_agree_and_the_amount_comes_out_unchanged(
            units in prop_oneof![Just(0_i64), Just(1), Just(MAX_MINOR_UNITS), Just(i64::MAX), any::<i64>()],
            order in "[A-Za-z0-9._:/#@+=~-]{1,64}",
            method in proptest::option::of("[!-~]{1,255}"),
            kind in 0..5_usize,
        ) {
            let mut asked = request(units, "USD");
            asked.order_id = OrderId::parse(&order).expect("order");
            asked.payment_method = method.as_deref().and_then(PaymentMethod::parse);
            asked.kind = Kind::ALL[kind];
            let canonical = of_create(&asked).canonical;
            let read: Value = serde_json::from_str(&canonical).expect("JSON");
            prop_assert_eq!(&encode(&read), &canonical);
            prop_assert_eq!(&read["amount"]["minor_units"], &Value::String(units.to_string()));
            prop_assert_eq!(&read["kind"], asked.kind.name());
        }
    }
}
