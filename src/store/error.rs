//! What the store answers when it cannot do what was asked.

/// Why the store did not do it. Texts are for logs: they can hold names of
/// tables and columns, and are never shown to callers.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database could not be reached or could not write. Of a commit:
    /// nothing was written, and it may be handed over again.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// The acknowledgement of a commit was lost and could not be looked up:
    /// it may have been written.
    #[error("the acknowledgement of a commit was lost and could not be looked up")]
    Undetermined,
    /// A stored row cannot be what the domain allows.
    #[error("table {table}, row {id}: {what}")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The row's id.
        id: String,
        /// What is wrong with it.
        what: String,
    },
    /// The database was made by another version of the schema, or holds
    /// something else.
    #[error(
        "the database has schema {found}, this version needs schema {needed}: \
         create a new database and run `payonce migrate`, or use the version that made it"
    )]
    SchemaMismatch {
        /// What the database says it is.
        found: String,
        /// What is needed.
        needed: String,
    },
    /// The database belongs to another deployment. Its name is part of every
    /// provider key, so that another one would make second keys.
    #[error(
        "the database belongs to deployment {recorded:?} and deployment.name is {configured:?}: \
         the name is part of every provider key and must not change"
    )]
    DeploymentMismatch {
        /// The name in the database.
        recorded: String,
        /// The name in the configuration.
        configured: String,
    },
    /// The database refused a write that the code should never ask for.
    /// Nothing was written.
    #[error("the database refused a write that breaks a rule: {0}")]
    Invariant(String),
    /// Another process of payonce works on this SQLite file.
    #[error(
        "{} is in use by another process of payonce: one process at a time may \
         work on a SQLite file; stop it first, or use PostgreSQL for several",
        .0.display()
    )]
    Held(std::path::PathBuf),
    /// The options or the database do not fit what the store needs.
    #[error("database.urls: {0}")]
    Unusable(String),
}
