//! What a start-up has to know.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::retried;
use crate::domain::reference::ProviderAccount;
use crate::store::entities::operations::{Column, Entity};
use crate::store::{Store, StoreError};

impl Store {
    /// The provider accounts, of all tenants, that operations which still
    /// need work go through. A start without one of them is refused.
    pub async fn accounts_with_unresolved(&self) -> Result<Vec<ProviderAccount>, StoreError> {
        let due = Entity::find()
            .select_only()
            .column(Column::Provider)
            .distinct()
            .filter(Column::NextCheckAt.is_not_null());
        let read = || due.clone().into_tuple::<String>().all(self.reading());
        let names = retried(read).await?;
        let account = |name: String| {
            let corrupt = |what| StoreError::Corrupt {
                table: "operations",
                id: name.clone(),
                what,
            };
            ProviderAccount::parse(&name).map_err(|rule| corrupt(format!("provider {rule}")))
        };
        names.into_iter().map(account).collect()
    }
}
