//! Requests that are cut off half-way or answered to nobody, where a debug
//! build was told so. Every other request goes out untouched.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use reqwest::header::CONTENT_LENGTH;
use reqwest::{Body, Request};

use crate::failpoint::{Point, is_armed, pass};

/// Longer than written bytes stay in this process.
const FLUSHED: Duration = Duration::from_millis(100);

/// The request, and whether it has a body: look-ups have none.
pub(super) fn cut_if_armed(mut request: Request) -> (Request, bool) {
    let body = request.body().and_then(Body::as_bytes);
    let Some(bytes) = body
        .filter(|bytes| !bytes.is_empty())
        .map(Bytes::copy_from_slice)
    else {
        return (request, false);
    };
    let cut = if is_armed(Point::B3PartSent) {
        Some(halved(bytes.clone()))
    } else if is_armed(Point::B4Sent) {
        Some(watched(bytes.clone()))
    } else {
        None
    };
    if let Some(body) = cut {
        // With it, the stream goes out as the bytes would have.
        let length = bytes.len().into();
        request.headers_mut().insert(CONTENT_LENGTH, length);
        *request.body_mut() = Some(body);
    }
    (request, true)
}

/// The body in one piece, with the failure point after it.
fn watched(bytes: Bytes) -> Body {
    let whole = stream::once(async move {
        tokio::spawn(async {
            tokio::time::sleep(FLUSHED).await;
            pass(Point::B4Sent);
        });
        Ok::<_, std::io::Error>(bytes)
    });
    Body::wrap_stream(whole)
}

/// The body in two pieces, with the failure point between them.
fn halved(mut bytes: Bytes) -> Body {
    let first = bytes.split_to(bytes.len() / 2);
    let pieces = stream::unfold((Some(first), Some(bytes)), |pieces| async {
        match pieces {
            (Some(first), rest) => Some((Ok::<_, std::io::Error>(first), (None, rest))),
            (None, Some(rest)) => {
                tokio::time::sleep(FLUSHED).await;
                pass(Point::B3PartSent);
                Some((Ok(rest), (None, None)))
            }
            (None, None) => None,
        }
    });
    Body::wrap_stream(pieces)
}
