//! `StreamEvents`, which this server does not have yet.

use futures_util::stream::BoxStream;
use tonic::Status;

use crate::proto::v1::StreamEventsResponse;

use super::status;

/// The events of one tenant.
pub(super) type Events = BoxStream<'static, Result<StreamEventsResponse, Status>>;

/// Refuses the call.
pub(super) fn stream_events() -> Result<Events, Status> {
    Err(status::not_implemented(
        "this server does not stream events yet; use WatchOperation for one operation",
    ))
}
