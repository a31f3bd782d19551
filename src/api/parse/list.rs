//! `ListOperationsRequest`.

use crate::api::page_token::{self, Place};
use crate::domain::reference::TenantId;
use crate::engine::ListFilter;
use crate::proto::v1::ListOperationsRequest;

use super::{Faults, Malformed};

/// Operations on a page when the caller does not say.
const DEFAULT_SIZE: u32 = 50;
/// Most operations on a page; more is cut to it (AIP-158).
const MAX_SIZE: u32 = 500;

/// What `ListOperations` asks for.
#[derive(Debug)]
pub(in crate::api) struct Listing {
    /// What all operations of the list have in common.
    pub(in crate::api) filter: ListFilter,
    /// Most operations on this page, 1 to 500.
    pub(in crate::api) size: u32,
    /// The last operation of the page before.
    pub(in crate::api) after: Option<Place>,
}

/// Reads the request of `tenant`, whose tokens are good for nobody else.
pub(in crate::api) fn list(
    tenant: &TenantId,
    wire: ListOperationsRequest,
) -> Result<Listing, Malformed> {
    let mut faults = Faults::default();
    let size = page_size(&mut faults, wire.page_size);
    let filter = ListFilter {
        states: faults.states(&wire.states),
        order_id: faults.optional_reference("order_id", wire.order_id),
        created_from: faults.instant("created_from", wire.created_from),
        created_before: faults.instant("created_before", wire.created_before),
    };
    let filter = faults.finish(Some(filter))?;

    let mut faults = Faults::default();
    let after = if wire.page_token.is_empty() {
        None
    } else {
        let place = page_token::read(&wire.page_token, tenant, &filter);
        if place.is_none() {
            faults.add(
                "page_token",
                "must be the next_page_token of a page with the same filters",
            );
        }
        place
    };
    faults.finish(Some(Listing {
        filter,
        size,
        after,
    }))
}

fn page_size(faults: &mut Faults, size: i32) -> u32 {
    match faults.not_negative("page_size", size) {
        0 => DEFAULT_SIZE,
        size => size.unsigned_abs().min(MAX_SIZE),
    }
}
