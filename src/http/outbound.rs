//! The client itself: how it is built, and one request from connecting to the
//! last body byte.

use std::{fmt, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use reqwest::{Client, ClientBuilder, Method, Url, redirect, retry};
use rustls::crypto::{CryptoProvider, ring};
use tokio::time::timeout;
use tracing::warn;

use super::failure::{AmbiguousCause, Failure, NotSentCause};

/// How long an unused connection is kept.
const IDLE: Duration = Duration::from_secs(4);

/// A client for requests that move money. Clones share one connection pool.
#[derive(Clone, Debug)]
pub struct Outbound {
    client: Client,
}

/// One request.
#[derive(Clone)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// `http` or `https`, with a host and without user name or password.
    pub url: String,
    /// Names and values, sent in this order and spelled in lower case; a name
    /// may repeat.
    pub headers: Vec<(String, String)>,
    /// The body, sent as it is. Its length is added as a header.
    pub body: Vec<u8>,
}

/// Shows nothing of what may be a key, a token or a name.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.body.len();
        write!(f, "Request({}, {bytes} bytes)", self.method)
    }
}

/// How long and how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From connecting to the last body byte.
    pub deadline: Duration,
    /// Largest body accepted, in bytes.
    pub body_cap: usize,
}

impl Limits {
    /// Body cap where nothing else is known: 1 MiB.
    pub const DEFAULT_BODY_CAP: usize = 1024 * 1024;

    /// This deadline, with the default body cap.
    pub fn within(deadline: Duration) -> Self {
        Self {
            deadline,
            body_cap: Self::DEFAULT_BODY_CAP,
        }
    }
}

/// A whole answer, whatever its status.
#[derive(Clone)]
pub struct Answer {
    /// The status; a redirect is one of them.
    pub status: u16,
    /// The headers, as they came.
    pub headers: HeaderMap,
    /// The body, as it came: never decompressed.
    pub body: Vec<u8>,
}

/// Shows nothing of what the other side wrote.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.body.len();
        write!(f, "Answer({}, {bytes} bytes)", self.status)
    }
}

/// The client cannot be built: TLS is not usable in this process.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client cannot be built")]
pub struct BuildError(#[source] reqwest::Error);

/// Makes ring the TLS implementation of this process. Called first thing in
/// `main`; repeats change nothing.
pub fn install_crypto_provider() {
    if CryptoProvider::get_default().is_none() {
        // Another thread may have been first: then there is one, which is all
        // that is wanted.
        let _ = ring::default_provider().install_default();
    }
}

impl Outbound {
    /// A client that gives up on connecting, TLS included, after
    /// `connect_timeout`.
    ///
    /// Where the system has no certificates, as in a minimal container, the
    /// client still serves plain HTTP and refuses every `https` server.
    ///
    /// # Errors
    ///
    /// TLS is not usable in this process.
    pub fn new(connect_timeout: Duration) -> Result<Self, BuildError> {
        install_crypto_provider();
        let client = builder(connect_timeout).build().or_else(|_| {
            warn!("no system certificates: https providers cannot be reached");
            builder(connect_timeout).tls_certs_only([]).build()
        });
        Ok(Self {
            client: client.map_err(BuildError)?,
        })
    }

    /// Sends `request` once and reads the whole answer. Dropping the future
    /// gives up waiting; the request may still arrive.
    ///
    /// # Errors
    ///
    /// [`Failure::NotSent`] only when no byte of the request has left. A
    /// deadline that fires is always ambiguous: connecting may just have ended.
    pub async fn send(&self, request: Request, limits: Limits) -> Result<Answer, Failure> {
        let request = prepare(request).map_err(Failure::NotSent)?;
        timeout(limits.deadline, self.exchange(request, limits.body_cap))
            .await
            .unwrap_or(Err(Failure::Ambiguous(AmbiguousCause::Timeout)))
    }

    async fn exchange(
        &self,
        request: reqwest::Request,
        body_cap: usize,
    ) -> Result<Answer, Failure> {
        #[cfg(debug_assertions)]
        let (request, moves_money) = super::cut_body::cut_if_armed(request);
        let sent = self.client.execute(request).await;
        let mut response = sent.map_err(|error| Failure::to_send(&error))?;
        #[cfg(debug_assertions)]
        if moves_money {
            crate::failpoint::pass(crate::failpoint::Point::B5Executed);
        }
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| Failure::to_read(&error))?
        {
            if body.len() + chunk.len() > body_cap {
                return Err(Failure::Ambiguous(AmbiguousCause::BodyTooLarge));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Answer {
            status: response.status().as_u16(),
            headers: std::mem::take(response.headers_mut()),
            body,
        })
    }
}

fn builder(connect_timeout: Duration) -> ClientBuilder {
    Client::builder()
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .no_proxy()
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .referer(false)
        .http1_only()
        .connect_timeout(connect_timeout)
        .pool_idle_timeout(IDLE)
        .tcp_nodelay(true)
}

/// Checks everything that can be wrong with a request before a connection is
/// looked for, so that a later error never is about that.
fn prepare(request: Request) -> Result<reqwest::Request, NotSentCause> {
    let url = Url::parse(&request.url).map_err(|_| NotSentCause::BadUrl)?;
    let usable = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.as_str().parse::<Uri>().is_ok();
    if !usable {
        return Err(NotSentCause::BadUrl);
    }
    let mut prepared = reqwest::Request::new(request.method, url);
    for (name, value) in request.headers {
        let name = HeaderName::try_from(name).map_err(|_| NotSentCause::BadHeader)?;
        let value = HeaderValue::try_from(value).map_err(|_| NotSentCause::BadHeader)?;
        prepared.headers_mut().append(name, value);
    }
    *prepared.body_mut() = Some(request.body.into());
    Ok(prepared)
}
