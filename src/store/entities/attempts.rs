//! `attempts`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "attempts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub tenant: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub operation_id: Uuid,
    pub number: i32,
    pub step: String,
    pub account: String,
    pub provider_key: String,
    pub endpoint: String,
    pub method: String,
    pub path: String,
    pub body: Vec<u8>,
    pub epoch: i64,
    pub opened_at: i64,
    pub not_after: i64,
    pub result: Option<String>,
    pub ended_at: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
