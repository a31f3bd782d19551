//! Calls through the front to a service that does as it is told.

use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use futures_util::future::BoxFuture;
use tokio::sync::Notify;

use super::*;
use crate::api::status::tests::{detail, info};
use crate::proto::v1::ErrorEffect;

/// What the service behind the front does.
#[derive(Clone)]
enum Behaviour {
    Answer,
    Panic,
    Wait {
        entered: Arc<Notify>,
        go_on: Arc<Notify>,
    },
    Refuse(Code),
}

#[derive(Clone)]
struct Behind(Behaviour);

impl Service<HttpRequest> for Behind {
    type Response = HttpResponse;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<HttpResponse, Infallible>>;

    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HttpRequest) -> Self::Future {
        let behaviour = self.0.clone();
        Box::pin(async move {
            assert!(request.extensions().get::<Context>().is_some());
            match behaviour {
                Behaviour::Answer => {}
                Behaviour::Panic => panic!("as told"),
                Behaviour::Wait { entered, go_on } => {
                    entered.notify_one();
                    go_on.notified().await;
                }
                Behaviour::Refuse(code) => return Ok(Status::new(code, "plain").into_http()),
            }
            Ok(HttpResponse::new(Body::empty()))
        })
    }
}

async fn call(mut front: Front<Behind>) -> Option<Status> {
    let mut request = HttpRequest::new(Body::empty());
    *request.uri_mut() = http::Uri::from_static("/payonce.v1.OperationService/Submit");
    let response = front.call(request).await.expect("infallible");
    Status::from_header_map(response.headers())
}

#[tokio::test]
async fn an_answer_goes_through() {
    let front = Front::new(Behind(Behaviour::Answer), 1);
    assert!(call(front).await.is_none());
}

#[tokio::test]
async fn a_panic_is_an_answer_that_claims_nothing() {
    let front = Front::new(Behind(Behaviour::Panic), 1);
    for _ in 0..2 {
        let status = call(front.clone()).await.expect("an error");
        assert_eq!(status.code(), Code::Internal);
        assert_eq!(detail(&status).effect(), ErrorEffect::Undetermined);
        assert!(!status.message().contains("as told"));
    }
}

#[tokio::test]
async fn a_full_server_refuses_at_once_and_has_room_again_afterwards() {
    let (entered, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let wait = Behaviour::Wait {
        entered: Arc::clone(&entered),
        go_on: Arc::clone(&go_on),
    };
    let front = Front::new(Behind(wait), 1);
    let first = tokio::spawn(call(front.clone()));
    entered.notified().await;

    let status = call(front.clone()).await.expect("an error");
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert_eq!(info(&status).reason, "OVERLOADED");
    assert_eq!(detail(&status).effect(), ErrorEffect::None);

    go_on.notify_one();
    assert!(first.await.expect("no panic").is_none());
    go_on.notify_one();
    assert!(call(front).await.is_none());
}

#[tokio::test]
async fn a_caller_that_goes_away_leaves_its_place() {
    let (entered, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let wait = Behaviour::Wait {
        entered: Arc::clone(&entered),
        go_on: Arc::clone(&go_on),
    };
    let front = Front::new(Behind(wait), 1);
    let first = tokio::spawn(call(front.clone()));
    entered.notified().await;
    first.abort();
    assert!(first.await.expect_err("aborted").is_cancelled());
    go_on.notify_one();
    assert!(call(front).await.is_none());
}

#[tokio::test]
async fn errors_of_the_transport_get_details() {
    let front = Front::new(Behind(Behaviour::Refuse(Code::OutOfRange)), 1);
    let status = call(front).await.expect("an error");
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(detail(&status).effect(), ErrorEffect::None);
}

#[test]
fn a_call_that_did_not_pass_the_front_is_refused() {
    let refused = Context::of(tonic::Request::new(())).expect_err("no caller");
    assert_eq!(refused.code(), Code::Unauthenticated);
}
