//! One database, one engine that reaches it through the proxy, and one store
//! that reaches it directly and tells what is really there.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use payonce::domain::decide::Event;
use payonce::domain::evidence::{Evidence, Shown, Sighting, Source};
use payonce::domain::ids::{AttemptId, OperationId, ProviderPaymentId};
use payonce::domain::operation::Record;
use payonce::domain::reference::Label;
use payonce::domain::request::{CompensateRequest, CompensationReason, CreateRequest};
use payonce::engine::{EngineError, Held, Opened, Recorded};
use payonce::store::Store;

use super::super::database::TestDatabase;
use super::super::local::{LONG, LocalEngine, SLOTS, account, connect};
use super::super::postgres_proxy::{PostgresProxy, Side};
use super::kinds::Kind;
use super::{Cut, verdict};

pub(super) use super::super::local::{request, tenant};

/// See the module.
pub(super) struct World {
    pub(super) truth: Store,
    pub(super) proxy: PostgresProxy,
    local: LocalEngine,
    _database: TestDatabase,
}

/// An operation whose attempt is open.
pub(super) struct Sent {
    pub(super) record: Record,
    pub(super) attempt: AttemptId,
    held: Held,
}

impl World {
    pub(super) async fn start() -> World {
        let database = TestDatabase::postgres();
        let url = database.url().to_owned();
        Store::migrate(std::slice::from_ref(&url))
            .await
            .expect("migrated");
        let truth = connect(&url).await;
        let server = server_of(&url);
        let proxy = PostgresProxy::start(server).await.expect("a free port");
        let through = url.replace(&server.to_string(), &proxy.addr().to_string());
        let local = LocalEngine::start(&through, Duration::from_secs(1)).await;
        World {
            truth,
            proxy,
            local,
            _database: database,
        }
    }

    pub(super) async fn close(self) {
        self.local.store.close().await;
        self.truth.close().await;
    }

    /// Prepares a commit, cuts it, and judges what became of it.
    pub(super) async fn cut(&mut self, kind: Kind, side: Side, number: usize) -> Cut {
        let order = format!("order-{number}");
        let prepared = kind.prepare(self, &order).await;
        let before = verdict::Counts::of(self, &order).await;
        self.proxy.arm(side);
        let said = kind.commit(self, &order, &prepared).await;
        let (ending, violations) = verdict::judge(self, kind, &order, before, said).await;
        let place = |what: String| format!("{} {side:?} {order}: {what}", kind.name());
        Cut {
            kind,
            side,
            ending,
            violations: violations.into_iter().map(place).collect(),
        }
    }

    /// A payment that nobody has handed over.
    pub(super) async fn recorded(&self, order: &str) -> OperationId {
        let record = self.create(request(order), false).await;
        record.expect("recorded").operation.id
    }

    /// A payment whose first attempt is open.
    pub(super) async fn sent(&mut self, order: &str) -> Sent {
        self.create(request(order), true).await.expect("recorded");
        let dispatch = self
            .local
            .dispatches
            .recv()
            .await
            .expect("the engine lives");
        Sent {
            record: dispatch.record,
            attempt: dispatch.attempt.id,
            held: dispatch.held,
        }
    }

    /// A payment that was handed over while there was no room to send it, and
    /// was claimed since.
    pub(super) async fn claimed(&self, order: &str) -> Record {
        let all = self.local.slots.acquire_many(SLOTS).await.expect("open");
        self.create(request(order), true).await.expect("recorded");
        drop(all);
        // Others can be due as well; nobody misses those.
        let due = self.local.store.claims().claim_due("lab", LONG, 100).await;
        let mut due = due.expect("claimed").into_iter();
        due.find(|record| record.operation.intent.order_id.as_str() == order)
            .expect("it is due")
    }

    pub(super) async fn create(
        &self,
        request: CreateRequest,
        submit: bool,
    ) -> Result<Record, EngineError> {
        let created = self.local.engine.create(&tenant(), request, submit).await?;
        Ok(created.record)
    }

    pub(super) async fn submit(&self, id: OperationId) -> Result<Record, EngineError> {
        self.local.engine.submit(&tenant(), id).await
    }

    pub(super) async fn compensate(
        &self,
        request: CompensateRequest,
    ) -> Result<Record, EngineError> {
        let compensated = self.local.engine.compensate(&tenant(), request).await?;
        Ok(compensated.parent)
    }

    pub(super) async fn open(&self, record: &Record) -> Result<Opened, EngineError> {
        let epoch = record.operation.lease.epoch;
        let slot = Arc::clone(&self.local.slots)
            .acquire_owned()
            .await
            .expect("open");
        self.local.engine.open(record, Held { epoch }, slot).await
    }

    pub(super) async fn record(&self, sent: &Sent, event: Event) -> Result<Recorded, EngineError> {
        let id = sent.record.operation.id;
        let held = Some(sent.held);
        self.local.engine.record(&tenant(), id, held, event).await
    }

    /// Forgets attempts that commits under test have opened, which gives
    /// their places back.
    pub(super) fn forget_dispatches(&mut self) {
        while self.local.dispatches.try_recv().is_ok() {}
    }
}

/// `HOST:PORT` of an address like `postgres://user@HOST:PORT/name`.
fn server_of(url: &str) -> SocketAddr {
    let (_, place) = url.split_once('@').expect("an address with a user");
    let (server, _) = place.split_once('/').expect("an address with a database");
    server.parse().expect("a host and a port")
}

/// Giving all of it back.
pub(super) fn refund_of(operation_id: OperationId, when_resolved: bool) -> CompensateRequest {
    CompensateRequest {
        operation_id,
        label: Label::parse("back").expect("a reference"),
        reason: CompensationReason::OrderCanceled,
        amount: None,
        provider_payment_id: None,
        when_resolved,
    }
}

/// The provider shows that the payment was made.
pub(super) fn done(record: &Record, looked_up: bool) -> Evidence {
    let operation = &record.operation;
    let id = ProviderPaymentId::parse(&format!("pay_{}", operation.id));
    Evidence {
        source: if looked_up {
            Source::LookUp
        } else {
            Source::Response
        },
        account: account(),
        sightings: vec![Sighting {
            id: id.expect("an id"),
            key: Some(operation.intent.provider_key.clone()),
            account: None,
            shown: Shown::Done,
            amount: Some(operation.intent.amount),
            given_back: 0,
            made_at: None,
        }],
        refused: None,
    }
}
