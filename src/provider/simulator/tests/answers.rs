//! Status, headers and body, and what they are read as.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::{KEY, OTHER_KEY, failed_payment, key, payment, reader, refund_object, with};
use crate::domain::attempt::Step;
use crate::domain::decide::Hint;
use crate::domain::evidence::{DeclineCategory, Shown};
use crate::http::Answer;
use crate::provider::simulator::profile::KeyField;
use crate::provider::{AmbiguousCause, Sent};

/// What an answer must be read as.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Read {
    Done(i64),
    Held,
    Processing,
    ActionRequired,
    Failed(DeclineCategory),
    Withdrawn,
    Refused(DeclineCategory),
    /// Not recognised, and no sign.
    Unrecognised,
    /// Not recognised, but it has our payment.
    UnrecognisedSign,
    NotOurs,
    InProgress,
    KeyMismatch,
    /// Seconds to wait.
    RateLimited(Option<u64>),
    ProviderFailed(Option<u64>),
    FailureReplayed,
    NoRefusal,
}

fn summary(sent: &Sent) -> Read {
    match sent {
        Sent::NotSent(cause) => panic!("an answer came: {cause}"),
        Sent::Answered(evidence) => match (&evidence.refused, evidence.sightings.as_slice()) {
            (Some(decline), []) => Read::Refused(decline.category),
            (None, [sighting]) => match &sighting.shown {
                Shown::Done => Read::Done(sighting.amount.unwrap().minor_units),
                Shown::Held => Read::Held,
                Shown::Processing => Read::Processing,
                Shown::ActionRequired(_) => Read::ActionRequired,
                Shown::Failed(decline) => Read::Failed(decline.category),
                Shown::Withdrawn => Read::Withdrawn,
            },
            other => panic!("{other:?}"),
        },
        Sent::Ambiguous(hint, cause) => summary_of(*hint, *cause),
    }
}

fn summary_of(hint: Hint, cause: AmbiguousCause) -> Read {
    let Hint {
        sign,
        replayed_failure,
        retry_after,
    } = hint;
    let wait = retry_after.map(|it| it.as_secs());
    match (cause, sign, replayed_failure, wait) {
        (AmbiguousCause::Unrecognised { .. }, false, false, None) => Read::Unrecognised,
        (AmbiguousCause::Unrecognised { .. }, true, false, None) => Read::UnrecognisedSign,
        (AmbiguousCause::NotOurs { .. }, false, false, None) => Read::NotOurs,
        (AmbiguousCause::InProgress, true, false, None) => Read::InProgress,
        (AmbiguousCause::KeyMismatch, true, false, None) => Read::KeyMismatch,
        (AmbiguousCause::RateLimited, false, false, wait) => Read::RateLimited(wait),
        (AmbiguousCause::ProviderFailed { .. }, false, false, wait) => Read::ProviderFailed(wait),
        (AmbiguousCause::FailureReplayed { .. }, false, true, None) => Read::FailureReplayed,
        (AmbiguousCause::NoRefusal { .. }, false, false, None) => Read::NoRefusal,
        other => panic!("{other:?}"),
    }
}

fn classify(step: Step, status: u16, headers: &[(&str, &str)], body: &str) -> Sent {
    let pairs = headers.iter().map(|(name, value)| {
        let name = HeaderName::try_from(*name).unwrap();
        (name, HeaderValue::try_from(*value).unwrap())
    });
    let answer = Answer {
        status,
        headers: HeaderMap::from_iter(pairs),
        body: body.as_bytes().to_vec(),
    };
    reader(KeyField::Metadata).classify(step, &key(KEY), &answer)
}

#[track_caller]
fn reads(step: Step, status: u16, headers: &[(&str, &str)], body: &str, expected: Read) {
    let sent = classify(step, status, headers, body);
    assert_eq!(summary(&sent), expected, "{status} {headers:?} {body}");
}

fn error(kind: &str, code: &str) -> String {
    json!({"error": {"type": kind, "code": code, "message": "words"}}).to_string()
}

fn card_error(payment: Value) -> String {
    json!({"error": {"type": "card_error", "code": "card_declined", "payment": payment}})
        .to_string()
}

const REPLAYED: &[(&str, &str)] = &[("idempotent-replayed", "true")];

#[test]
fn payments_that_are_recognised() {
    let untouched = json!({"amount_captured": 0});
    let open = |status: &str| {
        with(
            with(payment(), untouched.clone()),
            json!({"status": status}),
        )
    };
    for (shown, expected) in [
        (payment(), Read::Done(4900)),
        (with(payment(), json!({"amount": 5000})), Read::Done(4900)),
        (
            with(payment(), json!({"amount_captured": 1})),
            Read::Done(1),
        ),
        (
            with(payment(), json!({"unknown": [1, 2]})),
            Read::Done(4900),
        ),
        (with(payment(), json!({"created": null})), Read::Done(4900)),
        (open("requires_capture"), Read::Held),
        (open("processing"), Read::Processing),
        (open("requires_action"), Read::ActionRequired),
        (open("canceled"), Read::Withdrawn),
        (
            failed_payment("insufficient_funds"),
            Read::Failed(DeclineCategory::InsufficientFunds),
        ),
        (
            failed_payment("new_code"),
            Read::Failed(DeclineCategory::Other),
        ),
        (open("failed"), Read::Failed(DeclineCategory::Other)),
    ] {
        reads(Step::Create, 200, &[], &shown.to_string(), expected);
        reads(Step::Create, 200, REPLAYED, &shown.to_string(), expected);
    }
}

#[test]
fn successes_that_are_not_recognised_but_show_our_payment() {
    for fields in [
        json!({"status": "weird"}),
        json!({"status": "SUCCEEDED"}),
        json!({"status": null}),
        json!({"status": ["succeeded"]}),
        json!({"object": "refund"}),
        json!({"object": null}),
        json!({"amount": "4900"}),
        json!({"amount": -4900}),
        json!({"amount": 4900.0}),
        json!({"amount": null}),
        json!({"amount_captured": null}),
        json!({"amount_captured": -1}),
        json!({"amount_captured": 0}),
        json!({"amount_refunded": "0"}),
        json!({"amount_refunded": u64::MAX}),
        json!({"currency": "usd"}),
        json!({"currency": "US"}),
        json!({"currency": null}),
        json!({"currency": 840}),
        json!({"account": null}),
        json!({"id": "pay 1"}),
        json!({"id": "../ledger"}),
        json!({"status": "failed"}),
        json!({"status": "canceled"}),
    ] {
        let body = with(payment(), fields).to_string();
        reads(Step::Create, 200, &[], &body, Read::UnrecognisedSign);
    }
    let body = payment().to_string();
    for status in [201, 202, 203, 206, 299] {
        reads(Step::Create, status, &[], &body, Read::UnrecognisedSign);
    }
    let twice = body.replacen('{', r#"{"status":"failed","#, 1);
    reads(Step::Create, 200, &[], &twice, Read::UnrecognisedSign);
    let twice = body.replacen('{', r#"{"amount":1,"#, 1);
    reads(Step::Create, 200, &[], &twice, Read::UnrecognisedSign);
}

#[test]
fn successes_that_are_not_recognised_at_all() {
    let whole = payment().to_string();
    let half = &whole[..whole.len() / 2];
    let doubled = format!("{whole}{whole}");
    let listed = json!([payment()]).to_string();
    let nested = json!({"data": [payment()], "has_more": false}).to_string();
    let marked = format!("\u{feff}{whole}");
    for body in [
        "",
        " ",
        "null",
        "true",
        "{}",
        "[]",
        "\"succeeded\"",
        "<html><body>Please wait.</body></html>",
        "{\"status\":\"succeeded\"}",
        "{\"status\":\"succeeded\",",
        "{'status':'succeeded'}",
        half,
        &doubled,
        &listed,
        &nested,
        &marked,
    ] {
        reads(Step::Create, 200, &[], body, Read::Unrecognised);
        reads(Step::Refund, 200, &[], body, Read::Unrecognised);
    }
    let no_id = with(payment(), json!({"id": null})).to_string();
    reads(Step::Create, 200, &[], &no_id, Read::Unrecognised);
    let empty_id = with(payment(), json!({"id": ""})).to_string();
    reads(Step::Create, 200, &[], &empty_id, Read::Unrecognised);
    reads(Step::Create, 204, &[], "", Read::Unrecognised);
}

#[test]
fn what_carries_another_key_is_not_ours() {
    for metadata in [
        json!({"payonce_key": OTHER_KEY}),
        json!({"payonce_key": KEY.to_uppercase()}),
        json!({}),
    ] {
        let shown = with(payment(), json!({"metadata": metadata}));
        reads(Step::Create, 200, &[], &shown.to_string(), Read::NotOurs);
        let failed = with(
            failed_payment("card_declined"),
            json!({"metadata": metadata}),
        );
        reads(Step::Create, 402, &[], &card_error(failed), Read::NotOurs);
        let shown = with(refund_object(), json!({"metadata": metadata}));
        reads(Step::Refund, 200, &[], &shown.to_string(), Read::NotOurs);
    }
    let bare = with(payment(), json!({"metadata": null})).to_string();
    reads(Step::Create, 200, &[], &bare, Read::NotOurs);
}

#[test]
fn declines() {
    use DeclineCategory::{CardDeclined, LimitExceeded, Other};
    let declined = card_error(failed_payment("card_declined"));
    reads(
        Step::Create,
        402,
        &[],
        &declined,
        Read::Failed(CardDeclined),
    );
    reads(
        Step::Create,
        402,
        REPLAYED,
        &declined,
        Read::Failed(CardDeclined),
    );
    let bare = error("card_error", "card_declined");
    reads(Step::Create, 402, &[], &bare, Read::Refused(CardDeclined));
    let strange = error("card_error", "<script>");
    reads(Step::Create, 402, &[], &strange, Read::Refused(Other));
    // A decline that shows the payment otherwise than failed.
    reads(
        Step::Create,
        402,
        &[],
        &card_error(payment()),
        Read::UnrecognisedSign,
    );
    let took = with(
        failed_payment("card_declined"),
        json!({"amount_captured": 4900}),
    );
    reads(
        Step::Create,
        402,
        &[],
        &card_error(took),
        Read::UnrecognisedSign,
    );
    reads(
        Step::Create,
        402,
        &[],
        &card_error(json!("pay_1")),
        Read::Unrecognised,
    );
    reads(
        Step::Create,
        402,
        &[],
        &error("server_error", "card_declined"),
        Read::Unrecognised,
    );
    reads(Step::Create, 402, &[], "<html>", Read::Unrecognised);
    // Refunds are not declined by cards.
    reads(Step::Refund, 402, &[], &bare, Read::NoRefusal);
    // 400 refuses a refund in one way only.
    let too_large = error("invalid_request", "amount_too_large");
    reads(
        Step::Refund,
        400,
        &[],
        &too_large,
        Read::Refused(LimitExceeded),
    );
    reads(Step::Create, 400, &[], &too_large, Read::NoRefusal);
    reads(Step::Refund, 422, &[], &too_large, Read::NoRefusal);
    let other = error("invalid_request", "payment_not_captured");
    reads(Step::Refund, 400, &[], &other, Read::NoRefusal);
}

#[test]
fn refunds_that_are_recognised() {
    for (fields, expected) in [
        (json!({}), Read::Done(1200)),
        (json!({"account": null}), Read::Done(1200)),
        (json!({"status": "pending"}), Read::Processing),
        (
            json!({"status": "failed"}),
            Read::Failed(DeclineCategory::Other),
        ),
        (json!({"status": "canceled"}), Read::UnrecognisedSign),
        (json!({"payment": null}), Read::UnrecognisedSign),
        (json!({"object": "payment"}), Read::UnrecognisedSign),
        (json!({"amount": "1200"}), Read::UnrecognisedSign),
    ] {
        let body = with(refund_object(), fields).to_string();
        reads(Step::Refund, 200, &[], &body, expected);
    }
    let body = payment().to_string();
    reads(Step::Refund, 200, &[], &body, Read::UnrecognisedSign);
    let body = refund_object().to_string();
    reads(Step::Create, 200, &[], &body, Read::UnrecognisedSign);
}

#[test]
fn errors_that_say_nothing_about_the_payment() {
    for (status, kind) in [
        (400, "invalid_request"),
        (401, "invalid_request"),
        (403, "invalid_request"),
        (404, "not_found"),
        (405, "invalid_request"),
        (408, "invalid_request"),
        (410, "not_found"),
        (418, "card_error"),
        (422, "invalid_request"),
    ] {
        reads(
            Step::Create,
            status,
            &[],
            &error(kind, "card_declined"),
            Read::NoRefusal,
        );
        reads(Step::Refund, status, &[], "", Read::NoRefusal);
    }
    let location = &[("location", "/v1/payments")];
    for status in [301, 302, 303, 307, 308] {
        reads(Step::Create, status, location, "", Read::NoRefusal);
    }
}

#[test]
fn signs_pauses_and_replayed_failures() {
    let mismatch = error("idempotency_mismatch", "idempotency_mismatch");
    reads(Step::Create, 400, &[], &mismatch, Read::KeyMismatch);
    reads(Step::Refund, 400, &[], &mismatch, Read::KeyMismatch);
    let busy = error("idempotency_in_progress", "idempotency_in_progress");
    reads(Step::Create, 409, &[], &busy, Read::InProgress);
    reads(Step::Create, 409, &[], "", Read::InProgress);
    for (header, seconds) in [
        ("7", Some(7)),
        (" 0 ", Some(0)),
        ("3600", Some(3600)),
        ("86400", Some(3600)),
        ("-1", None),
        ("1.5", None),
        ("99999999999999999999999", None),
        ("Fri, 31 Dec 1999 23:59:59 GMT", None),
    ] {
        let headers = &[("retry-after", header)];
        reads(Step::Create, 429, headers, "", Read::RateLimited(seconds));
        reads(
            Step::Create,
            503,
            headers,
            "",
            Read::ProviderFailed(seconds),
        );
    }
    reads(Step::Create, 429, &[], "", Read::RateLimited(None));
    for status in [500, 502, 503, 504, 599] {
        reads(Step::Create, status, &[], "", Read::ProviderFailed(None));
        reads(Step::Create, status, REPLAYED, "", Read::FailureReplayed);
        let no = &[("idempotent-replayed", "false")];
        reads(
            Step::Create,
            status,
            no,
            &payment().to_string(),
            Read::ProviderFailed(None),
        );
    }
}

#[test]
fn a_pause_is_at_most_an_hour() {
    let Sent::Ambiguous(hint, _) = classify(Step::Create, 429, &[("retry-after", "9999999")], "")
    else {
        panic!("429 is ambiguous");
    };
    assert_eq!(hint.retry_after, Some(Duration::from_secs(3600)));
}
