use std::time::Duration;

use super::server::{Peer, Server, client, post, send};
use crate::http::{AmbiguousCause, Failure, Limits, Method, Request};

const SHORT: Duration = Duration::from_millis(300);

async fn answering(text: &'static str) -> Server {
    Server::start(move |mut peer: Peer| async move {
        if peer.request().await.is_some() {
            peer.write(text).await;
        }
    })
    .await
}

#[tokio::test]
async fn an_answer_comes_with_status_headers_and_body_as_sent() {
    let server = answering(
        "HTTP/1.1 500 Oops\r\nX-A: 1\r\nX-A: 2\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    )
    .await;
    let answer = send(&server.url, "mark").await.expect("an answer");
    assert_eq!((answer.status, answer.body.as_slice()), (500, &b"abc"[..]));
    let values: Vec<_> = answer.headers.get_all("x-a").iter().collect();
    assert_eq!(values, ["1", "2"]);
    assert_eq!(server.received.count("idempotency-key: po1\r\n"), 1);
    assert_eq!(server.received.count("accept-encoding"), 0);
}

#[tokio::test]
async fn a_get_without_a_body_is_a_plain_get() {
    let server = answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let request = Request {
        method: Method::GET,
        url: server.url.clone(),
        headers: Vec::new(),
        body: Vec::new(),
    };
    let answer = client().send(request, Limits::within(SHORT * 20)).await;
    assert_eq!(answer.expect("an answer").status, 200);
    assert_eq!(
        server
            .received
            .count("GET /v1/payments?secret=hunter2 HTTP/1.1\r\n"),
        1
    );
    assert_eq!(server.received.count("content-length"), 0);
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    for location in ["/elsewhere", "http://127.0.0.1:1/", "http://[bad"] {
        let text = format!(
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
        );
        let server = answering(text.leak()).await;
        let answer = send(&server.url, "mark").await.expect("an answer");
        assert_eq!(answer.status, 307, "{location}");
        assert_eq!(answer.headers["location"], location);
        assert_eq!(server.received.count("mark"), 1, "{location}");
    }
}

#[tokio::test]
async fn a_slow_drip_ends_at_the_total_deadline() {
    let server = Server::start(|mut peer: Peer| async move {
        peer.request().await;
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            .await;
        while peer.stream.writable().await.is_ok() {
            peer.write("x").await;
            tokio::time::sleep(SHORT / 20).await;
        }
    })
    .await;
    let outcome = client()
        .send(post(&server.url, "mark"), Limits::within(SHORT))
        .await;
    let error = outcome.expect_err("no whole answer");
    assert_eq!(error, Failure::Ambiguous(AmbiguousCause::Timeout));
}

#[tokio::test]
async fn silence_ends_at_the_total_deadline() {
    let server = Server::start(|mut peer: Peer| async move { peer.drain().await }).await;
    let outcome = client()
        .send(post(&server.url, "mark"), Limits::within(SHORT))
        .await;
    let error = outcome.expect_err("no answer");
    assert_eq!(error, Failure::Ambiguous(AmbiguousCause::Timeout));
    assert_eq!(server.received.count("mark"), 1);
}

#[tokio::test]
async fn a_body_above_the_cap_is_refused_and_one_at_the_cap_is_not() {
    let limits = |body_cap| Limits {
        body_cap,
        ..Limits::within(SHORT * 20)
    };
    let fixed = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde";
    let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    for text in [fixed, chunked] {
        let server = answering(text).await;
        let fits = client().send(post(&server.url, "mark"), limits(5)).await;
        assert_eq!(fits.expect("fits").body, b"abcde");
        let above = client().send(post(&server.url, "mark"), limits(4)).await;
        assert_eq!(
            above.expect_err("too large"),
            Failure::Ambiguous(AmbiguousCause::BodyTooLarge)
        );
    }
}

#[tokio::test]
async fn an_endless_body_is_stopped_at_the_cap() {
    let server = Server::start(|mut peer: Peer| async move {
        peer.request().await;
        peer.write("HTTP/1.1 200 OK\r\n\r\n").await;
        let block = "x".repeat(64 * 1024);
        while peer.stream.writable().await.is_ok() {
            peer.write(&block).await;
        }
    })
    .await;
    let error = send(&server.url, "mark").await.expect_err("too large");
    assert_eq!(error, Failure::Ambiguous(AmbiguousCause::BodyTooLarge));
}
