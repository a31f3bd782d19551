//! What a sighting takes over from an object, field by field.

use serde_json::{Value, json};

use super::{KEY, account, failed_payment, key, money, payment, reader, refund_object, with};
use crate::domain::evidence::{CustomerAction, CustomerActionKind, Shown, Sighting};
use crate::domain::time::Instant;
use crate::provider::simulator::body::{Object, Payment, Refund};
use crate::provider::simulator::profile::KeyField;

fn sighting<O: Object>(object: Value, key_field: KeyField) -> Sighting {
    let object: O = serde_json::from_value(object).unwrap();
    object.sighting(&reader(key_field)).unwrap()
}

fn shown(fields: Value) -> Sighting {
    sighting::<Payment>(with(payment(), fields), KeyField::Metadata)
}

#[test]
fn every_field_of_a_payment() {
    let seen = shown(json!({"amount_refunded": 1200}));
    assert_eq!(seen.id.as_str(), "pay_1");
    assert_eq!(seen.key, Some(key(KEY)));
    assert_eq!(seen.account, Some(account()));
    assert_eq!(seen.amount, Some(money(4900, "USD")));
    assert_eq!(seen.given_back, 1200);
    assert_eq!(seen.made_at, Some(Instant(1_700_000_000_123_000)));
}

#[test]
fn another_account_never_reads_as_the_configured_one() {
    for name in ["acct_other", "", "cards", "ACCT_SIM", "<b>"] {
        let seen = shown(json!({"account": name}));
        assert!(seen.account.is_some_and(|it| it != account()), "{name}");
    }
}

#[test]
fn what_cannot_be_an_amount_is_none() {
    for (units, code) in [
        (json!(1_000_000_000_000_000_i64), "USD"),
        (json!(u64::MAX), "USD"),
        (json!(4900), "XXX"),
        (json!(4900), "ZZZ"),
    ] {
        let seen = shown(json!({"amount_captured": units, "currency": code}));
        assert_eq!(seen.amount, None, "{units} {code}");
    }
    let nothing = json!({"status": "processing", "amount": 0, "amount_captured": 0});
    assert_eq!(shown(nothing).amount, None);
}

#[test]
fn amounts_are_the_providers_own_numbers() {
    for (units, code) in [(100, "JPY"), (18_600, "KWD"), (4_999_000_000, "VND")] {
        let seen = shown(json!({"amount_captured": units, "currency": code}));
        assert_eq!(seen.amount, Some(money(units, code)));
    }
}

#[test]
fn without_metadata_there_is_no_key_and_a_strange_one_is_none() {
    for metadata in [json!(null), json!({}), json!({"payonce_key": "order 8472"})] {
        assert_eq!(shown(json!({"metadata": metadata})).key, None);
    }
}

#[test]
fn where_the_reference_is_the_key_the_metadata_counts_for_nothing() {
    let seen = sighting::<Payment>(payment(), KeyField::Reference);
    assert_eq!(seen.key, None);
    let by_key = with(payment(), json!({"reference": KEY, "metadata": null}));
    let seen = sighting::<Payment>(by_key, KeyField::Reference);
    assert_eq!(seen.key, Some(key(KEY)));
}

fn action(action: Value) -> CustomerAction {
    let fields = json!({"status": "requires_action", "amount_captured": 0, "action": action});
    match shown(fields).shown {
        Shown::ActionRequired(action) => action,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_customer_step_keeps_its_kind_its_address_and_its_end() {
    let url = "https://bank.example/step/1";
    assert_eq!(
        action(json!({"kind": "redirect", "url": url, "expires_at": 1_700_000_086_400_i64})),
        CustomerAction {
            kind: CustomerActionKind::Redirect,
            url: Some(url.to_owned()),
            expires_at: Some(Instant(1_700_000_086_400_000)),
        }
    );
    let nothing = CustomerAction {
        kind: CustomerActionKind::Other,
        url: None,
        expires_at: None,
    };
    for odd in [
        json!(null),
        json!({}),
        json!({"kind": "dance", "url": "javascript:alert(1)"}),
        json!({"kind": "call", "url": format!("https://bank.example/{}", "x".repeat(2048))}),
        json!({"url": "https://bank.example/a b"}),
        json!({"expires_at": i64::MAX}),
    ] {
        assert_eq!(action(odd.clone()), nothing, "{odd}");
    }
}

#[test]
fn a_decline_carries_only_codes_of_the_list() {
    for (code, carried) in [
        ("card_declined", Some("card_declined")),
        ("call 555-1234", None),
        ("CARD_DECLINED", None),
    ] {
        let seen = sighting::<Payment>(failed_payment(code), KeyField::Metadata);
        let Shown::Failed(decline) = seen.shown else {
            panic!("{seen:?}");
        };
        assert_eq!(decline.provider_code.as_deref(), carried);
    }
}

#[test]
fn a_refund_shows_its_own_amount() {
    let seen = sighting::<Refund>(refund_object(), KeyField::Metadata);
    assert_eq!(seen.id.as_str(), "re_1");
    assert_eq!(seen.amount, Some(money(1200, "USD")));
    assert_eq!(seen.account, Some(account()));
    assert_eq!((seen.given_back, seen.made_at), (0, None));
}
