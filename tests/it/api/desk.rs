//! A whole payonce in this process, and a client of it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use payonce::api;
use payonce::clock::{BootTime, Clock};
use payonce::domain::profile::Timings;
use payonce::domain::reference::{ProviderAccount, Purpose};
use payonce::engine::{self, Engine};
use payonce::http::Outbound;
use payonce::proto::v1;
use payonce::proto::v1::operation_service_client::OperationServiceClient;
use payonce::provider::simulator::{SimulatorAdapter, SimulatorFacts};
use payonce::provider::{Adapter, Registry};
use payonce::simulator::{self, Simulator};
use payonce::store::{Store, StoreOptions};
use payonce::worker::{self, Pool};
use prost::Message;
use tempfile::TempDir;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::transport::Channel;
use tonic_types::StatusExt;

use crate::lab::database::TestDatabase;

pub(super) type Client = OperationServiceClient<Channel>;

/// Longer than anything here takes; only a hang reaches it.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// What differs between desks.
pub(super) struct Setup {
    pub(super) agent_deadline: Duration,
    pub(super) caller_margin: Duration,
    /// Until the first look-up, and between them.
    pub(super) look_up: Duration,
    pub(super) reflection: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            agent_deadline: PATIENCE,
            caller_margin: Duration::from_millis(250),
            look_up: Duration::from_millis(50),
            reflection: true,
        }
    }
}

impl Setup {
    /// What is not known right after the send stays so for the whole test.
    pub(super) fn never_looking() -> Self {
        Self {
            look_up: Duration::from_secs(3600),
            ..Self::default()
        }
    }
}

/// A payonce that serves.
pub(super) struct Desk {
    pub(super) client: Client,
    pub(super) channel: Channel,
    pub(super) store: Store,
    pub(super) stop: CancellationToken,
    pub(super) serving: JoinHandle<Result<(), api::ServerError>>,
    simulator: Simulator,
    pool: Pool,
    _folder: TempDir,
    _database: TestDatabase,
}

impl Desk {
    pub(super) async fn open(database: TestDatabase, setup: Setup) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let simulator = Simulator::start(simulator::Options {
            listen: any_port(),
            ledger: folder.path().join("ledger.jsonl"),
            profile: simulator::Profile::StripeLike,
            time_scale: 1.0,
        });
        let simulator = simulator.await.unwrap();
        let registry = registry(simulator.local_addr());
        let (store, clock) = open_store(&database).await;
        let slots = Arc::new(Semaphore::new(16));
        let rails = registry.rails().cloned().collect();
        let options = engine_options(&setup);
        let (engine, dispatches) =
            Engine::new(store.clone(), clock, options, rails, Arc::clone(&slots));
        let pool = Pool::new(
            engine.clone(),
            registry,
            store.claims(),
            slots,
            worker_options(),
        );
        pool.run(dispatches);

        let bound = api::bind(api::Options {
            listen: any_port(),
            reflection: setup.reflection,
            agent_deadline: setup.agent_deadline,
            caller_margin: setup.caller_margin,
        });
        let bound = bound.await.unwrap();
        let address = format!("http://{}", bound.local_addr());
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        let serving = tokio::spawn(bound.serve(engine, stopped));
        let channel = Channel::from_shared(address).unwrap();
        let channel = channel.connect().await.unwrap();
        Self {
            client: OperationServiceClient::new(channel.clone()),
            channel,
            store,
            stop,
            serving,
            simulator,
            pool,
            _folder: folder,
            _database: database,
        }
    }

    /// Stops everything; the server must end by itself.
    pub(super) async fn close(self) {
        let Self {
            client,
            channel,
            store,
            stop,
            serving,
            simulator,
            pool,
            ..
        } = self;
        stop.cancel();
        drop((client, channel));
        let served = tokio::time::timeout(PATIENCE, serving).await;
        served.expect("the server ends").unwrap().unwrap();
        pool.drain(PATIENCE).await;
        simulator.stop().await;
        store.close().await;
    }
}

pub(super) fn any_port() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
}

fn registry(simulator: SocketAddr) -> Registry {
    let adapter = SimulatorAdapter::new(
        ProviderAccount::parse("simulator").unwrap(),
        format!("http://{simulator}"),
        SimulatorFacts::default(),
        Outbound::new(Duration::from_secs(2)).unwrap(),
    );
    Registry::new([Arc::new(adapter) as Arc<dyn Adapter>]).unwrap()
}

async fn open_store(database: &TestDatabase) -> (Store, Clock) {
    let urls = vec![database.url().to_owned()];
    Store::migrate(&urls).await.unwrap();
    let store = Store::connect(StoreOptions {
        urls,
        max_connections: 8,
        deployment: "default".to_owned(),
        shift: Duration::ZERO,
    });
    let store = store.await.unwrap();
    let before = BootTime::now();
    let now = store.now().await.unwrap();
    (store, Clock::sampled(before, now, BootTime::now()))
}

fn engine_options(setup: &Setup) -> engine::Options {
    engine::Options {
        deployment: "default".to_owned(),
        purposes: vec![Purpose::parse("purchase").unwrap()],
        independent_purposes: Vec::new(),
        default_account: ProviderAccount::parse("simulator").unwrap(),
        timings: Timings {
            provider_deadline: Duration::from_secs(5),
            lease: Duration::from_secs(15),
            pause: Duration::from_secs(20),
            observation_window: Duration::from_secs(7200),
            look_ups: vec![setup.look_up],
            look_up_interval: setup.look_up,
            jitter_percent: 0,
        },
        wait_poll: Duration::from_millis(100),
        owner: "desk".to_owned(),
    }
}

fn worker_options() -> worker::Options {
    worker::Options {
        owner: "desk".to_owned(),
        claim_batch: 16,
        poll: Duration::from_millis(50),
        lease: Duration::from_secs(15),
    }
}

/// A charge of 49.00 USD with a test method, handed over at once.
pub(super) fn charge(order_id: &str, method: &str) -> v1::CreateOperationRequest {
    v1::CreateOperationRequest {
        submit: true,
        ..recorded(order_id, method)
    }
}

/// The same, only recorded.
pub(super) fn recorded(order_id: &str, method: &str) -> v1::CreateOperationRequest {
    v1::CreateOperationRequest {
        order_id: order_id.to_owned(),
        kind: v1::OperationKind::Charge.into(),
        amount: Some(v1::Money {
            currency_code: "USD".to_owned(),
            minor_units: 4900,
        }),
        payment_method: method.to_owned(),
        ..v1::CreateOperationRequest::default()
    }
}

pub(super) fn wait(span: Duration) -> Option<prost_types::Duration> {
    Some(span.try_into().unwrap())
}

pub(super) fn by_id(id: &str) -> v1::GetStatusRequest {
    v1::GetStatusRequest {
        target: Some(v1::get_status_request::Target::OperationId(id.to_owned())),
        ..v1::GetStatusRequest::default()
    }
}

pub(super) fn reason(status: &Status) -> String {
    let info = status.get_details_error_info();
    info.expect("every error has one").reason
}

/// Our own detail of an error.
pub(super) fn detail(status: &Status) -> v1::ErrorDetail {
    let whole = tonic_types::Status::decode(status.details()).unwrap();
    let name = "type.googleapis.com/payonce.v1.ErrorDetail";
    let ours = whole.details.iter().find(|any| any.type_url == name);
    let ours = ours.expect("every error has one");
    v1::ErrorDetail::decode(ours.value.as_slice()).unwrap()
}

/// The fields that an error refuses.
pub(super) fn fields(status: &Status) -> Vec<String> {
    let request = status.get_details_bad_request();
    let violations = request.map_or(Vec::new(), |it| it.field_violations);
    violations.into_iter().map(|it| it.field).collect()
}

/// Asks until the operation reads so.
pub(super) async fn until(
    client: &mut Client,
    id: &str,
    met: impl Fn(&v1::Operation) -> bool,
) -> v1::Operation {
    let mut last = None;
    let asking = async {
        loop {
            let answer = client.get_status(by_id(id)).await.unwrap().into_inner();
            let operation = answer.operation.unwrap();
            if met(&operation) {
                return operation;
            }
            last = Some(operation);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let found = tokio::time::timeout(PATIENCE, asking).await;
    found.unwrap_or_else(|_| panic!("never so, at last {last:?}"))
}
