//! What is malformed is refused with the name of its field, and nothing of it
//! is stored.

use payonce::proto::v1::get_status_request::Target;
use payonce::proto::v1::{
    CompensateRequest, CreateOperationRequest, ErrorEffect, GetHistoryRequest, GetStatusRequest,
    ListOperationsRequest, Outcome, SubmitRequest, WatchOperationRequest,
};
use tonic::Code;

use crate::lab::database::both_databases;
use crate::lab::harness::{Caller, Refusal, World, WorldOptions, charge, give_back, money};

/// A field, and what makes it wrong.
type Spoiled = (&'static str, CreateOperationRequest);

fn with(field: &'static str, spoil: impl FnOnce(&mut CreateOperationRequest)) -> Spoiled {
    let mut request = charge("order-1", "pm_ok");
    spoil(&mut request);
    (field, request)
}

/// Wrong wherever 1 to 64 plain characters are asked for.
const WRONG_NAMES: [&str; 8] = [
    "two words",
    "line\nbreak",
    "nul\0",
    "bell\u{7}",
    "café",
    "订单",
    "\u{1F4B3}",
    "65-characters-65-characters-65-characters-65-characters-65-charac",
];

fn wrong_names() -> Vec<Spoiled> {
    let mut table = vec![with("order_id", |it| it.order_id.clear())];
    for name in WRONG_NAMES {
        table.push(with("order_id", |it| it.order_id = name.to_owned()));
        table.push(with("purpose", |it| it.purpose = name.to_owned()));
        table.push(with("payee", |it| it.payee = name.to_owned()));
        table.push(with("customer_ref", |it| it.customer_ref = name.to_owned()));
        table.push(with("agent", |it| it.agent = name.to_owned()));
        table.push(with("provider", |it| it.provider = name.to_owned()));
    }
    table.push(with("order_id", |it| it.order_id = "9".repeat(60_000)));
    table.push(with("purpose", |it| it.purpose = "rent".to_owned()));
    table.push(with("provider", |it| it.provider = "no-such".to_owned()));
    table
}

fn wrong_amounts() -> Vec<Spoiled> {
    let mut table = vec![with("amount", |it| it.amount = None)];
    for minor_units in [0, -1, i64::MIN, i64::MAX, 1_000_000_000_000_000] {
        table.push(with("amount.minor_units", |it| {
            it.amount = Some(money(minor_units, "USD"));
        }));
    }
    for currency in [
        "",
        "US",
        "DOLLAR",
        "ZZZ",
        "XXX",
        "U$D",
        "USD\0",
        "ＵＳＤ",
        "840",
    ] {
        table.push(with("amount.currency_code", |it| {
            it.amount = Some(money(4900, currency));
        }));
    }
    table
}

fn wrong_kinds_and_ids() -> Vec<Spoiled> {
    let mut table = Vec::new();
    for kind in [0, 4, 5, 6, -1, i32::MAX] {
        table.push(with("kind", |it| it.kind = kind));
    }
    for id in [
        "not-a-uuid",
        "0",
        "\0",
        "00000000-0000-0000-0000-00000000000g",
    ] {
        table.push(with("supersedes_operation_id", |it| {
            it.supersedes_operation_id = id.to_owned();
        }));
        table.push(with("parent_operation_id", |it| {
            it.parent_operation_id = id.to_owned();
        }));
    }
    table.push(with("parent_operation_id", |it| {
        it.parent_operation_id = "01890a5d-ac96-774b-bcce-b302099a8057".to_owned();
    }));
    table
}

fn wrong_texts() -> Vec<Spoiled> {
    let mut table = Vec::new();
    for method in ["", "two words", "pm\0", "pm\n", "pm_é", &"m".repeat(256)] {
        table.push(with("payment_method", |it| {
            it.payment_method = method.to_owned();
        }));
    }
    for text in ["nul\0", "esc\u{1b}[31m", "line\nbreak", &"d".repeat(513)] {
        table.push(with("description", |it| it.description = text.to_owned()));
    }
    for (key, value) in [
        ("", "v"),
        ("k\0", "v"),
        ("k", "v\0"),
        ("k", "v\r\n"),
        (&"k".repeat(41), "v"),
        ("k", &"v".repeat(257)),
    ] {
        table.push(with("labels", |it| {
            it.labels.insert(key.to_owned(), value.to_owned());
        }));
    }
    table.push(with("labels", |it| {
        it.labels = (0..17)
            .map(|number| (number.to_string(), String::new()))
            .collect();
    }));
    table.push(with("wait", |it| {
        it.wait = Some(prost_types::Duration {
            seconds: -1,
            nanos: 0,
        });
    }));
    table
}

both_databases!(
    a_malformed_request_names_its_field_and_leaves_nothing,
    |database| async move {
        let world = World::start(database, WorldOptions::default()).await;
        let caller = world.caller();
        let tables = [
            wrong_names(),
            wrong_amounts(),
            wrong_kinds_and_ids(),
            wrong_texts(),
        ];
        for (field, request) in tables.into_iter().flatten() {
            let asked = format!("{field}: {request:?}");
            let refused = caller.create(request).await.expect_err(&asked);
            assert_refused(&refused, field, &asked);
        }
        assert!(caller.list().await.is_empty());
        assert!(world.judge().all_requests().await.is_empty());

        // The same order is as free as if nobody had named it.
        caller
            .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
            .await;
    }
);

fn assert_refused(refused: &Refusal, field: &str, asked: &str) {
    assert_eq!(refused.code, Code::InvalidArgument, "{asked}: {refused:?}");
    assert_eq!(refused.reason, "INVALID_FIELD", "{asked}: {refused:?}");
    assert_eq!(refused.effect, ErrorEffect::None, "{asked}: {refused:?}");
    let named = refused.fields.iter().any(|it| it.starts_with(field));
    assert!(named, "{asked}: {refused:?}");
}

both_databases!(a_card_number_is_refused_everywhere, |database| async move {
    let world = World::start(database, WorldOptions::default()).await;
    let caller = world.caller();
    for card in [
        "4111111111111111",
        "5555-5555-5555-4444",
        "3782 822463 10005",
    ] {
        for (field, request) in [
            with("payment_method", |it| {
                it.payment_method = card.replace(' ', "")
            }),
            with("description", |it| it.description = format!("card {card}")),
            with("labels", |it| {
                it.labels.insert("note".to_owned(), card.to_owned());
            }),
            with("order_id", |it| it.order_id = card.replace(' ', "-")),
            with("customer_ref", |it| {
                it.customer_ref = card.replace(' ', "-")
            }),
        ] {
            let refused = caller.create(request).await.expect_err(card);
            assert_eq!(refused.code, Code::InvalidArgument, "{field}");
            assert_eq!(refused.reason, "CARD_NUMBER_REFUSED", "{field}");
            let shown = format!("{refused:?}");
            assert!(!shown.contains(card), "the value is never shown: {shown}");
        }
    }
    assert!(caller.list().await.is_empty());
});

both_databases!(every_call_checks_what_it_is_given, |database| async move {
    let world = World::start(database, WorldOptions::default()).await;
    let caller = world.caller();
    for (field, refused) in wrong_calls(&caller).await {
        assert_eq!(refused.code, Code::InvalidArgument, "{field}: {refused:?}");
        let named = refused.fields.iter().any(|it| it.starts_with(field));
        assert!(named, "{field}: {refused:?}");
    }

    let nobody = "01890a5d-ac96-774b-bcce-b302099a8057";
    let unknown = caller.submit(nobody).await.unwrap_err();
    assert_eq!(unknown.code, Code::NotFound);
    assert_eq!(unknown.reason, "OPERATION_NOT_FOUND");
    let unknown = caller.operation("no-such-order").await.unwrap_err();
    assert_eq!(unknown.code, Code::NotFound);
    let unknown = caller.compensate(give_back(nobody, "l")).await.unwrap_err();
    assert_eq!(unknown.code, Code::NotFound);
});

async fn wrong_calls(caller: &Caller) -> Vec<(&'static str, Refusal)> {
    let mut refusals = Vec::new();
    let mut client = caller.client();
    let submit = client.submit(SubmitRequest::default()).await;
    refusals.push(("operation_id", submit.unwrap_err().into()));
    let status = client.get_status(GetStatusRequest::default()).await;
    refusals.push(("target", status.unwrap_err().into()));
    let status = client
        .get_status(GetStatusRequest {
            target: Some(Target::OperationId("x".to_owned())),
            ..GetStatusRequest::default()
        })
        .await;
    refusals.push(("operation_id", status.unwrap_err().into()));
    let list = client
        .list_operations(ListOperationsRequest {
            page_size: -1,
            ..ListOperationsRequest::default()
        })
        .await;
    refusals.push(("page_size", list.unwrap_err().into()));
    let list = client
        .list_operations(ListOperationsRequest {
            page_token: "made up".to_owned(),
            ..ListOperationsRequest::default()
        })
        .await;
    refusals.push(("page_token", list.unwrap_err().into()));
    let watch = client
        .watch_operation(WatchOperationRequest {
            operation_id: "01890a5d-ac96-774b-bcce-b302099a8057".to_owned(),
            after_version: -1,
        })
        .await;
    refusals.push(("after_version", watch.unwrap_err().into()));
    let history = client.get_history(GetHistoryRequest::default()).await;
    refusals.push(("operation_id", history.unwrap_err().into()));
    for (field, request) in wrong_compensations() {
        let refused = caller.compensate(request).await.unwrap_err();
        refusals.push((field, refused));
    }
    refusals
}

fn wrong_compensations() -> Vec<(&'static str, CompensateRequest)> {
    let good = give_back("01890a5d-ac96-774b-bcce-b302099a8057", "returned");
    let spoil = |spoil: fn(&mut CompensateRequest)| {
        let mut request = good.clone();
        spoil(&mut request);
        request
    };
    vec![
        ("operation_id", spoil(|it| it.operation_id.clear())),
        ("label", spoil(|it| it.label.clear())),
        ("label", spoil(|it| it.label = "two words".to_owned())),
        ("reason", spoil(|it| it.reason = 0)),
        ("reason", spoil(|it| it.reason = 99)),
        ("amount", spoil(|it| it.amount = Some(money(0, "USD")))),
        ("amount", spoil(|it| it.amount = Some(money(1, "ZZZ")))),
    ]
}
