//! Page tokens: where the page before ended, and for which list.
//!
//! Opaque to callers. A token says nothing that its holder may not see; one
//! that was made for another tenant or other filters is refused, because its
//! place means nothing there.

use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::domain::ids::OperationId;
use crate::domain::reference::TenantId;
use crate::domain::time::Instant;
use crate::engine::ListFilter;

/// The last operation of a page, in the order of the list.
pub(super) type Place = (Instant, OperationId);

const FORM: u8 = 1;
const HASH: usize = 8;
const LENGTH: usize = 1 + HASH + 8 + 16;

/// The token for the page after `place`.
pub(super) fn write((at, id): Place, tenant: &TenantId, filter: &ListFilter) -> String {
    let mut bytes = Vec::with_capacity(LENGTH);
    bytes.push(FORM);
    bytes.extend(list_hash(tenant, filter));
    bytes.extend(at.0.to_be_bytes());
    bytes.extend(id.0.as_bytes());
    BASE64URL_NOPAD.encode(&bytes)
}

/// The place that a token names; `None` for what is no token of this list.
pub(super) fn read(token: &str, tenant: &TenantId, filter: &ListFilter) -> Option<Place> {
    let bytes = BASE64URL_NOPAD.decode(token.as_bytes()).ok()?;
    let (&form, rest) = bytes.split_first()?;
    let (hash, rest) = rest.split_first_chunk::<HASH>()?;
    let (at, id) = rest.split_first_chunk::<8>()?;
    let id = Uuid::from_slice(id).ok()?;
    let ours = form == FORM && *hash == list_hash(tenant, filter);
    ours.then(|| (Instant(i64::from_be_bytes(*at)), OperationId(id)))
}

/// The same for the same list, however the filters were written.
fn list_hash(tenant: &TenantId, filter: &ListFilter) -> [u8; HASH] {
    let instant = |at: Option<Instant>| at.map_or(String::new(), |at| at.0.to_string());
    let order_id = filter.order_id.as_ref().map_or("", |id| id.as_str());
    let states: Vec<&str> = filter.states.iter().map(|state| state.name()).collect();
    // None of the parts can hold a line break.
    let list = [
        tenant.as_str(),
        order_id,
        &states.join(","),
        &instant(filter.created_from),
        &instant(filter.created_before),
    ]
    .join("\n");
    let mut hash = [0; HASH];
    hash.copy_from_slice(&Sha256::digest(list)[..HASH]);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::reference::OrderId;
    use crate::domain::state::State;
    use proptest::prelude::*;

    fn tenant(name: &str) -> TenantId {
        TenantId::parse(name).expect(name)
    }

    fn order(order_id: &str) -> ListFilter {
        ListFilter {
            order_id: Some(OrderId::parse(order_id).expect(order_id)),
            ..ListFilter::default()
        }
    }

    proptest! {
        #[test]
        fn a_token_gives_back_its_place(at in any::<i64>(), id in any::<u128>()) {
            let place = (Instant(at), OperationId(Uuid::from_u128(id)));
            let token = write(place, &tenant("t"), &order("o"));
            prop_assert_eq!(read(&token, &tenant("t"), &order("o")), Some(place));
            prop_assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
        }

        #[test]
        fn what_is_no_token_is_refused(text in "\\PC{0,80}") {
            prop_assert_eq!(read(&text, &tenant("t"), &order("o")), None);
        }
    }

    #[test]
    fn a_token_of_another_list_is_refused() {
        let place = (Instant(5), OperationId(Uuid::from_u128(7)));
        let token = write(place, &tenant("t"), &order("o"));
        let others = [
            order("p"),
            ListFilter::default(),
            ListFilter {
                states: vec![State::Unknown],
                ..order("o")
            },
            ListFilter {
                created_from: Some(Instant(0)),
                ..order("o")
            },
            ListFilter {
                created_before: Some(Instant(0)),
                ..order("o")
            },
        ];
        for other in others {
            assert_eq!(read(&token, &tenant("t"), &other), None, "{other:?}");
        }
        assert_eq!(read(&token, &tenant("u"), &order("o")), None);
        assert_eq!(read(&token[1..], &tenant("t"), &order("o")), None);
        assert_eq!(
            read(&format!("{token}AAAA"), &tenant("t"), &order("o")),
            None
        );
    }
}
