//! The fault proxy loses what it is told to lose, and nothing else.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use crate::lab::fault_proxy::{FaultProxy, Mode};

/// A server that answers `answer` to each `request` and tells all bytes of a
/// connection when it has ended.
struct Server {
    addr: SocketAddr,
    heard: UnboundedReceiver<Vec<u8>>,
}

impl Server {
    async fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let (tell, heard) = unbounded_channel();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(answer(client, tell.clone()));
            }
        });
        Server { addr, heard }
    }

    /// All bytes of the next connection that ends.
    async fn heard(&mut self) -> Vec<u8> {
        within(self.heard.recv()).await.unwrap()
    }
}

async fn answer(mut client: TcpStream, tell: UnboundedSender<Vec<u8>>) {
    let mut all = Vec::new();
    let mut answered = 0;
    while let Ok(1..) = client.read_buf(&mut all).await {
        while answered < all.len() / b"request".len() {
            answered += 1;
            // Nobody may be there any more, which is what is tested.
            let _ = client.write_all(b"answer").await;
        }
    }
    let _ = tell.send(all);
}

/// Fails loudly instead of hanging.
async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(20), future)
        .await
        .expect("it happens long before")
}

async fn setup(mode: Mode) -> (Server, FaultProxy, TcpStream) {
    let server = Server::start().await;
    let proxy = FaultProxy::start(server.addr).await.unwrap();
    proxy.set_mode(mode);
    let client = TcpStream::connect(proxy.addr()).await.unwrap();
    (server, proxy, client)
}

async fn ask(client: &mut TcpStream) -> Vec<u8> {
    client.write_all(b"request").await.unwrap();
    let mut answer = vec![0; b"answer".len()];
    within(client.read_exact(&mut answer)).await.unwrap();
    answer
}

/// What the client gets until the connection ends, by a reset or otherwise.
async fn all_that_comes(client: &mut TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    while let Ok(1..) = within(client.read_buf(&mut all)).await {}
    all
}

#[tokio::test]
async fn everything_passes_both_ways() {
    let (mut server, proxy, mut client) = setup(Mode::Pass).await;

    assert_eq!(ask(&mut client).await, b"answer");
    assert_eq!(ask(&mut client).await, b"answer");
    client.shutdown().await.unwrap();

    assert_eq!(server.heard().await, b"requestrequest");
    assert_eq!(all_that_comes(&mut client).await, b"");
    assert_eq!((proxy.connections(), proxy.cuts()), (1, 0));
}

#[tokio::test]
async fn a_request_is_cut_at_the_byte() {
    for bytes in [0, 1, 4, 7] {
        let (mut server, proxy, mut client) = setup(Mode::CutAfterRequestBytes(bytes)).await;

        client.write_all(b"request").await.unwrap();

        assert_eq!(server.heard().await, b"request"[..bytes]);
        assert_eq!(all_that_comes(&mut client).await, b"");
        assert_eq!(proxy.cuts(), 1);
    }
}

#[tokio::test]
async fn a_lost_answer_leaves_the_request_with_the_server() {
    let (mut server, proxy, mut client) = setup(Mode::CutBeforeResponse).await;

    client.write_all(b"request").await.unwrap();

    assert_eq!(all_that_comes(&mut client).await, b"");
    assert_eq!(server.heard().await, b"request");
    assert_eq!(proxy.cuts(), 1);
}

#[tokio::test]
async fn a_mode_counts_for_open_connections_from_the_next_bytes_on() {
    let (mut server, proxy, mut client) = setup(Mode::Pass).await;
    assert_eq!(ask(&mut client).await, b"answer");

    proxy.set_mode(Mode::CutAfterRequestBytes(2));
    client.write_all(b"request").await.unwrap();

    assert_eq!(server.heard().await, b"requestre");
    assert_eq!(all_that_comes(&mut client).await, b"");
}

#[tokio::test]
async fn the_next_connection_passes_again() {
    let (_server, proxy, mut client) = setup(Mode::CutBeforeResponse).await;
    client.write_all(b"request").await.unwrap();
    all_that_comes(&mut client).await;

    proxy.set_mode(Mode::Pass);
    let mut second = TcpStream::connect(proxy.addr()).await.unwrap();

    assert_eq!(ask(&mut second).await, b"answer");
    assert_eq!((proxy.connections(), proxy.cuts()), (2, 1));
}

#[tokio::test]
async fn a_delay_is_not_shorter_than_said() {
    let delay = Duration::from_millis(50);
    let (_server, _proxy, mut client) = setup(Mode::Delay(delay)).await;
    let asked = Instant::now();

    assert_eq!(ask(&mut client).await, b"answer");

    assert!(asked.elapsed() >= 2 * delay);
}

#[tokio::test]
async fn a_blackhole_keeps_the_client_waiting_and_the_server_unaware() {
    let (mut server, proxy, mut client) = setup(Mode::Blackhole).await;

    client.write_all(b"request").await.unwrap();
    let silence = timeout(Duration::from_millis(200), client.read_u8()).await;

    assert!(silence.is_err(), "something came: {silence:?}");
    assert_eq!(proxy.connections(), 1);
    // Were the server aware of the first connection, it would tell of it first.
    proxy.set_mode(Mode::Pass);
    drop(client);
    let mut second = TcpStream::connect(proxy.addr()).await.unwrap();
    assert_eq!(ask(&mut second).await, b"answer");
    second.shutdown().await.unwrap();
    assert_eq!(server.heard().await, b"request");
    assert!(server.heard.try_recv().is_err());
}

#[tokio::test]
async fn a_dropped_proxy_ends_its_connections() {
    let (mut server, proxy, mut client) = setup(Mode::Pass).await;
    assert_eq!(ask(&mut client).await, b"answer");

    drop(proxy);

    assert_eq!(all_that_comes(&mut client).await, b"");
    assert_eq!(server.heard().await, b"request");
}

#[test]
fn a_mode_is_read_from_its_name() {
    let read = |text: &str| text.parse::<Mode>();
    assert_eq!(read("pass"), Ok(Mode::Pass));
    assert_eq!(read(" blackhole "), Ok(Mode::Blackhole));
    assert_eq!(read("cut-before-response"), Ok(Mode::CutBeforeResponse));
    assert_eq!(
        read("cut-after-request-bytes 12"),
        Ok(Mode::CutAfterRequestBytes(12))
    );
    assert_eq!(
        read("delay-ms 250"),
        Ok(Mode::Delay(Duration::from_millis(250)))
    );
    for refused in ["", "delay-ms", "delay-ms -1", "pass 3", "lose"] {
        assert!(read(refused).is_err(), "{refused:?}");
    }
}
