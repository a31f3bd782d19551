use std::time::Duration;

use tokio::net::TcpListener;

use super::server::{PLENTY, Peer, Server, client, post, send};
use crate::http::{AmbiguousCause, Failure, Limits, NotSentCause, Outbound};

fn not_sent(cause: NotSentCause) -> Failure {
    Failure::NotSent(cause)
}

async fn failure(url: &str) -> Failure {
    send(url, "mark").await.expect_err("no answer")
}

#[tokio::test]
async fn nothing_is_sent_to_a_port_that_refuses() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    drop(listener);
    assert_eq!(
        failure(&format!("http://{address}/")).await,
        not_sent(NotSentCause::Refused)
    );
}

#[tokio::test]
async fn nothing_is_sent_to_a_name_that_does_not_resolve() {
    let error = failure("http://payonce.invalid/").await;
    assert_eq!(error, not_sent(NotSentCause::Dns));
}

#[tokio::test]
async fn nothing_is_sent_without_a_tls_session() {
    let garbage = Server::start(|mut peer: Peer| async move {
        peer.some_bytes().await;
        peer.write("HTTP/1.1 400 Bad Request\r\n\r\n").await;
        peer.drain().await;
    })
    .await;
    let closing = Server::start(|mut peer: Peer| async move {
        peer.some_bytes().await;
    })
    .await;
    let reset = Server::start(|mut peer: Peer| async move {
        peer.some_bytes().await;
        peer.reset();
    })
    .await;
    for server in [&garbage, &closing, &reset] {
        let error = failure(&server.url.replace("http:", "https:")).await;
        assert_eq!(error, not_sent(NotSentCause::Tls));
        assert_eq!(server.received.count("mark"), 0);
    }
}

/// A TLS server that never says a word lets no connection through.
#[tokio::test]
async fn a_connect_timeout_is_not_sent() {
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = silent.local_addr().expect("bound");
    let outbound = Outbound::new(Duration::from_millis(200)).expect("TLS is usable");
    let request = post(&format!("https://{address}/"), "mark");
    let outcome = outbound.send(request, Limits::within(PLENTY)).await;
    assert_eq!(
        outcome.expect_err("no session"),
        not_sent(NotSentCause::ConnectTimeout)
    );
}

#[tokio::test]
async fn a_deadline_while_connecting_is_ambiguous_because_it_proves_nothing() {
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = silent.local_addr().expect("bound");
    let request = post(&format!("https://{address}/"), "mark");
    let limits = Limits::within(Duration::from_millis(200));
    let outcome = client().send(request, limits).await;
    assert_eq!(
        outcome.expect_err("no session"),
        Failure::Ambiguous(AmbiguousCause::Timeout)
    );
}

#[tokio::test]
async fn a_bad_url_or_header_is_not_sent() {
    for url in [
        "",
        "payments",
        "ftp://x/",
        "file:///etc/passwd",
        "http://",
        "http://me:pw@127.0.0.1/",
    ] {
        assert_eq!(failure(url).await, not_sent(NotSentCause::BadUrl), "{url}");
    }
    for (name, value) in [("a b", "c"), ("", "c"), ("a", "c\r\nd: e"), ("a", "\0")] {
        let mut request = post("http://127.0.0.1:1/", "mark");
        request.headers.push((name.to_owned(), value.to_owned()));
        let outcome = client().send(request, Limits::within(PLENTY)).await;
        assert_eq!(
            outcome.expect_err("bad header"),
            not_sent(NotSentCause::BadHeader),
            "{name:?}: {value:?}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_off_or_not_http_is_ambiguous() {
    let table = [
        ("", AmbiguousCause::Truncated),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
            AmbiguousCause::Truncated,
        ),
        ("HTTP/1.1 200 OK\r\nContent-Le", AmbiguousCause::Truncated),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            AmbiguousCause::Truncated,
        ),
        ("SSH-2.0-OpenSSH\r\n\r\n", AmbiguousCause::Protocol),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
            AmbiguousCause::Protocol,
        ),
    ];
    for (text, cause) in table {
        let server = Server::start(move |mut peer: Peer| async move {
            peer.request().await;
            peer.write(text).await;
        })
        .await;
        let error = failure(&server.url).await;
        assert_eq!(error, Failure::Ambiguous(cause), "{text:?}");
        assert_eq!(server.received.count("mark"), 1, "{text:?}");
    }
}

#[tokio::test]
async fn a_reset_is_ambiguous() {
    let server = Server::start(|mut peer: Peer| async move {
        peer.request().await;
        peer.reset();
    })
    .await;
    let error = failure(&server.url).await;
    assert_eq!(error, Failure::Ambiguous(AmbiguousCause::Reset));
    assert_eq!(server.received.count("mark"), 1);
}

#[tokio::test]
async fn a_failure_shows_neither_url_nor_body() {
    let server = Server::start(|mut peer: Peer| async move {
        peer.request().await;
        peer.write("secret hunter2").await;
    })
    .await;
    let request = post(&server.url, "mark");
    let shown = format!("{request:?}");
    assert!(
        !shown.contains("hunter2") && !shown.contains("po1"),
        "{shown}"
    );
    let error = failure(&server.url).await;
    let shown = format!("{error} {error:?}");
    assert!(
        !shown.contains("hunter2") && !shown.contains("mark"),
        "{shown}"
    );
}
