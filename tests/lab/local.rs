//! An engine in this process, over a store of its own, without workers and
//! without a provider: what one would have answered is handed to it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use payonce::clock::{BootTime, Clock};
use payonce::domain::attempt::PreparedRequest;
use payonce::domain::kind::Kind as Payment;
use payonce::domain::money::{Currency, Money};
use payonce::domain::operation::Operation;
use payonce::domain::profile::{InFlightBound, LookUpFacts, Profile, Rail, Timings};
use payonce::domain::reference::{OrderId, ProviderAccount, Purpose, TenantId};
use payonce::domain::request::{CreateRequest, PaymentMethod};
use payonce::engine::{DEFAULT_PURPOSE, Dispatch, Engine, Options};
use payonce::store::{Store, StoreOptions};
use tokio::sync::{Semaphore, mpsc};

/// How many attempts of one engine can be open at once.
pub(crate) const SLOTS: u32 = 64;

/// The engine and what belongs to it.
pub(crate) struct LocalEngine {
    pub(crate) engine: Engine,
    pub(crate) store: Store,
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) dispatches: mpsc::UnboundedReceiver<Dispatch>,
}

impl LocalEngine {
    /// Over a migrated database. Waiting callers look every `wait_poll`.
    pub(crate) async fn start(url: &str, wait_poll: Duration) -> LocalEngine {
        let store = connect(url).await;
        let read = BootTime::now();
        let now = store.now().await.expect("a time");
        let clock = Clock::sampled(read, now, BootTime::now());
        let slots = Arc::new(Semaphore::new(SLOTS as usize));
        let (engine, dispatches) = Engine::new(
            store.clone(),
            clock,
            options(wait_poll),
            vec![rail()],
            Arc::clone(&slots),
        );
        LocalEngine {
            engine,
            store,
            slots,
            dispatches,
        }
    }
}

/// A store with few connections.
pub(crate) async fn connect(url: &str) -> Store {
    let options = StoreOptions {
        urls: vec![url.to_owned()],
        max_connections: 4,
        deployment: "lab".to_owned(),
        shift: Duration::ZERO,
    };
    Store::connect(options).await.expect("a database")
}

/// So long that nothing becomes due by itself.
pub(crate) const LONG: Duration = Duration::from_secs(3600);

pub(crate) fn tenant() -> TenantId {
    TenantId::parse("default").expect("a reference")
}

pub(crate) fn account() -> ProviderAccount {
    ProviderAccount::parse("bank").expect("a reference")
}

/// A charge of 49.00 USD.
pub(crate) fn request(order: &str) -> CreateRequest {
    CreateRequest {
        order_id: OrderId::parse(order).expect("a reference"),
        purpose: None,
        kind: Payment::Charge,
        amount: Money::new(Currency::parse("USD").expect("a currency"), 4900),
        payment_method: PaymentMethod::parse("pm_ok"),
        payee: None,
        customer_ref: None,
        agent: None,
        provider: None,
        parent: None,
        supersedes: None,
        description: None,
        labels: BTreeMap::new(),
    }
}

fn rail() -> Rail {
    Rail {
        account: account(),
        endpoint: "http://127.0.0.1:1".to_owned(),
        profile: Profile {
            key_life: Some(24 * LONG),
            in_flight: InFlightBound::Documented(Duration::from_secs(60)),
            visibility_lag: Some(Duration::from_secs(10)),
            look_up: Some(LookUpFacts {
                by_reference: true,
                consistent: true,
                not_found_counts: true,
            }),
            processing_horizon: 24 * LONG,
            kinds: &[Payment::Charge],
            currencies: None,
            max_minor_units: 1_000_000,
        },
        build: prepared,
    }
}

fn prepared(endpoint: &str, operation: &Operation) -> PreparedRequest {
    PreparedRequest {
        endpoint: endpoint.to_owned(),
        method: "POST".to_owned(),
        path: "/payments".to_owned(),
        body: operation.id.to_string().into_bytes(),
    }
}

fn options(wait_poll: Duration) -> Options {
    Options {
        deployment: "lab".to_owned(),
        purposes: [DEFAULT_PURPOSE, "deposit"]
            .map(|name| Purpose::parse(name).expect("a reference"))
            .to_vec(),
        independent_purposes: Vec::new(),
        default_account: account(),
        timings: Timings {
            provider_deadline: Duration::from_secs(5),
            lease: LONG,
            pause: LONG,
            observation_window: 24 * LONG,
            look_ups: vec![LONG],
            look_up_interval: LONG,
            jitter_percent: 0,
        },
        wait_poll,
        owner: "lab".to_owned(),
    }
}
