//! All tables of the store.

use sea_orm_migration::prelude::*;

use crate::schema::{SCHEMA_VERSION, checksum, schema};

/// Creates all tables and the row that says what they are.
#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let db = manager.get_connection();
        let backend = manager.get_database_backend();
        db.execute_unprepared(&schema(backend)).await?;
        let checksum = checksum(backend);
        db.execute_unprepared(&format!(
            "INSERT INTO deployment \
             (id, name, schema_version, schema_checksum, beat, recovery_epoch, recovery_state) \
             VALUES (1, NULL, {SCHEMA_VERSION}, '{checksum}', 0, 0, 'NONE')"
        ))
        .await?;
        Ok(())
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration(
            "operations are never dropped: remove the database itself".to_owned(),
        ))
    }
}
