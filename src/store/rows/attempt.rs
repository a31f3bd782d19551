//! `attempts`.

use sea_orm::ActiveValue::{NotSet, Set};

use super::Reader;
use crate::domain::attempt::{Attempt, AttemptResult, PreparedRequest, Step};
use crate::domain::ids::{AttemptId, OperationId};
use crate::domain::provider_key::ProviderKey;
use crate::domain::reference::{ProviderAccount, TenantId};
use crate::domain::time::Instant;
use crate::store::entities::attempts::{ActiveModel, Model};
use crate::store::{StoreError, StoredAttempt};

/// The row of an attempt that begins.
pub(in crate::store) fn attempt_row(attempt: &Attempt) -> ActiveModel {
    let request = &attempt.request;
    ActiveModel {
        tenant: Set(attempt.tenant.as_str().to_owned()),
        id: Set(attempt.id.0),
        operation_id: Set(attempt.operation_id.0),
        number: Set(attempt.number),
        step: Set(attempt.step.name().to_owned()),
        account: Set(attempt.account.as_str().to_owned()),
        provider_key: Set(attempt.key.as_str().to_owned()),
        endpoint: Set(request.endpoint.clone()),
        method: Set(request.method.clone()),
        path: Set(request.path.clone()),
        body: Set(request.body.clone()),
        epoch: Set(attempt.epoch),
        opened_at: Set(attempt.opened_at.0),
        not_after: Set(attempt.not_after.0),
        result: NotSet,
        ended_at: NotSet,
    }
}

/// The attempt of a row, with its end.
pub(in crate::store) fn attempt_from(row: Model) -> Result<StoredAttempt, StoreError> {
    let read = Reader::new("attempts", row.id);
    let attempt = Attempt {
        id: AttemptId(row.id),
        tenant: read.take("tenant", TenantId::parse(&row.tenant).ok())?,
        operation_id: OperationId(row.operation_id),
        number: row.number,
        step: read.take("step", Step::from_name(&row.step))?,
        account: read.take("account", ProviderAccount::parse(&row.account).ok())?,
        key: ProviderKey::stored(row.provider_key),
        request: PreparedRequest {
            endpoint: row.endpoint,
            method: row.method,
            path: row.path,
            body: row.body,
        },
        epoch: row.epoch,
        opened_at: Instant(row.opened_at),
        not_after: Instant(row.not_after),
    };
    Ok(StoredAttempt {
        attempt,
        result: read.option("result", row.result, AttemptResult::from_name)?,
        ended_at: row.ended_at.map(Instant),
    })
}
