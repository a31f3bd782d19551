//! The ledger of every operation, replayed and compared with its row.

use std::time::Duration;

use payonce::domain::ledger::replay;
use payonce::domain::operation::{Lease, Record};
use payonce::domain::reference::TenantId;
use payonce::store::{ListFilter, Page, Store, StoreOptions};

const PAGE: u32 = 500;

/// The operations whose chain does not hold or does not replay to the row.
pub(crate) async fn broken_ledgers(url: &str) -> Vec<String> {
    let options = StoreOptions {
        urls: vec![url.to_owned()],
        max_connections: 2,
        deployment: "default".to_owned(),
        shift: Duration::ZERO,
    };
    let store = Store::connect(options).await.expect("the database");
    let tenant = TenantId::parse("default").expect("a name");
    let mut broken = Vec::new();
    let mut after = None;
    loop {
        let page = Page { after, size: PAGE };
        let found = store.list(&tenant, &ListFilter::default(), page).await;
        let found = found.expect("operations can be listed");
        let Some(last) = found.last() else { break };
        after = Some((last.operation.created_at, last.operation.id));
        for record in found {
            broken.extend(fault(&store, &tenant, record).await);
        }
    }
    store.close().await;
    broken
}

async fn fault(store: &Store, tenant: &TenantId, mut record: Record) -> Option<String> {
    let id = record.operation.id;
    let rows = store.history(tenant, id).await.expect("a ledger");
    // Leases are not part of it.
    record.operation.lease = Lease::default();
    match replay(&rows) {
        Ok(Some(replayed)) if replayed == record => None,
        Ok(replayed) => Some(format!("{id}: {record:?}\nreplays to {replayed:?}")),
        Err(error) => Some(format!("{id}: {error:?}")),
    }
}
