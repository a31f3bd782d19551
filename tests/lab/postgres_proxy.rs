//! A proxy for the PostgreSQL protocol that cuts a connection at a COMMIT:
//! before the server gets it, or after the server has executed it and before
//! the client hears of it.
//!
//! It follows <https://www.postgresql.org/docs/current/protocol-message-formats.html>
//! as far as it must to tell a COMMIT, simple or extended, from other
//! messages. Connections that ask for TLS are told that there is none.

use std::collections::HashSet;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, copy, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// On which side of a COMMIT the connection is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// The server never gets the COMMIT.
    Before,
    /// The server has executed it, and the client never gets its answer.
    After,
}

/// A running proxy; dropping it closes its port and its connections.
pub(crate) struct PostgresProxy {
    addr: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    armed: Mutex<Option<Side>>,
    commits: AtomicUsize,
    cuts: AtomicUsize,
}

impl Shared {
    fn armed(&self) -> std::sync::MutexGuard<'_, Option<Side>> {
        self.armed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PostgresProxy {
    /// Starts a proxy to `upstream` on a free port of 127.0.0.1.
    pub(crate) async fn start(upstream: SocketAddr) -> io::Result<PostgresProxy> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let addr = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let accepting = tokio::spawn(accept(listener, upstream, Arc::clone(&shared)));
        Ok(PostgresProxy {
            addr,
            shared,
            accepting,
        })
    }

    /// Where clients connect.
    pub(crate) fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The next COMMIT of any connection is cut, and none after it.
    pub(crate) fn arm(&self, side: Side) {
        *self.shared.armed() = Some(side);
    }

    /// No COMMIT is cut any more; returns whether one still would have been.
    pub(crate) fn disarm(&self) -> bool {
        self.shared.armed().take().is_some()
    }

    /// How many COMMITs clients have sent so far.
    pub(crate) fn commits(&self) -> usize {
        self.shared.commits.load(Ordering::SeqCst)
    }

    /// How many connections were cut so far.
    pub(crate) fn cuts(&self) -> usize {
        self.shared.cuts.load(Ordering::SeqCst)
    }
}

impl Drop for PostgresProxy {
    fn drop(&mut self) {
        self.accepting.abort();
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
        open.spawn(serve(client, upstream, Arc::clone(&shared)));
        while open.try_join_next().is_some() {}
    }
}

async fn serve(mut client: TcpStream, upstream: SocketAddr, shared: Arc<Shared>) {
    let Ok(mut server) = TcpStream::connect(upstream).await else {
        return;
    };
    // Small messages that wait for each other: held back, they would take
    // many times as long. Where it cannot be set they do.
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    if greet(&mut client, &mut server).await.is_err() {
        return;
    }
    let (client_reader, client_writer) = client.split();
    let (server_reader, server_writer) = server.split();
    let silenced = AtomicBool::new(false);
    let ended = tokio::try_join!(
        pass_requests(client_reader, server_writer, &shared, &silenced),
        pass_answers(server_reader, client_writer, &silenced),
    );
    if let Err(Ended::Cut) = ended {
        shared.cuts.fetch_add(1, Ordering::SeqCst);
        drop(client);
        // The server sees the end of its input, as after any lost client.
        let _ = server.shutdown().await;
        let _ = copy(&mut server, &mut sink()).await;
    }
}

const TLS_REQUEST: u32 = 80_877_103;
const GSS_REQUEST: u32 = 80_877_104;

/// The messages before the session, which have no type.
async fn greet(client: &mut TcpStream, server: &mut TcpStream) -> io::Result<()> {
    loop {
        let length = client.read_u32().await?;
        let code = client.read_u32().await?;
        let rest = (length as usize).checked_sub(8);
        let mut rest = vec![0; rest.ok_or(io::ErrorKind::InvalidData)?];
        client.read_exact(&mut rest).await?;
        if code == TLS_REQUEST || code == GSS_REQUEST {
            client.write_all(b"N").await?;
            continue;
        }
        server.write_u32(length).await?;
        server.write_u32(code).await?;
        return server.write_all(&rest).await;
    }
}

/// One message: its type, and all of its bytes with type and length.
async fn message(reader: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<(u8, Vec<u8>)>> {
    let kind = match reader.read_u8().await {
        Ok(kind) => kind,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    };
    let length = reader.read_u32().await?;
    let mut bytes = vec![kind];
    bytes.extend(length.to_be_bytes());
    let body = (length as usize).checked_sub(4);
    bytes.resize(5 + body.ok_or(io::ErrorKind::InvalidData)?, 0);
    reader.read_exact(&mut bytes[5..]).await?;
    Ok(Some((kind, bytes)))
}

async fn pass_requests(
    client: impl AsyncRead + Unpin,
    mut server: impl AsyncWrite + Unpin,
    shared: &Shared,
    silenced: &AtomicBool,
) -> Result<(), Ended> {
    let mut client = BufReader::new(client);
    let mut watch = CommitWatch::default();
    while let Some((kind, bytes)) = message(&mut client).await? {
        if watch.is_commit(kind, &bytes[5..]) {
            shared.commits.fetch_add(1, Ordering::SeqCst);
            let armed = shared.armed().take();
            match armed {
                Some(Side::Before) => return Err(Ended::Cut),
                Some(Side::After) => silenced.store(true, Ordering::SeqCst),
                None => {}
            }
        }
        server.write_all(&bytes).await?;
    }
    Ok(server.shutdown().await?)
}

/// What the server says, until it is to be silenced: then everything up to
/// the end of its answer is swallowed, and the connection is cut.
async fn pass_answers(
    server: impl AsyncRead + Unpin,
    mut client: impl AsyncWrite + Unpin,
    silenced: &AtomicBool,
) -> Result<(), Ended> {
    const READY_FOR_QUERY: u8 = b'Z';
    let mut server = BufReader::new(server);
    while let Some((kind, bytes)) = message(&mut server).await? {
        match (silenced.load(Ordering::SeqCst), kind) {
            (false, _) => client.write_all(&bytes).await?,
            (true, READY_FOR_QUERY) => return Err(Ended::Cut),
            (true, _) => {}
        }
    }
    Ok(client.shutdown().await?)
}

/// Finds the COMMITs in what a client says: as a query of its own, or as a
/// prepared statement that is bound.
#[derive(Default)]
struct CommitWatch {
    prepared: HashSet<Vec<u8>>,
}

impl CommitWatch {
    fn is_commit(&mut self, kind: u8, body: &[u8]) -> bool {
        let mut texts = body.split(|byte| *byte == 0);
        let mut text = || texts.next().unwrap_or_default();
        match kind {
            b'Q' => says_commit(text()),
            b'P' => {
                let (name, query) = (text().to_vec(), text());
                if says_commit(query) {
                    self.prepared.insert(name);
                } else {
                    self.prepared.remove(&name);
                }
                false
            }
            b'B' => {
                let (_portal, statement) = (text(), text());
                self.prepared.contains(statement)
            }
            _ => false,
        }
    }
}

fn says_commit(query: &[u8]) -> bool {
    let word = query.trim_ascii().trim_ascii_end();
    let word = word.strip_suffix(b";").unwrap_or(word);
    word.eq_ignore_ascii_case(b"COMMIT")
}
