//! `WatchOperation`.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use tokio::sync::OwnedSemaphorePermit;
use tonic::Status;

use crate::domain::ids::OperationId;
use crate::domain::reference::TenantId;
use crate::domain::state::State;
use crate::engine::{Until, View};
use crate::proto::v1::{WatchOperationRequest, WatchOperationResponse};

use super::front::Context;
use super::{Api, parse, render, span, status};

/// How long one wait for news lasts before the next begins.
const ROUND: Duration = Duration::from_secs(30);

/// The states of one operation, each newer than the one before.
pub(super) type States = BoxStream<'static, Result<WatchOperationResponse, Status>>;

/// One who watches. Dropping it changes nothing.
struct Watcher {
    api: Api,
    tenant: TenantId,
    id: OperationId,
    seen: i64,
    over: bool,
    _place: OwnedSemaphorePermit,
}

impl Api {
    /// Opens the stream. An operation that is not there is an error of the
    /// call itself.
    pub(super) async fn watch(
        &self,
        context: Context,
        request: WatchOperationRequest,
    ) -> Result<States, Status> {
        let parse::Watching { id, after_version } =
            parse::watch(&request).map_err(status::malformed)?;
        span::operation(id);
        let place = Arc::clone(&self.watchers)
            .try_acquire_owned()
            .map_err(|_| status::overloaded())?;
        let tenant = context.caller.tenant;
        let now = self.engine.get(&tenant, id).await;
        let now = now.map_err(status::of_engine)?;
        let watcher = Watcher {
            api: self.clone(),
            tenant,
            id,
            seen: after_version,
            over: is_over(&now) && now.record.operation.version <= after_version,
            _place: place,
        };
        Ok(stream::unfold(watcher, Watcher::next).boxed())
    }
}

impl Watcher {
    async fn next(mut self) -> Option<(Result<WatchOperationResponse, Status>, Self)> {
        if self.over {
            return None;
        }
        let news = self.news().await;
        match &news {
            Ok(view) => {
                self.seen = view.record.operation.version;
                self.over = is_over(view);
            }
            Err(_) => self.over = true,
        }
        let message = news.map(|view| WatchOperationResponse {
            operation: Some(render::operation(&view)),
        });
        Some((message, self))
    }

    async fn news(&self) -> Result<View, Status> {
        let engine = &self.api.engine;
        loop {
            let waiting = engine.wait(&self.tenant, self.id, Until::NewerThan(self.seen), ROUND);
            let found = tokio::select! {
                found = waiting => found.map_err(status::of_engine)?,
                () = self.api.stopping.cancelled() => return Err(status::stopping()),
            };
            if found.record.operation.version > self.seen {
                return Ok(found);
            }
        }
    }
}

/// The operation is final, and nothing about it is under way.
fn is_over(view: &View) -> bool {
    let mut children = view.compensations.iter();
    let under_way = |state: State| state == State::Created || state.is_unresolved();
    view.answer.is_final && !children.any(|child| under_way(child.state))
}
