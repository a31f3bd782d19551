//! A TCP server that does exactly what a test says, and keeps every byte.

use std::{
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use crate::http::{Answer, Failure, Limits, Method, Outbound, Request};

/// Long enough never to matter where a test expects an answer.
pub(super) const PLENTY: Duration = Duration::from_secs(20);

/// All bytes that reached the server, in one place for all connections.
#[derive(Clone, Default)]
pub(super) struct Received(Arc<Mutex<Vec<u8>>>);

impl Received {
    /// How often `text` arrived.
    pub(super) fn count(&self, text: &str) -> usize {
        let bytes = self.0.lock().expect("not poisoned");
        bytes
            .windows(text.len())
            .filter(|window| *window == text.as_bytes())
            .count()
    }

    fn add(&self, bytes: &[u8]) {
        self.0.lock().expect("not poisoned").extend(bytes);
    }
}

/// One accepted connection; reading keeps what arrived.
pub(super) struct Peer {
    pub(super) stream: TcpStream,
    received: Received,
    unread: Vec<u8>,
}

impl Peer {
    /// Reads one whole request. `None`: the connection ended before.
    pub(super) async fn request(&mut self) -> Option<String> {
        loop {
            if let Some(length) = whole_request(&self.unread) {
                let request: Vec<u8> = self.unread.drain(..length).collect();
                return String::from_utf8(request).ok();
            }
            self.some_bytes().await?;
        }
    }

    /// Reads what there is, at least one byte. `None`: the connection ended.
    pub(super) async fn some_bytes(&mut self) -> Option<()> {
        let mut buffer = [0; 16 * 1024];
        match self.stream.read(&mut buffer).await {
            Ok(read) if read > 0 => {
                self.received.add(&buffer[..read]);
                self.unread.extend(&buffer[..read]);
                Some(())
            }
            _ => None,
        }
    }

    /// Reads to the end, so that nothing that arrives goes uncounted.
    pub(super) async fn drain(&mut self) {
        while self.some_bytes().await.is_some() {}
    }

    pub(super) async fn write(&mut self, text: &str) {
        // The client may be gone, which is what some tests are about.
        let _ = self.stream.write_all(text.as_bytes()).await;
    }

    /// Closes with a reset in place of an orderly end.
    pub(super) fn reset(self) {
        self.stream.set_zero_linger().expect("a TCP socket");
    }
}

fn whole_request(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|w| w == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
    let body = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |value| value.trim().parse().expect("a number"));
    (bytes.len() >= head + body).then_some(head + body)
}

/// Listens on a free port and runs `serve` for each connection; stops when
/// dropped.
pub(super) struct Server {
    pub(super) url: String,
    pub(super) received: Received,
    accepting: JoinHandle<()>,
}

impl Server {
    pub(super) async fn start<F, S>(serve: F) -> Self
    where
        F: Fn(Peer) -> S + Send + 'static,
        S: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let received = Received::default();
        let shared = received.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(Peer {
                    stream,
                    received: shared.clone(),
                    unread: Vec::new(),
                }));
            }
        });
        Self {
            url: format!("http://{address}/v1/payments?secret=hunter2"),
            received,
            accepting,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

pub(super) fn client() -> Outbound {
    Outbound::new(Duration::from_secs(5)).expect("TLS is usable")
}

/// A request whose body is `mark`, to be counted on the other side.
pub(super) fn post(url: &str, mark: &str) -> Request {
    Request {
        method: Method::POST,
        url: url.to_owned(),
        headers: vec![("Idempotency-Key".to_owned(), "po1".to_owned())],
        body: mark.as_bytes().to_vec(),
    }
}

pub(super) async fn send(url: &str, mark: &str) -> Result<Answer, Failure> {
    client().send(post(url, mark), Limits::within(PLENTY)).await
}
