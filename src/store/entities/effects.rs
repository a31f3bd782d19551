//! `effects`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "effects")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub tenant: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub operation_id: Uuid,
    pub number: i32,
    pub account: String,
    pub provider_payment_id: String,
    pub role: String,
    pub currency: String,
    pub authorized: i64,
    pub captured: i64,
    pub refunded: i64,
    pub refund_pending: i64,
    pub charged_back: i64,
    pub returned: i64,
    pub confirmed_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(
        belongs_to = "super::operations::Entity",
        from = "(Column::Tenant, Column::OperationId)",
        to = "(super::operations::Column::Tenant, super::operations::Column::Id)"
    )]
    Operation,
}

impl Related<super::operations::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Operation.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
