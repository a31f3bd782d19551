//! One `send`, one arrival at most: on new connections and on kept ones, with
//! servers that close at every moment.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::io::AsyncWriteExt;

use super::server::{PLENTY, Peer, Server, client, post};
use crate::http::{Failure, Limits, Outbound};

const KEPT: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const ROUNDS: usize = 100;

fn mark(round: usize) -> String {
    format!("<mark {round:04}>")
}

/// Sends once in every round; no mark may arrive twice, and none at all where
/// the client says so. Answers how many rounds had no answer.
async fn rounds(outbound: &Outbound, server: &Server) -> usize {
    let mut unanswered = 0;
    for round in 0..ROUNDS {
        let mark = mark(round);
        let outcome = outbound
            .send(post(&server.url, &mark), Limits::within(PLENTY))
            .await;
        let arrived = server.received.count(&mark);
        match outcome {
            Ok(_) => assert_eq!(arrived, 1, "round {round}"),
            Err(Failure::Ambiguous(_)) => assert!(arrived <= 1, "round {round}: {arrived}"),
            Err(error @ Failure::NotSent(_)) => assert_eq!(arrived, 0, "round {round}: {error}"),
        }
        unanswered += usize::from(outcome.is_err());
    }
    for round in 0..ROUNDS {
        let arrived = server.received.count(&mark(round));
        assert!(arrived <= 1, "round {round}: {arrived} arrivals afterwards");
    }
    unanswered
}

#[tokio::test]
async fn closed_after_the_whole_request_on_a_new_connection() {
    let server = Server::start(|mut peer: Peer| async move {
        peer.request().await;
    })
    .await;
    let unanswered = rounds(&client(), &server).await;
    assert_eq!(unanswered, ROUNDS);
    for round in 0..ROUNDS {
        assert_eq!(server.received.count(&mark(round)), 1);
    }
}

#[tokio::test]
async fn a_kept_connection_is_used_again() {
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    let server = Server::start(move |mut peer: Peer| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            while peer.request().await.is_some() {
                peer.write(KEPT).await;
            }
        }
    })
    .await;
    assert_eq!(rounds(&client(), &server).await, 0);
    assert!(
        connections.load(Ordering::SeqCst) < ROUNDS,
        "else the tests below test nothing"
    );
}

/// The second request on each connection arrives whole and is answered with the
/// end of the connection: the case in which a client that repeats would charge
/// twice.
#[tokio::test]
async fn closed_when_the_second_request_on_a_kept_connection_arrives() {
    for reset in [false, true] {
        let server = Server::start(move |mut peer: Peer| async move {
            if peer.request().await.is_some() {
                peer.write(KEPT).await;
            }
            peer.request().await;
            if reset {
                peer.reset();
            }
        })
        .await;
        let unanswered = rounds(&client(), &server).await;
        assert!(
            unanswered > 0,
            "no request met the end of a kept connection"
        );
    }
}

/// As above, with only a part of the second request read.
#[tokio::test]
async fn reset_when_the_first_bytes_of_the_second_request_arrive() {
    let server = Server::start(|mut peer: Peer| async move {
        if peer.request().await.is_some() {
            peer.write(KEPT).await;
        }
        peer.some_bytes().await;
        peer.reset();
    })
    .await;
    let unanswered = rounds(&client(), &server).await;
    assert!(
        unanswered > 0,
        "no request met the end of a kept connection"
    );
}

/// The server ends its side right after the answer, while the next request may
/// already be on its way, and goes on counting. Here hyper-util may take
/// another connection for a request that was never written.
#[tokio::test]
async fn closed_between_two_requests_on_a_kept_connection() {
    let server = Server::start(|mut peer: Peer| async move {
        if peer.request().await.is_some() {
            peer.write(KEPT).await;
            let _ = peer.stream.shutdown().await;
            peer.drain().await;
        }
    })
    .await;
    rounds(&client(), &server).await;
}

/// The same race with many requests at once on one client.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_while_the_server_closes_every_connection_after_two_answers() {
    let server = Server::start(|mut peer: Peer| async move {
        for _ in 0..2 {
            if peer.request().await.is_some() {
                peer.write(KEPT).await;
            }
        }
        let _ = peer.stream.shutdown().await;
        peer.drain().await;
    })
    .await;
    let outbound = client();
    let mut sends = tokio::task::JoinSet::new();
    for round in 0..ROUNDS {
        let (outbound, request) = (outbound.clone(), post(&server.url, &mark(round)));
        sends.spawn(async move { outbound.send(request, Limits::within(PLENTY)).await });
    }
    let outcomes = sends.join_all().await;
    assert!(outcomes.iter().any(Result::is_ok));
    for round in 0..ROUNDS {
        let arrived = server.received.count(&mark(round));
        assert!(arrived <= 1, "round {round}: {arrived} arrivals");
    }
}
