//! `GetStatus`.

use std::time::Duration;

use tonic::Status;

use crate::domain::reference::{Purpose, TenantId};
use crate::engine::{DEFAULT_PURPOSE, EngineError, Until, View};
use crate::proto::v1::{GetStatusRequest, GetStatusResponse};

use super::front::Context;
use super::parse::{Asked, Target};
use super::{Api, parse, render, span, status};

impl Api {
    /// Tells how an operation stands, at once or when there is news.
    pub(super) async fn get_status(
        &self,
        context: &Context,
        request: GetStatusRequest,
    ) -> Result<GetStatusResponse, Status> {
        let Asked {
            target,
            wait,
            after_version,
        } = parse::get_status(request).map_err(status::malformed)?;
        let tenant = &context.caller.tenant;
        let found = self.look(tenant, target).await.map_err(status::of_engine)?;
        let id = found.record.operation.id;
        span::operation(id);

        let patience = context
            .arrival
            .patience(self.limits, Some(wait.unwrap_or_default()));
        let view = if patience.is_zero() {
            found
        } else {
            self.news(tenant, found, after_version, patience).await
        };
        Ok(GetStatusResponse {
            operation: Some(render::operation(&view)),
        })
    }

    async fn look(&self, tenant: &TenantId, target: Target) -> Result<View, EngineError> {
        match target {
            Target::Id(id) => self.engine.get(tenant, id).await,
            Target::Reference {
                order_id,
                purpose,
                generation,
            } => {
                span::order(&order_id);
                let purpose = purpose.unwrap_or_else(default_purpose);
                self.engine
                    .find(tenant, &order_id, &purpose, generation)
                    .await
            }
        }
    }

    /// What was found, or what comes of it.
    async fn news(
        &self,
        tenant: &TenantId,
        found: View,
        after_version: i64,
        patience: Duration,
    ) -> View {
        let until = match after_version {
            0 => Until::Settled,
            version => Until::NewerThan(version),
        };
        let id = found.record.operation.id;
        let waiting = self.engine.wait(tenant, id, until, patience);
        self.in_time(patience, waiting).await.unwrap_or(found)
    }
}

fn default_purpose() -> Purpose {
    Purpose::parse(DEFAULT_PURPOSE).expect("the fixed purpose keeps the rule of references")
}
