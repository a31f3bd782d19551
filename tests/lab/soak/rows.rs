//! The rows of the service, read past it.

use std::collections::HashMap;

use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, QueryResult, Statement,
};
use serde::Deserialize;
use uuid::Uuid;

/// A connection that only reads.
pub(super) struct Rows {
    db: DatabaseConnection,
}

/// One operation as it stands.
#[derive(Debug, Clone)]
#[expect(dead_code, reason = "some of it is only shown, by Debug")]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) order: String,
    pub(super) generation: i32,
    pub(super) key: String,
    pub(super) state: String,
    /// Why a person is asked, if one is.
    pub(super) review: Option<String>,
    /// Whether a compensation waits for the outcome.
    pub(super) instructed: bool,
}

/// What the history of an operation tells.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct History {
    /// When it became unknown first, microseconds since 1970.
    pub(super) unknown_at: Option<i64>,
    /// When its result was known.
    pub(super) known_at: Option<i64>,
    /// Look-ups that showed nothing of it.
    pub(super) not_found: u64,
    /// How often it was sent again.
    pub(super) resends: u64,
    /// Whether look-ups proved that nothing happened.
    pub(super) canceled_by_proof: bool,
}

#[derive(Deserialize)]
struct Body {
    facts: Vec<Fact>,
}

/// The facts that count here.
#[derive(Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
enum Fact {
    LookedUp {
        verdict: String,
    },
    AttemptOpened {
        resend: bool,
    },
    Moved {
        to: String,
    },
    #[serde(other)]
    Other,
}

const RESTING: &str = "'CREATED', 'AUTHORIZED', 'SUCCEEDED', 'DECLINED', 'CANCELED', 'VOIDED'";

const OPERATIONS: &str = "SELECT id, kind, order_id, generation, provider_key, state, \
     review_reason, CASE WHEN instruction IS NULL THEN 0 ELSE 1 END FROM operations";

impl Rows {
    pub(super) async fn of(url: &str) -> Rows {
        let mut options = ConnectOptions::new(url.to_owned());
        options.max_connections(1).sqlx_logging(false);
        let db = Database::connect(options).await.expect("the database");
        Rows { db }
    }

    async fn ask(&self, sql: &str) -> Vec<QueryResult> {
        let asked = Statement::from_string(self.db.get_database_backend(), sql);
        self.db.query_all_raw(asked).await.expect("rows")
    }

    /// All operations.
    pub(super) async fn all(&self) -> Vec<Row> {
        let rows = self.ask(OPERATIONS).await;
        rows.iter().map(Row::read).collect()
    }

    /// The operations that are neither at rest nor under review.
    pub(super) async fn unfinished(&self) -> Vec<Row> {
        let sql = format!(
            "{OPERATIONS} WHERE review_case IS NULL \
             AND (state NOT IN ({RESTING}) OR instruction IS NOT NULL)"
        );
        self.ask(&sql).await.iter().map(Row::read).collect()
    }

    /// The histories of all operations that were ever sent, by id.
    pub(super) async fn histories(&self) -> HashMap<String, History> {
        let sql = "SELECT operation_id, at, event, body FROM ledger \
             WHERE event <> 'create' ORDER BY operation_id, version";
        let mut all: HashMap<String, History> = HashMap::new();
        for row in self.ask(sql).await {
            let id: Uuid = read(&row, 0);
            let event: String = read(&row, 2);
            let body: String = read(&row, 3);
            let body: Body = serde_json::from_str(&body).expect("the body of a ledger row");
            let history = all.entry(id.to_string()).or_default();
            for fact in body.facts {
                history.add(read(&row, 1), &event, fact);
            }
        }
        all
    }
}

impl Row {
    fn read(row: &QueryResult) -> Row {
        let id: Uuid = read(row, 0);
        let instructed: i32 = read(row, 7);
        Row {
            id: id.to_string(),
            kind: read(row, 1),
            order: read(row, 2),
            generation: read(row, 3),
            key: read(row, 4),
            state: read(row, 5),
            review: read(row, 6),
            instructed: instructed == 1,
        }
    }
}

fn read<T: sea_orm::TryGetable>(row: &QueryResult, at: usize) -> T {
    row.try_get_by_index(at).expect("a column as it was asked")
}

impl History {
    fn add(&mut self, at: i64, event: &str, fact: Fact) {
        match fact {
            Fact::LookedUp { verdict } => {
                self.not_found += u64::from(matches!(verdict.as_str(), "NOT_FOUND" | "ABSENT"));
            }
            Fact::AttemptOpened { resend } => self.resends += u64::from(resend),
            Fact::Moved { to } => match to.as_str() {
                "UNKNOWN" => {
                    self.unknown_at.get_or_insert(at);
                }
                "SUCCEEDED" | "DECLINED" | "CANCELED" | "VOIDED" => {
                    self.known_at.get_or_insert(at);
                    self.canceled_by_proof |= to == "CANCELED" && event == "looked_up";
                }
                _ => {}
            },
            Fact::Other => {}
        }
    }
}
