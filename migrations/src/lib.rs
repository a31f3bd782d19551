//! The schema of payonce's operation store.
//!
//! Guarantees:
//! - one migration holds every table, on SQLite and on PostgreSQL from the
//!   same text;
//! - a database records the checksum of the text it was made from, so that
//!   one of another shape is recognised and refused;
//! - until version 0.1.0 the migration is edited in place, and databases of
//!   an older shape are refused, not converted.

mod m0001_store;
mod schema;

use sea_orm_migration::prelude::{MigrationTrait, MigratorTrait, async_trait};

pub use schema::{SCHEMA_VERSION, SQLITE_APPLICATION_ID, checksum, schema};

/// Every migration, in order. Run it inside one transaction that holds the
/// start-up lock: it opens none that would outlive a crash.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![Box::new(m0001_store::Migration)]
    }
}
