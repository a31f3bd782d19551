//! The one outbound HTTP client, made for requests that move money.
//!
//! One [`Outbound::send`] puts the request on the wire at most once, and its
//! error says whether the other side can have seen it:
//!
//! - [`Failure::NotSent`]: no byte of the request has left. Only a bad request
//!   and a failure to connect are that.
//! - [`Failure::Ambiguous`]: anything else. The request may have had its
//!   effect.
//!
//! Redirects are answers and are not followed; environment proxies are ignored;
//! bodies are not decompressed; HTTP/1.1 only. One deadline covers everything
//! from connecting to the last body byte, and a body above the cap is refused
//! while it is read.
//!
//! # Repeats below us
//!
//! Three layers could send a request again. reqwest's own retries are off
//! (`retry::never`). hyper never repeats. hyper-util, between them, takes
//! another connection when a *reused* one turned out closed, and reqwest has no
//! switch for that; but it does so only with a request that hyper handed back
//! whole, which hyper does only for one still in the queue of its connection:
//! once the request has been taken out to be written, even a first write that
//! fails is reported as an error. So a repeat here means that the first copy
//! was never written, and it happens within the same deadline. `tests` counts
//! arrivals at servers that close connections at every moment.
//!
//! Idle connections are dropped after four seconds, below the five after which
//! many servers close theirs, because a request lost in that race would be
//! ambiguous for nothing.

#[cfg(debug_assertions)]
mod cut_body;
mod failure;
mod outbound;
#[cfg(test)]
mod tests;

pub use failure::{AmbiguousCause, Failure, NotSentCause};
pub use outbound::{Answer, BuildError, Limits, Outbound, Request, install_crypto_provider};
pub use reqwest::Method;
