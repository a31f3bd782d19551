//! `operations`.

use sea_orm::ActiveValue::Set;

use super::{Reader, intent, json};
use crate::domain::evidence::{Decline, DeclineCategory};
use crate::domain::ids::{CaseId, OperationId, ProviderPaymentId};
use crate::domain::operation::{Lease, Operation, Progress, Review, ReviewReason};
use crate::domain::state::State;
use crate::domain::time::Instant;
use crate::store::StoreError;
use crate::store::entities::operations::{ActiveModel, Model};

fn micros(at: Option<Instant>) -> Option<i64> {
    at.map(|at| at.0)
}

/// The columns that a change of an operation may write. Its lease is not
/// among them.
pub(in crate::store) fn updated(operation: &Operation) -> ActiveModel {
    let progress = &operation.progress;
    let decline = operation.decline.as_ref();
    let review = operation.review.as_ref();
    let payment = operation.provider_payment_id.as_ref();
    ActiveModel {
        version: Set(operation.version),
        state: Set(operation.state.name().to_owned()),
        progress: Set(json(progress)),
        attempts: Set(progress.attempts),
        attempts_left: Set(progress.left),
        open_attempt: Set(progress.open.map(|open| open.id.0)),
        provider_payment_id: Set(payment.map(|id| id.as_str().to_owned())),
        decline_category: Set(decline.map(|decline| decline.category.name().to_owned())),
        decline_code: Set(decline.and_then(|decline| decline.provider_code.clone())),
        customer_action: Set(operation.customer_action.as_ref().map(json)),
        review_case: Set(review.map(|review| review.case_id.0)),
        review_reason: Set(review.map(|review| review.reason.name().to_owned())),
        review_opened_at: Set(review.map(|review| review.opened_at.0)),
        instruction: Set(operation.instruction.as_ref().map(json)),
        fulfilment_forbidden: Set(operation.fulfilment_forbidden),
        superseded_by: Set(operation.superseded_by.map(|id| id.0)),
        ledger_head: Set(operation.ledger_head.to_vec()),
        next_check_at: Set(micros(operation.next_check_at)),
        submitted_at: Set(micros(operation.submitted_at)),
        unresolved_since: Set(micros(operation.unresolved_since)),
        settled_at: Set(micros(operation.settled_at)),
        reversed_at: Set(micros(operation.reversed_at)),
        as_of: Set(operation.as_of.0),
        ..Default::default()
    }
}

/// The whole row of a new operation.
pub(in crate::store) fn inserted(operation: &Operation, lease: &Lease) -> ActiveModel {
    let mut row = ActiveModel {
        id: Set(operation.id.0),
        created_at: Set(operation.created_at.0),
        lease_epoch: Set(lease.epoch),
        lease_owner: Set(lease.owner.clone()),
        lease_until: Set(micros(lease.until)),
        ..updated(operation)
    };
    intent::put(&operation.intent, &mut row);
    row
}

/// The operation of a row.
pub(in crate::store) fn operation_from(mut row: Model) -> Result<Operation, StoreError> {
    let read = Reader::new("operations", row.id);
    let payment = row.provider_payment_id.take();
    Ok(Operation {
        id: OperationId(row.id),
        version: row.version,
        intent: intent::take(&read, &mut row)?,
        state: read.take("state", State::from_name(&row.state))?,
        progress: progress(&read, &row)?,
        provider_payment_id: read.option(
            "provider_payment_id",
            payment,
            ProviderPaymentId::parse,
        )?,
        decline: decline(&read, &mut row)?,
        customer_action: optional_json(&read, "customer_action", row.customer_action.as_deref())?,
        review: review(&read, &row)?,
        instruction: optional_json(&read, "instruction", row.instruction.as_deref())?,
        fulfilment_forbidden: row.fulfilment_forbidden,
        superseded_by: row.superseded_by.map(OperationId),
        next_check_at: row.next_check_at.map(Instant),
        created_at: Instant(row.created_at),
        submitted_at: row.submitted_at.map(Instant),
        unresolved_since: row.unresolved_since.map(Instant),
        settled_at: row.settled_at.map(Instant),
        reversed_at: row.reversed_at.map(Instant),
        as_of: Instant(row.as_of),
        ledger_head: read.hash("ledger_head", &row.ledger_head)?,
        lease: Lease {
            epoch: row.lease_epoch,
            owner: row.lease_owner,
            until: row.lease_until.map(Instant),
        },
    })
}

fn optional_json<T: serde::de::DeserializeOwned>(
    read: &Reader,
    column: &str,
    text: Option<&str>,
) -> Result<Option<T>, StoreError> {
    text.map(|text| read.json(column, text)).transpose()
}

/// The checks rest on copies of some of its fields, which must agree with it.
fn progress(read: &Reader, row: &Model) -> Result<Progress, StoreError> {
    let progress: Progress = read.json("progress", &row.progress)?;
    let open = progress.open.map(|open| open.id.0);
    let copies = (row.attempts, row.attempts_left, row.open_attempt);
    if copies != (progress.attempts, progress.left, open) {
        return Err(read.corrupt("progress does not agree with the columns copied from it"));
    }
    Ok(progress)
}

fn decline(read: &Reader, row: &mut Model) -> Result<Option<Decline>, StoreError> {
    let category = read.option(
        "decline_category",
        row.decline_category.take(),
        DeclineCategory::from_name,
    )?;
    Ok(category.map(|category| Decline {
        category,
        provider_code: row.decline_code.take(),
    }))
}

fn review(read: &Reader, row: &Model) -> Result<Option<Review>, StoreError> {
    match (row.review_case, &row.review_reason, row.review_opened_at) {
        (None, None, None) => Ok(None),
        (Some(case), Some(reason), Some(opened_at)) => Ok(Some(Review {
            case_id: CaseId(case),
            reason: read.take("review_reason", ReviewReason::from_name(reason))?,
            opened_at: Instant(opened_at),
        })),
        _ => Err(read.corrupt("review columns are set in part")),
    }
}
