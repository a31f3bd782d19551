//! A relay between the service and the processor that understands enough of
//! HTTP/1.1 to play tricks with single messages: what the processor did is
//! real, and stands in its ledger, whatever the service is told.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

/// What happens to one request that moves money. The processor gets it in
/// any case.
#[derive(Clone, Debug)]
pub(crate) enum Trick {
    /// The service is told these bytes instead, and the connection ends.
    Say(Vec<u8>),
    /// The service gets the answer a byte at a time, with such pauses.
    Drip(Duration),
    /// The service gets no answer: the connection ends.
    Lose,
    /// The network delivers the request twice, the second time so much later.
    /// The service gets the first answer.
    Twice(Duration),
}

/// A running relay; dropping it closes its port and its connections.
pub(crate) struct GoBetween {
    addr: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    upstream: OnceLock<SocketAddr>,
    /// By order.
    tricks: Mutex<HashMap<String, VecDeque<Trick>>>,
    /// The first lines of all requests.
    heard: Mutex<Vec<String>>,
}

impl GoBetween {
    /// Starts one that leads nowhere yet.
    pub(crate) async fn start() -> GoBetween {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let addr = listener.local_addr().expect("it is bound");
        let shared = Arc::new(Shared::default());
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        GoBetween {
            addr,
            shared,
            accepting,
        }
    }

    /// Leads it to the processor.
    pub(crate) fn lead_to(&self, processor: &str) {
        let upstream = processor.parse().expect("an address");
        self.shared.upstream.set(upstream).expect("led only once");
    }

    /// Where it listens.
    pub(crate) fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Plays a trick with the next request of an order that has none yet.
    pub(crate) fn play(&self, order: &str, trick: Trick) {
        let mut tricks = locked(&self.shared.tricks);
        tricks.entry(order.to_owned()).or_default().push_back(trick);
    }

    /// The first lines of all requests that came this way, in order.
    pub(crate) fn heard(&self) -> Vec<String> {
        locked(&self.shared.heard).clone()
    }
}

impl Drop for GoBetween {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut open = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        // A connection that breaks off is the end of it.
        open.spawn(async move {
            let _ = serve(client, &shared).await;
        });
        while open.try_join_next().is_some() {}
    }
}

async fn serve(mut client: TcpStream, shared: &Shared) -> io::Result<()> {
    while let Some(request) = message(&mut client).await? {
        let first_line = request.split(|byte| *byte == b'\r').next().unwrap_or(&[]);
        let first_line = String::from_utf8_lossy(first_line).into_owned();
        let trick = shared.trick(&first_line, &request);
        locked(&shared.heard).push(first_line);
        let upstream = *shared.upstream.get().expect("it leads somewhere");
        let answer = ask(upstream, &request).await?;
        match trick {
            None => match answer {
                Some(answer) => client.write_all(&answer).await?,
                None => return Ok(()),
            },
            Some(Trick::Say(bytes)) => return client.write_all(&bytes).await,
            Some(Trick::Lose) => return Ok(()),
            Some(Trick::Drip(pause)) => {
                for byte in answer.unwrap_or_default() {
                    client.write_all(&[byte]).await?;
                    sleep(pause).await;
                }
            }
            Some(Trick::Twice(later)) => {
                client.write_all(&answer.unwrap_or_default()).await?;
                // It comes whether the service is still there or not.
                tokio::spawn(async move {
                    sleep(later).await;
                    ask(upstream, &request).await
                });
            }
        }
    }
    Ok(())
}

impl Shared {
    fn trick(&self, first_line: &str, request: &[u8]) -> Option<Trick> {
        if !first_line.starts_with("POST ") {
            return None;
        }
        let text = String::from_utf8_lossy(request);
        let mut tricks = locked(&self.tricks);
        let of_order = |order: &&String| text.contains(&format!("\"reference\":\"{order}\""));
        let order = tricks.keys().find(of_order)?.clone();
        tricks.get_mut(&order)?.pop_front()
    }
}

/// One request to the processor and its answer; `None` if it gives none.
async fn ask(upstream: SocketAddr, request: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let mut server = TcpStream::connect(upstream).await?;
    server.write_all(request).await?;
    message(&mut server).await
}

/// Reads one message with a Content-Length, or with no body. `None` at the
/// end of the connection.
async fn message(peer: &mut TcpStream) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    loop {
        if whole(&bytes).is_some_and(|length| bytes.len() >= length) {
            return Ok(Some(bytes));
        }
        if peer.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    }
}

/// How long the message is that begins here, once its head is complete.
fn whole(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .and_then(|length| length.trim().parse::<usize>().ok());
    Some(head + length.unwrap_or(0))
}
