//! Pages of operations.

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select};

use crate::domain::ids::OperationId;
use crate::domain::reference::{OrderId, TenantId};
use crate::domain::state::State;
use crate::domain::time::Instant;
use crate::store::entities::operations::{Column, Entity};

/// Which operations are listed. All that is given must hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ListFilter {
    /// In one of these states; empty means in any.
    pub states: Vec<State>,
    /// Of this order.
    pub order_id: Option<OrderId>,
    /// Recorded then or later.
    pub created_from: Option<Instant>,
    /// Recorded before.
    pub created_before: Option<Instant>,
}

/// Which part of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    /// The last operation of the page before; `None` for the first page.
    pub after: Option<(Instant, OperationId)>,
    /// How many operations at most.
    pub size: u32,
}

/// The page as a selection. The limit stands in a subquery, because a joined
/// statement has as many rows as there are effects.
pub(super) fn one_page(tenant: &TenantId, filter: &ListFilter, page: Page) -> Select<Entity> {
    let mut ids = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::Tenant.eq(tenant.as_str()));
    if !filter.states.is_empty() {
        let names = filter.states.iter().map(|state| state.name());
        ids = ids.filter(Column::State.is_in(names));
    }
    if let Some(order) = &filter.order_id {
        ids = ids.filter(Column::OrderId.eq(order.as_str()));
    }
    if let Some(from) = filter.created_from {
        ids = ids.filter(Column::CreatedAt.gte(from.0));
    }
    if let Some(before) = filter.created_before {
        ids = ids.filter(Column::CreatedAt.lt(before.0));
    }
    if let Some((at, id)) = page.after {
        let place = Expr::tuple([Expr::col(Column::CreatedAt), Expr::col(Column::Id)]);
        let last = Expr::tuple([Expr::value(at.0), Expr::value(id.0)]);
        ids = ids.filter(place.lt(last));
    }
    let ids = ids
        .order_by_desc(Column::CreatedAt)
        .order_by_desc(Column::Id)
        .limit(u64::from(page.size));
    Entity::find()
        .filter(Column::Tenant.eq(tenant.as_str()))
        .filter(Column::Id.in_subquery(ids.into_query()))
        .order_by_desc(Column::CreatedAt)
        .order_by_desc(Column::Id)
}
