//! `operations`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "operations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub tenant: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub version: i64,
    pub kind: String,
    pub order_id: String,
    pub purpose: String,
    pub generation: i32,
    pub parent: Option<Uuid>,
    pub label: Option<String>,
    pub reason: Option<String>,
    pub target: Option<String>,
    pub supersedes: Option<Uuid>,
    pub amount: i64,
    pub currency: String,
    pub payment_method: Option<String>,
    pub payee: Option<String>,
    pub customer_ref: Option<String>,
    pub agent: Option<String>,
    pub description: Option<String>,
    pub labels: String,
    pub digest_version: i32,
    pub digest: Vec<u8>,
    pub canonical: String,
    pub provider: String,
    pub provider_key: String,
    pub exclusive: bool,
    pub state: String,
    pub progress: String,
    pub attempts: i32,
    pub attempts_left: i32,
    pub open_attempt: Option<Uuid>,
    pub provider_payment_id: Option<String>,
    pub decline_category: Option<String>,
    pub decline_code: Option<String>,
    pub customer_action: Option<String>,
    pub review_case: Option<Uuid>,
    pub review_reason: Option<String>,
    pub review_opened_at: Option<i64>,
    pub instruction: Option<String>,
    pub fulfilment_forbidden: bool,
    pub superseded_by: Option<Uuid>,
    pub ledger_head: Vec<u8>,
    pub next_check_at: Option<i64>,
    pub created_at: i64,
    pub submitted_at: Option<i64>,
    pub unresolved_since: Option<i64>,
    pub settled_at: Option<i64>,
    pub reversed_at: Option<i64>,
    pub as_of: i64,
    pub lease_epoch: i64,
    pub lease_owner: Option<String>,
    pub lease_until: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(has_many = "super::effects::Entity")]
    Effects,
}

impl Related<super::effects::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Effects.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
