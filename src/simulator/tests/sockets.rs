//! That a dropped call leaves no byte on the wire, seen by raw and by pooling
//! clients.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Desk, order};
use crate::simulator::Profile;

async fn bytes_answered(desk: &Desk, method: &str) -> Vec<u8> {
    let body = order(method, method).to_string();
    let request = format!(
        "POST /v1/payments HTTP/1.1\r\nHost: simulator\r\nIdempotency-Key: {method}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(desk.simulator.local_addr())
        .await
        .unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answered = Vec::new();
    stream.read_to_end(&mut answered).await.unwrap();
    answered
}

#[tokio::test]
async fn a_dropped_call_is_closed_without_a_byte() {
    let desk = Desk::open(Profile::StripeLike).await;
    for (method, captures) in [
        ("pm_drop_response", 1),
        ("pm_drop_request", 0),
        ("pm_lagging", 1),
    ] {
        assert_eq!(bytes_answered(&desk, method).await, b"", "{method}");
        assert_eq!(desk.captures(method).await, captures, "{method}");
    }
}

#[tokio::test]
async fn a_kept_connection_is_closed_too_and_nothing_is_sent_again() {
    let desk = Desk::open(Profile::StripeLike).await;
    desk.paid("k", "a").await;
    let error = desk
        .pay("l", &order("b", "pm_drop_response"))
        .await
        .unwrap_err();
    let causes: Vec<String> =
        std::iter::successors(Some(&error as &dyn std::error::Error), |error| {
            error.source()
        })
        .map(ToString::to_string)
        .collect();
    assert!(
        causes
            .iter()
            .any(|it| it.contains("connection closed before message completed")),
        "{causes:?}"
    );
    assert_eq!(desk.requests("b").await.len(), 1);
}

#[tokio::test]
async fn a_request_whose_body_never_ends_is_not_one() {
    let desk = Desk::open(Profile::StripeLike).await;
    let mut stream = TcpStream::connect(desk.simulator.local_addr())
        .await
        .unwrap();
    let head = "POST /v1/payments HTTP/1.1\r\nHost: simulator\r\nContent-Length: 500\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    drop(stream);
    desk.paid("k", "a").await;
    let all = desk.get("/requests").await.unwrap().json();
    assert_eq!(all["requests"].as_array().unwrap().len(), 1);
}
