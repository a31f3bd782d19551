//! Very many payments, all of which arrive late: look-ups find nothing, and
//! the capture lands afterwards. "Not found" must lead to nothing but another
//! send under the same key.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use payonce::proto::v1::CreateOperationRequest;
use serde_json::json;
use tokio::time::sleep;

use super::book::Book;
use super::report::LateReport;
use super::rows::Rows;
use super::{On, RECOVERY, verdict};
use crate::lab::harness::{Fleet, FleetOptions, Roster, WorldOptions, charge};

/// Payments whose requests are held up for the same time.
const BATCH: u64 = 40;

/// Calls at once.
const SIDE_BY_SIDE: usize = 12;

/// Operations that may be unresolved before more are handed over. Each replica
/// can work on so many, so that look-ups do not wait for sends.
const BACKLOG: usize = 120;

/// How long requests are held up: some end before the provider deadline, some
/// after the callers', the last ones well after a resend of the same key.
const HOLDS_MS: std::ops::RangeInclusive<u64> = 600..=7000;

/// What a run is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rush {
    pub(crate) on: On,
    pub(crate) seed: u64,
    pub(crate) operations: u64,
}

/// D is kept: it is longer than any hold. The lease is long enough for a busy
/// machine: nobody dies here.
fn timings() -> WorldOptions {
    WorldOptions {
        in_flight_bound_ms: 8000,
        visibility_lag_ms: 500,
        lease_ms: 4000,
        look_up_schedule_ms: &[200, 600, 1200],
        look_up_interval_ms: 2000,
        ..super::timings()
    }
}

impl Rush {
    /// Runs it and judges every payment. `tell` hears how it goes.
    pub(crate) async fn run(self, tell: impl Fn(String)) -> LateReport {
        let options = FleetOptions {
            replicas: self.on.replicas(),
            world: timings(),
            slots: BACKLOG,
            without_keys: true,
        };
        let mut fleet = Fleet::start(self.on.database(), options).await;
        let book = Arc::new(Book::default());
        let started = Instant::now();
        self.hand_over(&fleet, &book, &tell).await;
        let hold = Duration::from_millis(timings().in_flight_bound_ms);
        verdict::settle(&fleet, hold, RECOVERY, &tell).await;
        let findings = verdict::judge(&fleet, &book).await;
        let mut report = LateReport::new(self, started.elapsed(), findings);
        if !report.is_clean() {
            report.logs = Some(fleet.keep_logs());
        }
        report
    }

    async fn hand_over(self, fleet: &Fleet, book: &Arc<Book>, tell: &impl Fn(String)) {
        let mut rng = fastrand::Rng::with_seed(self.seed);
        let rows = Rows::of(fleet.database_url()).await;
        let batches = self.operations.div_ceil(BATCH).max(5);
        for batch in 0..batches {
            hold_up(fleet, rng.u64(HOLDS_MS)).await;
            let first = self.operations * batch / batches;
            let end = self.operations * (batch + 1) / batches;
            let orders = (first..end).map(|number| {
                let request = request(&mut rng, number);
                pay(fleet.roster(), Arc::clone(book), request, number)
            });
            let mut paid = stream::iter(orders).buffer_unordered(SIDE_BY_SIDE);
            while paid.next().await.is_some() {}
            drop(paid);
            loop {
                let unresolved = rows.unfinished().await.len();
                tell(format!("{end} handed over, {unresolved} unresolved"));
                if unresolved < BACKLOG {
                    break;
                }
                sleep(Duration::from_millis(200)).await;
            }
        }
    }
}

/// From now on every payment is held up for so long, resends too.
async fn hold_up(fleet: &Fleet, delay_ms: u64) {
    for (_, judge) in fleet.accounts() {
        judge.no_more_faults().await;
        let held = json!({"kind": "hold_request", "delay_ms": delay_ms});
        judge.fault_next("payment", u32::MAX, held).await;
    }
}

fn request(rng: &mut fastrand::Rng, number: u64) -> CreateOperationRequest {
    let mut request = charge(&format!("order-{number}"), "pm_ok");
    request.wait = Some(prost_types::Duration::default());
    if rng.u8(0..3) == 0 {
        request.provider = "plain".to_owned();
    }
    request
}

/// Again and again, until a replica answers.
async fn pay(roster: Roster, book: Arc<Book>, request: CreateOperationRequest, number: u64) {
    for at in number.. {
        let replica = roster.at(usize::try_from(at).unwrap_or(0));
        let sent = replica.client().create_operation(request.clone()).await;
        if let Ok(answer) = sent {
            let operation = answer.into_inner().operation;
            book.hears(&operation.expect("every answer holds the operation"));
            return;
        }
        sleep(Duration::from_millis(200)).await;
    }
}
