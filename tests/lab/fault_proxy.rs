//! A TCP proxy that loses what it is told to lose.
//!
//! It stands between a client and a server and knows nothing of what they
//! say. The mode counts for open connections too, from the next bytes on, so
//! that a connection can be set up in peace and cut later.

use std::io;
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

/// What happens to the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// All bytes pass both ways.
    Pass,
    /// The server gets this many bytes of a connection, counted from when the
    /// mode was set; then both sides are closed.
    CutAfterRequestBytes(usize),
    /// Requests pass; as soon as the server begins to answer, the client's
    /// side is closed without a byte of the answer.
    CutBeforeResponse,
    /// Whatever arrives is held for so long before it goes on, either way.
    Delay(Duration),
    /// Everything is swallowed, nothing is closed. A new connection does not
    /// reach the server.
    Blackhole,
}

impl FromStr for Mode {
    type Err = String;

    /// Reads the name of a mode and its number, if it takes one: `pass`,
    /// `cut-after-request-bytes 100`, `cut-before-response`, `delay-ms 250`,
    /// `blackhole`.
    fn from_str(text: &str) -> Result<Mode, String> {
        let number = |digits: &str| {
            digits
                .parse::<u32>()
                .map_err(|error| format!("{digits:?}: {error}"))
        };
        match text.split_whitespace().collect::<Vec<_>>()[..] {
            ["pass"] => Ok(Mode::Pass),
            ["cut-after-request-bytes", bytes] => {
                Ok(Mode::CutAfterRequestBytes(number(bytes)? as usize))
            }
            ["cut-before-response"] => Ok(Mode::CutBeforeResponse),
            ["delay-ms", ms] => Ok(Mode::Delay(Duration::from_millis(number(ms)?.into()))),
            ["blackhole"] => Ok(Mode::Blackhole),
            _ => Err(format!(
                "{text:?} is none of: pass, cut-after-request-bytes N, cut-before-response, delay-ms N, blackhole"
            )),
        }
    }
}

/// A running proxy; dropping it closes its port and its connections.
pub(crate) struct FaultProxy {
    addr: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

impl FaultProxy {
    /// Starts a proxy to `upstream` on a free port of 127.0.0.1, passing
    /// everything.
    pub(crate) async fn start(upstream: SocketAddr) -> io::Result<FaultProxy> {
        FaultProxy::start_on(SocketAddr::from(([127, 0, 0, 1], 0)), upstream).await
    }

    /// Starts a proxy to `upstream` on the address given.
    pub(crate) async fn start_on(
        listen: SocketAddr,
        upstream: SocketAddr,
    ) -> io::Result<FaultProxy> {
        let listener = TcpListener::bind(listen).await?;
        let addr = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let accepting = tokio::spawn(accept(listener, upstream, Arc::clone(&shared)));
        Ok(FaultProxy {
            addr,
            shared,
            accepting,
        })
    }

    /// Where clients connect.
    pub(crate) fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Changes the mode of all connections, open and to come.
    pub(crate) fn set_mode(&self, mode: Mode) {
        let mut setting = self.shared.lock();
        *setting = Setting {
            mode,
            number: setting.number + 1,
        };
    }

    /// How many connections were accepted so far.
    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// How many connections a mode has cut so far.
    pub(crate) fn cuts(&self) -> usize {
        self.shared.cuts.load(Ordering::SeqCst)
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

#[derive(Default)]
struct Shared {
    setting: Mutex<Setting>,
    connections: AtomicUsize,
    cuts: AtomicUsize,
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Setting> {
        self.setting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn setting(&self) -> Setting {
        *self.lock()
    }
}

/// A mode and how many were set before it.
#[derive(Clone, Copy)]
struct Setting {
    mode: Mode,
    number: u64,
}

impl Default for Setting {
    fn default() -> Setting {
        Setting {
            mode: Mode::Pass,
            number: 0,
        }
    }
}

/// Why a connection ended before both sides had closed it.
enum Ended {
    Cut,
    Broken,
}

impl From<io::Error> for Ended {
    fn from(_: io::Error) -> Ended {
        Ended::Broken
    }
}

async fn accept(listener: TcpListener, upstream: SocketAddr, shared: Arc<Shared>) {
    let mut open = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        shared.connections.fetch_add(1, Ordering::SeqCst);
        open.spawn(serve(client, upstream, Arc::clone(&shared)));
        while open.try_join_next().is_some() {}
    }
}

async fn serve(mut client: TcpStream, upstream: SocketAddr, shared: Arc<Shared>) {
    if shared.setting().mode == Mode::Blackhole {
        // Whether the client closes or breaks off, the connection is over.
        let _ = copy(&mut client, &mut sink()).await;
        return;
    }
    let Ok(mut server) = TcpStream::connect(upstream).await else {
        return;
    };
    let (client_reader, client_writer) = client.split();
    let (server_reader, server_writer) = server.split();
    let ended = tokio::try_join!(
        pass_requests(client_reader, server_writer, &shared),
        pass_answers(server_reader, client_writer, &shared),
    );
    if let Err(Ended::Cut) = ended {
        shared.cuts.fetch_add(1, Ordering::SeqCst);
        drop(client);
        // The server reads what it was sent to the end and is not disturbed
        // by a reset while it answers nobody; errors here change nothing.
        let _ = server.shutdown().await;
        let _ = copy(&mut server, &mut sink()).await;
    }
}

async fn pass_requests(
    mut client: impl AsyncRead + Unpin,
    mut server: impl AsyncWrite + Unpin,
    shared: &Shared,
) -> Result<(), Ended> {
    let mut buffer = vec![0; 64 * 1024];
    let mut counted = (0, 0);
    loop {
        let length = client.read(&mut buffer).await?;
        if length == 0 {
            return Ok(server.shutdown().await?);
        }
        let bytes = &buffer[..length];
        let setting = shared.setting();
        match setting.mode {
            Mode::Pass | Mode::CutBeforeResponse => server.write_all(bytes).await?,
            Mode::CutAfterRequestBytes(limit) => {
                if counted.0 != setting.number {
                    counted = (setting.number, 0);
                }
                let passing = length.min(limit - counted.1);
                server.write_all(&bytes[..passing]).await?;
                counted.1 += passing;
                if counted.1 == limit {
                    return Err(Ended::Cut);
                }
            }
            Mode::Delay(delay) => {
                sleep(delay).await;
                server.write_all(bytes).await?;
            }
            Mode::Blackhole => {}
        }
    }
}

async fn pass_answers(
    mut server: impl AsyncRead + Unpin,
    mut client: impl AsyncWrite + Unpin,
    shared: &Shared,
) -> Result<(), Ended> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let length = server.read(&mut buffer).await?;
        if length == 0 {
            return Ok(client.shutdown().await?);
        }
        let bytes = &buffer[..length];
        match shared.setting().mode {
            Mode::Pass | Mode::CutAfterRequestBytes(_) => client.write_all(bytes).await?,
            Mode::CutBeforeResponse => return Err(Ended::Cut),
            Mode::Delay(delay) => {
                sleep(delay).await;
                client.write_all(bytes).await?;
            }
            Mode::Blackhole => {}
        }
    }
}
