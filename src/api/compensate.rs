//! `Compensate`.

use std::time::Duration;

use tonic::Status;

use crate::domain::operation::Record;
use crate::domain::reference::Label;
use crate::engine::{Compensated, View};
use crate::proto::v1::{CompensateRequest, CompensateResponse};

use super::front::Context;
use super::{Api, parse, render, span, status};

/// The operation that is compensated, and its compensation if there is one.
struct Pair {
    parent: View,
    compensation: Option<View>,
}

impl Api {
    /// Starts or joins a compensation, then waits for it.
    pub(super) async fn compensate(
        &self,
        context: &Context,
        request: CompensateRequest,
    ) -> Result<CompensateResponse, Status> {
        let parse::Compensation { request, wait } =
            parse::compensate(request).map_err(status::malformed)?;
        span::operation(request.operation_id);
        let label = request.label.clone();
        let tenant = &context.caller.tenant;
        let accepted = self.engine.compensate(tenant, request).await;
        let Compensated {
            parent,
            compensation,
            replayed,
        } = accepted.map_err(status::of_engine)?;
        let pair = match compensation {
            Some(own) => self.both(context, wait, parent, own).await,
            None => self.instructed(context, wait, parent, &label).await,
        };
        Ok(CompensateResponse {
            operation: Some(render::operation(&pair.parent)),
            compensation: pair.compensation.as_ref().map(render::operation),
            replayed,
        })
    }

    /// Waits for the compensation, and reads its parent again afterwards.
    async fn both(
        &self,
        context: &Context,
        wait: Option<Duration>,
        parent: Record,
        own: Record,
    ) -> Pair {
        let compensation = self.settled(context, wait, own).await;
        let parent = self.fresh(context, wait, parent).await;
        Pair {
            parent,
            compensation: Some(compensation),
        }
    }

    /// Without a compensation of its own: the operation was canceled, which
    /// is settled, or it is waited for, and its result may bring one.
    async fn instructed(
        &self,
        context: &Context,
        wait: Option<Duration>,
        parent: Record,
        label: &Label,
    ) -> Pair {
        let parent = self.settled(context, wait, parent).await;
        let born = parent
            .compensations
            .iter()
            .find(|own| own.label.as_ref() == Some(label));
        let compensation = match born.map(|own| own.operation_id) {
            Some(id) => {
                let patience = context.arrival.patience(self.limits, wait);
                let question = self.engine.get(&context.caller.tenant, id);
                self.in_time(patience, question).await
            }
            None => None,
        };
        Pair {
            parent,
            compensation,
        }
    }

    /// The newest state of a record that was read or committed before. It may
    /// take what is left of the call's time: an older state would contradict
    /// the compensation beside it.
    async fn fresh(&self, context: &Context, wait: Option<Duration>, record: Record) -> View {
        let patience = context.arrival.patience(self.limits, wait);
        let question = self.engine.get(&context.caller.tenant, record.operation.id);
        match self.in_time(patience, question).await {
            Some(view) => view,
            None => self.known(record).await,
        }
    }
}
