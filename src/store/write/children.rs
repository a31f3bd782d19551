//! What hangs on operations: effects, cases, attempts, ledger, outbox.

use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter,
};

use crate::domain::ids::OperationId;
use crate::domain::reference::TenantId;
use crate::store::entities::{attempts, cases, effects, ledger, outbox};
use crate::store::{AttemptWrite, CaseWrite, Commit, Write, rows};

fn writes(group: &[Commit]) -> impl Iterator<Item = &Write> {
    group.iter().flat_map(|commit| &commit.writes)
}

/// Writes every effect of the written operations as it is to be.
pub(super) async fn effects(
    transaction: &DatabaseTransaction,
    group: &[Commit],
) -> Result<(), DbErr> {
    use effects::Column;
    let of_write = |write: &Write| {
        let operation = &write.record.operation;
        let (tenant, id) = (operation.intent.tenant.clone(), operation.id);
        let numbered = (1..).zip(write.record.effects.clone());
        numbered.map(move |(number, effect)| rows::effect_row(&tenant, id, number, &effect))
    };
    let rows: Vec<_> = writes(group).flat_map(of_write).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let changes = [
        Column::Role,
        Column::Authorized,
        Column::Captured,
        Column::Refunded,
        Column::RefundPending,
        Column::ChargedBack,
        Column::Returned,
    ];
    let mut known = OnConflict::columns([Column::Tenant, Column::Id]);
    known.update_columns(changes);
    effects::Entity::insert_many(rows)
        .on_conflict(known)
        .exec_without_returning(transaction)
        .await?;
    Ok(())
}

/// Opens and closes cases, in order.
pub(super) async fn cases(
    transaction: &DatabaseTransaction,
    group: &[Commit],
) -> Result<(), DbErr> {
    for write in writes(group) {
        let operation = &write.record.operation;
        for case in &write.cases {
            change_case(transaction, &operation.intent.tenant, operation.id, case).await?;
        }
    }
    Ok(())
}

async fn change_case(
    transaction: &DatabaseTransaction,
    tenant: &TenantId,
    operation_id: OperationId,
    case: &CaseWrite,
) -> Result<(), DbErr> {
    use cases::{ActiveModel, Column, Entity};
    match case {
        CaseWrite::Open {
            case_id,
            reason,
            opened_at,
        } => {
            let row = ActiveModel {
                tenant: Set(tenant.as_str().to_owned()),
                id: Set(case_id.0),
                operation_id: Set(Some(operation_id.0)),
                reason: Set(reason.name().to_owned()),
                opened_at: Set(opened_at.0),
                ..Default::default()
            };
            Entity::insert(row)
                .exec_without_returning(transaction)
                .await?;
        }
        CaseWrite::Close { case_id, closed_at } => {
            let row = ActiveModel {
                closed_at: Set(Some(closed_at.0)),
                ..Default::default()
            };
            Entity::update_many()
                .set(row)
                .filter(Column::Tenant.eq(tenant.as_str()))
                .filter(Column::Id.eq(case_id.0))
                .filter(Column::ClosedAt.is_null())
                .exec(transaction)
                .await?;
        }
    }
    Ok(())
}

/// Opens and closes attempts, in order.
pub(super) async fn attempts(
    transaction: &DatabaseTransaction,
    group: &[Commit],
) -> Result<(), DbErr> {
    use attempts::{ActiveModel, Column, Entity};
    for commit in group {
        for attempt in &commit.attempts {
            match attempt {
                AttemptWrite::Open(attempt) => {
                    Entity::insert(rows::attempt_row(attempt))
                        .exec_without_returning(transaction)
                        .await?;
                }
                AttemptWrite::Close {
                    id,
                    result,
                    ended_at,
                } => {
                    let row = ActiveModel {
                        result: Set(Some(result.name().to_owned())),
                        ended_at: Set(Some(ended_at.0)),
                        ..Default::default()
                    };
                    Entity::update_many()
                        .set(row)
                        .filter(Column::Tenant.eq(commit.tenant.as_str()))
                        .filter(Column::Id.eq(id.0))
                        .filter(Column::Result.is_null())
                        .exec(transaction)
                        .await?;
                }
            }
        }
    }
    Ok(())
}

/// Appends the ledger rows.
pub(super) async fn ledger(
    transaction: &DatabaseTransaction,
    group: &[Commit],
) -> Result<(), DbErr> {
    let rows = writes(group).map(|write| rows::ledger_row(&write.ledger));
    ledger::Entity::insert_many(rows)
        .exec_without_returning(transaction)
        .await?;
    Ok(())
}

/// Adds the messages.
pub(super) async fn outbox(
    transaction: &DatabaseTransaction,
    group: &[Commit],
) -> Result<(), DbErr> {
    let of_commit = |commit: &Commit| {
        let tenant = commit.tenant.as_str().to_owned();
        let messages = commit.outbox.clone().into_iter();
        messages.map(move |message| outbox::ActiveModel {
            tenant: Set(tenant.clone()),
            id: Set(message.id),
            operation_id: Set(message.operation_id.0),
            version: Set(message.version),
            kind: Set(message.kind.to_owned()),
            created_at: Set(message.created_at.0),
        })
    };
    let rows: Vec<_> = group.iter().flat_map(of_commit).collect();
    if rows.is_empty() {
        return Ok(());
    }
    outbox::Entity::insert_many(rows)
        .exec_without_returning(transaction)
        .await?;
    Ok(())
}
