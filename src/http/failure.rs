//! Whether a request that got no answer can have been seen by the other side.
//!
//! The texts are from a closed list: no URL, no header, no byte of a body, so
//! that they may go to logs.

use std::{error::Error, io, iter::successors};

use thiserror::Error;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// No byte of the request has left: it has no effect, now or later.
    #[error("not sent: {0}")]
    NotSent(NotSentCause),
    /// The request may have arrived, and may have its effect even later.
    #[error("no usable answer, the request may have arrived: {0}")]
    Ambiguous(AmbiguousCause),
}

/// Why nothing was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotSentCause {
    /// The other side refused the connection.
    #[error("connection refused")]
    Refused,
    /// The host name has no address, or no name server answered.
    #[error("host name not resolved")]
    Dns,
    /// No TLS session: a bad certificate, or not TLS at all.
    #[error("no TLS session")]
    Tls,
    /// No connection, TLS included, within the connect timeout.
    #[error("connect timeout")]
    ConnectTimeout,
    /// Another failure to connect, for instance no route.
    #[error("not reachable")]
    Unreachable,
    /// The URL is not an http or https URL with a host, or holds a user name.
    #[error("bad URL")]
    BadUrl,
    /// A header has a name or a value that HTTP does not allow.
    #[error("bad header")]
    BadHeader,
}

/// Why it is unknown what the request did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AmbiguousCause {
    /// The deadline passed, at whatever step.
    #[error("deadline passed")]
    Timeout,
    /// The connection was reset.
    #[error("connection reset")]
    Reset,
    /// The connection ended before the whole answer was there.
    #[error("connection closed before the whole answer")]
    Truncated,
    /// The body is above the cap.
    #[error("answer too large")]
    BodyTooLarge,
    /// What came back is not HTTP, or something else went wrong.
    #[error("not understood")]
    Protocol,
}

impl Failure {
    /// Reads an error from sending.
    ///
    /// `is_connect` is set by hyper-util alone, for errors before a connection
    /// exists; requests are handed to a connection after that.
    pub(super) fn to_send(error: &reqwest::Error) -> Self {
        if error.is_connect() {
            Self::NotSent(not_sent_cause(error))
        } else {
            Self::Ambiguous(ambiguous_cause(error))
        }
    }

    /// Reads an error from reading the answer, when the request has left.
    pub(super) fn to_read(error: &reqwest::Error) -> Self {
        Self::Ambiguous(ambiguous_cause(error))
    }
}

fn not_sent_cause(error: &reqwest::Error) -> NotSentCause {
    use io::ErrorKind::{ConnectionRefused, ConnectionReset, TimedOut, UnexpectedEof};

    if error.is_timeout() {
        return NotSentCause::ConnectTimeout;
    }
    if error.is_dns() {
        return NotSentCause::Dns;
    }
    if chain(error).any(|e| e.is::<rustls::Error>()) {
        return NotSentCause::Tls;
    }
    match io_kind(error) {
        Some(ConnectionRefused) => NotSentCause::Refused,
        // Only the TLS handshake reads while connecting.
        Some(UnexpectedEof | ConnectionReset) => NotSentCause::Tls,
        Some(TimedOut) => NotSentCause::ConnectTimeout,
        _ => NotSentCause::Unreachable,
    }
}

fn ambiguous_cause(error: &reqwest::Error) -> AmbiguousCause {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};

    if error.is_timeout() {
        return AmbiguousCause::Timeout;
    }
    match io_kind(error) {
        Some(ConnectionReset | ConnectionAborted | BrokenPipe) => return AmbiguousCause::Reset,
        Some(UnexpectedEof) => return AmbiguousCause::Truncated,
        _ => {}
    }
    let closed_early = chain(error)
        .filter_map(|e| e.downcast_ref::<hyper::Error>())
        .any(|e| e.is_incomplete_message() || e.is_closed() || e.is_canceled());
    if closed_early {
        AmbiguousCause::Truncated
    } else {
        AmbiguousCause::Protocol
    }
}

/// The causes of `error`, outermost first. `io::Error::source` skips the error
/// that is directly inside, which is where rustls and the connector put theirs.
fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    successors(error.source(), |&outer| {
        let inside = outer
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        match inside {
            Some(inner) => Some(inner),
            None => outer.source(),
        }
    })
}

/// The innermost kind, which is what the operating system said.
fn io_kind(error: &reqwest::Error) -> Option<io::ErrorKind> {
    chain(error)
        .filter_map(|e| e.downcast_ref::<io::Error>())
        .map(io::Error::kind)
        .last()
}
