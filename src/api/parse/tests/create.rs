use super::super::create;
use super::{CARD, ID, fields};
use crate::domain::kind::Kind;
use crate::domain::money::MAX_MINOR_UNITS;
use crate::proto::v1::{CreateOperationRequest, Money, OperationKind};

pub(super) fn good() -> CreateOperationRequest {
    CreateOperationRequest {
        order_id: "8472".to_owned(),
        kind: OperationKind::Charge.into(),
        amount: Some(money("usd", 4900)),
        payment_method: "tok_visa".to_owned(),
        ..CreateOperationRequest::default()
    }
}

fn money(code: &str, minor_units: i64) -> Money {
    Money {
        currency_code: code.to_owned(),
        minor_units,
    }
}

fn refused(change: impl FnOnce(&mut CreateOperationRequest)) -> Vec<&'static str> {
    let mut request = good();
    change(&mut request);
    fields(create(request))
}

#[test]
fn a_whole_request_comes_through_as_it_was_sent() {
    let wire = CreateOperationRequest {
        purpose: "deposit".to_owned(),
        payee: "shop".to_owned(),
        customer_ref: "c/1".to_owned(),
        agent: "agent@1".to_owned(),
        provider: "main".to_owned(),
        supersedes_operation_id: ID.to_owned(),
        description: "Für Élodie 🎁".to_owned(),
        labels: [("größe".to_owned(), "五".to_owned())].into(),
        submit: true,
        wait: Some(prost_types::Duration {
            seconds: 2,
            nanos: 5,
        }),
        ..good()
    };
    let read = create(wire).expect("good");
    let request = read.request;
    assert_eq!(request.order_id.as_str(), "8472");
    assert_eq!(request.kind, Kind::Charge);
    assert_eq!(request.amount.to_string(), "49.00 USD");
    assert_eq!(request.payment_method.expect("given").as_str(), "tok_visa");
    assert_eq!(request.purpose.expect("given").as_str(), "deposit");
    assert_eq!(request.payee.expect("given").as_str(), "shop");
    assert_eq!(request.customer_ref.expect("given").as_str(), "c/1");
    assert_eq!(request.agent.expect("given").as_str(), "agent@1");
    assert_eq!(request.provider.expect("given").as_str(), "main");
    assert_eq!(request.supersedes.expect("given").to_string(), ID);
    assert_eq!(request.description.as_deref(), Some("Für Élodie 🎁"));
    assert_eq!(request.labels.get("größe").map(String::as_str), Some("五"));
    assert!(read.submit);
    assert_eq!(read.wait, Some(std::time::Duration::new(2, 5)));
}

#[test]
fn what_is_empty_is_absent_and_no_default_is_put_in() {
    let read = create(good()).expect("good");
    let request = read.request;
    assert_eq!(request.purpose, None);
    assert_eq!(request.provider, None);
    assert_eq!(request.supersedes, None);
    assert_eq!(request.description, None);
    assert!(request.labels.is_empty() && !read.submit);
    assert_eq!(read.wait, None);
}

#[test]
fn an_empty_request_names_all_that_is_missing_at_once() {
    assert_eq!(
        fields(create(CreateOperationRequest::default())),
        ["order_id", "kind", "amount"]
    );
    let method = refused(|it| it.payment_method.clear());
    assert_eq!(method, ["payment_method"]);
}

#[test]
fn references_keep_their_rule() {
    let long = "x".repeat(65);
    for bad in [" ", "a b", "a\0", "a\n", "é", "a%", "\u{200b}", &long] {
        assert_eq!(refused(|it| it.order_id = bad.to_owned()), ["order_id"]);
        let all = refused(|it| {
            it.purpose = bad.to_owned();
            it.payee = bad.to_owned();
            it.customer_ref = bad.to_owned();
            it.agent = bad.to_owned();
            it.provider = bad.to_owned();
        });
        let expected = ["purpose", "payee", "customer_ref", "agent", "provider"];
        assert_eq!(all, expected, "{bad:?}");
    }
    let mut edge = good();
    edge.order_id = "x".repeat(64);
    assert!(create(edge).is_ok());
}

#[test]
fn amounts_keep_their_bounds() {
    for units in [0, -1, i64::MIN, i64::MAX, MAX_MINOR_UNITS + 1] {
        let found = refused(|it| it.amount = Some(money("USD", units)));
        assert_eq!(found, ["amount.minor_units"], "{units}");
    }
    for code in ["", "US", "USDX", "XXX", "XAU", "ZZZ", "US\0", "ÜSD"] {
        let found = refused(|it| it.amount = Some(money(code, 1)));
        assert_eq!(found, ["amount.currency_code"], "{code:?}");
    }
    let both = refused(|it| it.amount = Some(Money::default()));
    assert_eq!(both, ["amount.currency_code", "amount.minor_units"]);
    for units in [1, 4_999_000_000, MAX_MINOR_UNITS] {
        let mut edge = good();
        edge.amount = Some(money("VND", units));
        let read = create(edge).expect("within the bounds");
        assert_eq!(read.request.amount.minor_units, units);
    }
}

#[test]
fn refunds_and_voids_come_only_from_compensate() {
    for kind in [OperationKind::Refund, OperationKind::Void] {
        let mut request = good();
        request.kind = kind.into();
        let malformed = create(request).expect_err("must be refused");
        assert_eq!(malformed.violations.len(), 1);
        assert!(
            malformed.violations[0]
                .rule
                .contains("only from Compensate")
        );
    }
    for number in [6, -1, i32::MAX] {
        assert_eq!(refused(|it| it.kind = number), ["kind"]);
    }
}

#[test]
fn a_capture_has_a_parent_and_no_method_of_its_own() {
    let capture = |it: &mut CreateOperationRequest| it.kind = OperationKind::Capture.into();
    let missing = refused(capture);
    assert_eq!(missing, ["payment_method", "parent_operation_id"]);
    let mut fine = good();
    capture(&mut fine);
    fine.payment_method.clear();
    fine.parent_operation_id = ID.to_owned();
    let read = create(fine).expect("good");
    assert_eq!(read.request.parent.expect("given").to_string(), ID);
    let charge = refused(|it| it.parent_operation_id = ID.to_owned());
    assert_eq!(charge, ["parent_operation_id"]);
}

#[test]
fn ids_are_hyphenated_uuids() {
    let no_hyphens = ID.replace('-', "");
    let braced = format!("{{{ID}}}");
    for bad in ["1", "x", &no_hyphens, &braced, &format!("{ID}0"), "\0"] {
        let found = refused(|it| it.supersedes_operation_id = bad.to_owned());
        assert_eq!(found, ["supersedes_operation_id"], "{bad:?}");
    }
}

#[test]
fn a_mandate_is_refused_rather_than_ignored() {
    let found = refused(|it| it.authorization = "eyJhbGciOiJFUzI1NiJ9.e30.c2ln".to_owned());
    assert_eq!(found, ["authorization"]);
}

#[test]
fn payment_methods_are_visible_ascii() {
    let long = "x".repeat(256);
    for bad in ["tok visa", "tok\0", "tök", "tok\u{7f}", &long] {
        let found = refused(|it| it.payment_method = bad.to_owned());
        assert_eq!(found, ["payment_method"], "{bad:?}");
    }
}

#[test]
fn a_card_number_is_refused_in_every_text_and_never_repeated() {
    type Change = fn(&mut CreateOperationRequest);
    let changes: [(&str, Change); 13] = [
        ("order_id", |it| it.order_id = CARD.to_owned()),
        ("purpose", |it| it.purpose = CARD.to_owned()),
        ("amount.currency_code", |it| {
            it.amount = Some(money(CARD, 1));
        }),
        ("payment_method", |it| it.payment_method = CARD.to_owned()),
        ("payee", |it| it.payee = "4111-1111-1111-1111".to_owned()),
        ("customer_ref", |it| it.customer_ref = CARD.to_owned()),
        ("agent", |it| it.agent = CARD.to_owned()),
        ("provider", |it| it.provider = CARD.to_owned()),
        ("supersedes_operation_id", |it| {
            it.supersedes_operation_id = CARD.to_owned();
        }),
        ("authorization", |it| it.authorization = CARD.to_owned()),
        ("description", |it| {
            it.description = "card 4111 1111 1111 1111 please".to_owned();
        }),
        ("labels", |it| {
            it.labels.insert(CARD.to_owned(), String::new());
        }),
        ("labels", |it| {
            it.labels.insert("pan".to_owned(), CARD.to_owned());
        }),
    ];
    for (field, change) in changes {
        let mut request = good();
        change(&mut request);
        let malformed = create(request).expect_err("must be refused");
        assert!(malformed.card_number, "{field}");
        assert_eq!(malformed.violations[0].field, field);
        assert!(!format!("{malformed:?}").contains("1111"), "{malformed:?}");
    }
}

#[test]
fn a_refusal_repeats_no_value() {
    let malformed = create(CreateOperationRequest {
        order_id: "marker one".to_owned(),
        payment_method: "marker two".to_owned(),
        description: "marker\u{7}".to_owned(),
        labels: [("marker\n".to_owned(), "marker\0".to_owned())].into(),
        ..CreateOperationRequest::default()
    });
    let malformed = malformed.expect_err("must be refused");
    assert!(!malformed.card_number);
    assert!(
        !format!("{malformed:?}").contains("marker"),
        "{malformed:?}"
    );
}
