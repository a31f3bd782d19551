//! PostgreSQL's own word on who wrote what: each life of a replica is a user
//! of its own, and a trigger notes with every change of an operation who
//! writes, and who holds the lease at that moment.
//!
//! The trigger reads the row as it is locked for the change, so that what it
//! notes cannot be older than the write.

use std::collections::HashMap;

use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, Statement};
use uuid::Uuid;

const TRIGGER: &str = "
CREATE SCHEMA lab;
CREATE TABLE lab.writes (
    operation_id UUID NOT NULL,
    version      BIGINT NOT NULL,
    writer       TEXT NOT NULL,
    holder       TEXT
);
CREATE FUNCTION lab.note() RETURNS trigger AS $$
BEGIN
    IF NEW.version <> OLD.version THEN
        INSERT INTO lab.writes VALUES (NEW.id, NEW.version, session_user, OLD.lease_owner);
    END IF;
    RETURN NULL;
END
$$ LANGUAGE plpgsql;
CREATE TRIGGER note AFTER UPDATE ON operations FOR EACH ROW EXECUTE FUNCTION lab.note();
";

/// What only the holder of the lease may write: attempts that are opened, ends
/// without an answer, look-ups without a finding. Evidence may come from
/// anybody; and what a compensation does to its parent is guarded by the lease
/// of the compensation.
const FENCED: &str = "
SELECT w.writer, w.holder, l.event, w.operation_id, w.version
FROM lab.writes w
JOIN ledger l ON l.operation_id = w.operation_id AND l.version = w.version
WHERE (l.event IN ('open', 'not_sent', 'ambiguous', 'lease_lapsed', 'overdue')
   OR (l.event = 'looked_up' AND l.body NOT LIKE '%\"verdict\":\"FOUND\"%'))
  AND NOT EXISTS (
      SELECT 1 FROM ledger c JOIN operations o ON o.id = c.operation_id
      WHERE c.commit_id = l.commit_id AND o.parent = l.operation_id)
";

/// The notes, and who is who.
pub(crate) struct Audit {
    db: DatabaseConnection,
    /// Makes users unique on a server that serves other tests too.
    prefix: String,
    /// Process ids by user.
    processes: HashMap<String, u32>,
}

/// What the notes say.
pub(crate) struct Written {
    /// How many writes of the fenced kinds there were.
    pub(crate) fenced: usize,
    /// Those of them whose writer did not hold the lease.
    pub(crate) stale: Vec<String>,
}

impl Audit {
    /// Starts to take notes. The tables must exist.
    pub(crate) async fn install(url: &str) -> Audit {
        let mut options = ConnectOptions::new(url.to_owned());
        options.max_connections(2).sqlx_logging(false);
        let db = Database::connect(options).await.expect("the database");
        db.execute_unprepared(TRIGGER).await.expect("a trigger");
        Audit {
            db,
            prefix: format!("u{}", Uuid::now_v7().simple()),
            processes: HashMap::new(),
        }
    }

    /// Makes a user; returns its name.
    pub(super) async fn new_writer(&self, name: &str) -> String {
        let user = self.user(name);
        let made = format!("CREATE ROLE {user} LOGIN SUPERUSER");
        self.db.execute_unprepared(&made).await.expect("a user");
        user
    }

    /// Tells which process writes as this user.
    pub(super) fn name_writer(&mut self, name: &str, process: u32) {
        let user = self.user(name);
        self.processes.insert(user, process);
    }

    fn user(&self, name: &str) -> String {
        format!("{}_{name}", self.prefix)
    }

    /// Reads the notes.
    pub(crate) async fn written(&self) -> Written {
        let backend = self.db.get_database_backend();
        let asked = Statement::from_string(backend, FENCED);
        let rows = self.db.query_all_raw(asked).await.expect("the notes");
        let mut stale = Vec::new();
        for row in &rows {
            let text = |at: usize| row.try_get_by_index::<Option<String>>(at);
            let writer = text(0).expect("text").unwrap_or_default();
            let holder = text(1).expect("text").unwrap_or_default();
            let process = self.processes.get(&writer).copied();
            if process.is_none() || process != process_of(&holder) {
                let event = text(2).expect("text").unwrap_or_default();
                let id: Uuid = row.try_get_by_index(3).expect("an id");
                stale.push(format!(
                    "{event} of {id} by {writer} ({process:?}), held by {holder:?}"
                ));
            }
        }
        Written {
            fenced: rows.len(),
            stale,
        }
    }

    /// Ends up to `most` sessions of the service; returns how many.
    pub(crate) async fn terminate_sessions(&self, most: u32) -> u64 {
        let ended = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE usename LIKE '{}%' ORDER BY query_start DESC LIMIT {most}",
            self.prefix
        );
        let backend = self.db.get_database_backend();
        let asked = Statement::from_string(backend, ended);
        let rows = self.db.query_all_raw(asked).await;
        rows.map_or(0, |rows| rows.len() as u64)
    }
}

/// Owners of leases are called `host:process:life`.
fn process_of(owner: &str) -> Option<u32> {
    owner.rsplit(':').nth(1)?.parse().ok()
}
