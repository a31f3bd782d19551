//! Look-ups against a server that answers what the test says, and hears every
//! question.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::{StatusCode, Uri};
use serde_json::{Value, json};

use super::{OTHER_KEY, adapter, charge, money, payment, refund, refund_object, with};
use crate::domain::evidence::{LookUp, Source};
use crate::domain::ids::ProviderPaymentId;
use crate::domain::operation::Operation;
use crate::provider::Adapter;
use crate::provider::simulator::{SimulatorAdapter, SimulatorProfile};

const DEADLINE: Duration = Duration::from_secs(5);

/// Answers one question after the other; any further one gets 404.
struct Desk {
    endpoint: String,
    questions: Arc<Mutex<Vec<String>>>,
}

impl Desk {
    async fn open(answers: Vec<(u16, String)>) -> Self {
        let questions = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&questions);
        let answer = move |uri: Uri| {
            let mut heard = heard.lock().unwrap();
            let answer = answers.get(heard.len()).cloned();
            heard.push(uri.to_string());
            let (status, body) = answer.unwrap_or((404, String::new()));
            std::future::ready((StatusCode::from_u16(status).unwrap(), body))
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(axum::routing::get(answer));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            endpoint,
            questions,
        }
    }

    fn adapter(&self) -> SimulatorAdapter {
        adapter(SimulatorProfile::StripeLike, &self.endpoint)
    }

    fn heard(&self) -> Vec<String> {
        self.questions.lock().unwrap().clone()
    }
}

fn page(objects: &[Value], has_more: bool) -> (u16, String) {
    let body = json!({"data": objects, "has_more": has_more});
    (200, body.to_string())
}

fn numbered(id: &str) -> Value {
    with(payment(), json!({"id": id}))
}

/// Asks about a charge of order 8472 whose provider id is `known`.
async fn ask(answers: Vec<(u16, String)>, known: Option<&str>) -> (LookUp, Vec<String>) {
    let desk = Desk::open(answers).await;
    let adapter = desk.adapter();
    let mut operation: Operation = charge(&adapter, "8472", money(4900, "USD"));
    operation.provider_payment_id = known.and_then(ProviderPaymentId::parse);
    (adapter.look_up(&operation, DEADLINE).await, desk.heard())
}

#[track_caller]
fn ids(found: &LookUp) -> Vec<&str> {
    let LookUp::Found(evidence) = found else {
        panic!("{found:?}");
    };
    assert_eq!(
        (evidence.source, &evidence.refused),
        (Source::LookUp, &None)
    );
    evidence.sightings.iter().map(|it| it.id.as_str()).collect()
}

#[tokio::test]
async fn an_empty_list_is_not_found() {
    let (found, heard) = ask(vec![page(&[], false)], None).await;
    assert_eq!(found, LookUp::NotFound);
    assert_eq!(heard, ["/v1/payments?limit=100&reference=8472"]);
}

#[tokio::test]
async fn all_pages_are_read_and_other_operations_are_shown_too() {
    let other = with(
        numbered("pay_3"),
        json!({"metadata": {"payonce_key": OTHER_KEY}}),
    );
    let pages = vec![
        page(&[numbered("pay_1"), numbered("pay_2")], true),
        page(&[other], false),
    ];
    let (found, heard) = ask(pages, None).await;
    assert_eq!(ids(&found), ["pay_1", "pay_2", "pay_3"]);
    assert_eq!(
        heard[1],
        "/v1/payments?limit=100&reference=8472&starting_after=pay_2"
    );
}

#[tokio::test]
async fn what_is_incomplete_or_not_recognised_gives_no_verdict() {
    let first = || page(&[numbered("pay_1")], true);
    let one = |fields: Value| page(&[with(payment(), fields)], false);
    for answers in [
        vec![(
            404,
            json!({"error": {"type": "not_found", "code": "not_found"}}).to_string(),
        )],
        vec![(404, page(&[], false).1)],
        vec![(500, page(&[], false).1)],
        vec![(307, String::new())],
        vec![(204, String::new())],
        vec![(201, page(&[], false).1)],
        vec![(200, String::new())],
        vec![(200, "[]".to_owned())],
        vec![(200, "{}".to_owned())],
        vec![(200, "<html></html>".to_owned())],
        vec![(200, json!({"data": []}).to_string())],
        vec![(200, json!({"data": null, "has_more": false}).to_string())],
        vec![(200, json!({"data": [], "has_more": "false"}).to_string())],
        vec![page(&[], true)],
        vec![first()],
        vec![first(), (500, String::new())],
        vec![first(), page(&[], true)],
        vec![first(), first()],
        vec![page(&[numbered("pay_1"), numbered("pay_1")], false)],
        vec![page(&[payment(), json!({"id": "pay_2"})], false)],
        vec![one(json!({"status": "weird"}))],
        vec![one(json!({"amount": "4900"}))],
        vec![one(json!({"reference": "8473"}))],
        vec![one(json!({"reference": null}))],
        vec![page(&[refund_object()], false)],
    ] {
        let (found, _) = ask(answers.clone(), None).await;
        assert_eq!(found, LookUp::NoVerdict, "{answers:?}");
    }
}

#[tokio::test]
async fn a_list_without_end_gives_no_verdict() {
    let pages = (0..200)
        .map(|number| page(&[numbered(&format!("pay_{number}"))], true))
        .collect();
    let (found, heard) = ask(pages, None).await;
    assert_eq!(found, LookUp::NoVerdict);
    assert_eq!(heard.len(), 50);
}

#[tokio::test]
async fn a_known_id_is_asked_for_when_the_list_lacks_it() {
    let listed = vec![page(&[numbered("pay_1")], false)];
    let (found, heard) = ask(listed, Some("pay_1")).await;
    assert_eq!((ids(&found), heard.len()), (vec!["pay_1"], 1));

    let by_id = (200, numbered("pay_9").to_string());
    let (found, heard) = ask(vec![page(&[], false), by_id.clone()], Some("pay_9")).await;
    assert_eq!(ids(&found), ["pay_9"]);
    assert_eq!(heard[1], "/v1/payments/pay_9");

    let beside = vec![page(&[numbered("pay_1")], false), by_id];
    let (found, _) = ask(beside, Some("pay_9")).await;
    assert_eq!(ids(&found), ["pay_1", "pay_9"]);
}

#[tokio::test]
async fn a_known_id_that_is_gone_is_never_a_not_found() {
    let gone = (404, json!({"error": {"type": "not_found"}}).to_string());
    let (found, _) = ask(vec![page(&[], false), gone.clone()], Some("pay_9")).await;
    assert_eq!(found, LookUp::NoVerdict);
    let other = (200, numbered("pay_1").to_string());
    let (found, _) = ask(vec![page(&[], false), other], Some("pay_9")).await;
    assert_eq!(found, LookUp::NoVerdict);
    let (found, _) = ask(vec![page(&[numbered("pay_1")], false), gone], Some("pay_9")).await;
    assert_eq!(ids(&found), ["pay_1"]);
}

#[tokio::test]
async fn a_refund_is_asked_for_by_its_payment_and_the_order() {
    let desk = Desk::open(vec![page(&[refund_object()], false)]).await;
    let adapter = desk.adapter();
    let found = adapter.look_up(&refund(&adapter, "pay_1"), DEADLINE).await;
    assert_eq!(ids(&found), ["re_1"]);
    assert_eq!(
        desk.heard(),
        ["/v1/refunds?limit=100&reference=8472&payment=pay_1"]
    );

    let elsewhere = with(refund_object(), json!({"payment": "pay_2"}));
    let desk = Desk::open(vec![page(&[elsewhere], false)]).await;
    let adapter = desk.adapter();
    let found = adapter.look_up(&refund(&adapter, "pay_1"), DEADLINE).await;
    assert_eq!(found, LookUp::NoVerdict);
}

#[tokio::test]
async fn a_report_only_account_is_not_asked() {
    let desk = Desk::open(vec![page(&[], false)]).await;
    let adapter = adapter(SimulatorProfile::ReportOnly, &desk.endpoint);
    let operation = charge(&adapter, "8472", money(4900, "USD"));
    assert_eq!(
        adapter.look_up(&operation, DEADLINE).await,
        LookUp::NoVerdict
    );
    assert_eq!(desk.heard(), Vec::<String>::new());
}

#[tokio::test]
async fn a_reference_is_escaped_in_the_question() {
    let desk = Desk::open(vec![page(&[], false)]).await;
    let adapter = desk.adapter();
    let operation = charge(&adapter, "a#b+c=d/e@f", money(4900, "USD"));
    adapter.look_up(&operation, DEADLINE).await;
    let escaped = "/v1/payments?limit=100&reference=a%23b%2Bc%3Dd%2Fe%40f";
    assert_eq!(desk.heard(), [escaped]);
}
