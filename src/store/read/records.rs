//! Operations with their effects, in one statement.

use sea_orm::{DatabaseConnection, QueryOrder, Select};

use super::retried;
use crate::domain::operation::Record;
use crate::store::entities::{effects, operations};
use crate::store::{StoreError, rows};

/// An operation's row and those of its effects.
pub(in crate::store) struct Unread {
    operation: operations::Model,
    effects: Vec<effects::Model>,
}

impl Unread {
    /// The lease epoch that the row has.
    pub(in crate::store) fn lease_epoch(&self) -> i64 {
        self.operation.lease_epoch
    }

    /// The record of the rows.
    pub(in crate::store) fn read(self) -> Result<Record, StoreError> {
        let effects = self.effects.into_iter().map(rows::effect_from);
        Ok(Record {
            operation: rows::operation_from(self.operation)?,
            effects: effects.collect::<Result<_, _>>()?,
        })
    }
}

/// The records of the selected operations, in their order.
pub(in crate::store) async fn records_of(
    db: &DatabaseConnection,
    selected: Select<operations::Entity>,
) -> Result<Vec<Record>, StoreError> {
    let unread = unread_records(db, selected).await?;
    unread.into_iter().map(Unread::read).collect()
}

/// The same, before any row is judged.
pub(in crate::store) async fn unread_records(
    db: &DatabaseConnection,
    selected: Select<operations::Entity>,
) -> Result<Vec<Unread>, StoreError> {
    let joined = selected
        .order_by_asc(operations::Column::Id)
        .find_also_related(effects::Entity)
        .order_by_asc(effects::Column::Number);
    let pairs = retried(|| joined.clone().all(db)).await?;
    let mut records: Vec<Unread> = Vec::new();
    for (operation, effect) in pairs {
        match records.last_mut() {
            Some(last) if same(&last.operation, &operation) => last.effects.extend(effect),
            Some(_) | None => records.push(Unread {
                operation,
                effects: effect.into_iter().collect(),
            }),
        }
    }
    Ok(records)
}

fn same(one: &operations::Model, other: &operations::Model) -> bool {
    (&one.tenant, one.id) == (&other.tenant, other.id)
}
