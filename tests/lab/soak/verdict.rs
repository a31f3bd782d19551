//! After the faults: everything comes to rest, then three accounts of the same
//! money are held against each other. The processors' ledgers are the judge;
//! the rows and what callers were told have to agree with them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use payonce::proto::v1::get_status_request::Target;
use payonce::proto::v1::{GetStatusRequest, Operation};
use tonic::Code;

use super::book::{Book, Told, is_over};
use super::rows::{History, Row, Rows};
use crate::lab::harness::{Fleet, Judge, Roster};

/// What was found, with an example of everything that must not be.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) operations: u64,
    pub(crate) captures: u64,
    pub(crate) refunds: u64,
    pub(crate) resends: u64,
    pub(crate) canceled_by_proof: u64,
    pub(crate) late_arrivals: u64,
    pub(crate) not_found: u64,
    /// Captures that at least one look-up had not found before.
    pub(crate) not_found_first: u64,
    pub(crate) cases: u64,
    pub(crate) double_captures: u64,
    pub(crate) double_refunds: u64,
    pub(crate) lost_acknowledgements: u64,
    pub(crate) false_finality: u64,
    pub(crate) unexplained: u64,
    pub(crate) unresolved: u64,
    /// How long results took from when they were unknown, milliseconds, sorted.
    pub(crate) waits_ms: Vec<u64>,
    pub(crate) results: BTreeMap<String, u64>,
    pub(crate) details: Vec<String>,
}

/// What was taken under one key.
#[derive(Default)]
struct Taken {
    captures: u64,
    /// The order, where the processor knows it.
    order: Option<String>,
}

/// Money at the processors, by the key that it was asked for with.
#[derive(Default)]
struct Money {
    captures: HashMap<String, Taken>,
    refunds: HashMap<String, u64>,
    /// Payments that were held up, whenever they took effect.
    held: HashSet<String>,
}

/// Waits until nothing is unresolved, at most for `patience`; returns how long
/// it took. A request that is held up may still arrive then, `hold` at most
/// after it was sent, which is waited for too.
pub(super) async fn settle(
    fleet: &Fleet,
    hold: Duration,
    patience: Duration,
    tell: &impl Fn(String),
) -> Duration {
    let rows = Rows::of(fleet.database_url()).await;
    let started = Instant::now();
    loop {
        let left = rows.unfinished().await.len();
        if left == 0 || started.elapsed() > patience {
            let settled = started.elapsed();
            tokio::time::sleep(hold).await;
            return settled;
        }
        tell(format!("{left} operations are unresolved"));
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

/// Judges a fleet that is at rest.
pub(super) async fn judge(fleet: &Fleet, book: &Book) -> Findings {
    let rows = Rows::of(fleet.database_url()).await;
    let all = rows.all().await;
    let histories = rows.histories().await;
    let money = Money::read(fleet).await;
    let mut findings = Findings {
        operations: all.len() as u64,
        ..Findings::default()
    };
    findings.weigh_rows(&all, &histories, &money);
    findings.weigh_captures(&all, &money);
    findings.weigh_answers(fleet, book).await;
    findings.unresolved = rows.unfinished().await.len() as u64;
    for row in rows.unfinished().await {
        findings.say(format!("unresolved: {row:?}"));
    }
    findings.waits_ms.sort_unstable();
    findings
}

impl Money {
    async fn read(fleet: &Fleet) -> Money {
        let mut money = Money::default();
        for (account, judge) in fleet.accounts() {
            money.add(account == "bank", &judge).await;
        }
        money
    }

    /// Where no keys are kept, our key is the reference.
    async fn add(&mut self, keeps_keys: bool, judge: &Judge) {
        let name = |key: Option<String>, reference: Option<String>| {
            let name = if keeps_keys { key } else { reference };
            name.unwrap_or_default()
        };
        for payment in judge.all_payments().await {
            let order = payment.reference.clone().filter(|_| keeps_keys);
            let key = name(payment.idempotency_key, payment.reference);
            let taken = self.captures.entry(key).or_default();
            taken.captures += payment.captures.len() as u64;
            taken.order = order;
            for refund in payment.refunds {
                let real = u64::from(refund.status != "failed");
                let key = name(refund.idempotency_key, refund.reference);
                *self.refunds.entry(key).or_default() += real;
            }
        }
        for request in judge.all_requests().await {
            let held = request.fault.as_deref() == Some("hold_request");
            if held && request.path == "/v1/payments" && request.outcome == "executed" {
                self.held
                    .insert(name(request.idempotency_key, request.reference));
            }
        }
    }

    fn of(&self, row: &Row) -> u64 {
        let moved = match row.kind.as_str() {
            "CHARGE" => self.captures.get(&row.key).map(|taken| taken.captures),
            _ => self.refunds.get(&row.key).copied(),
        };
        moved.unwrap_or(0)
    }
}

impl Findings {
    fn say(&mut self, what: String) {
        if self.details.len() < 40 {
            self.details.push(what);
        }
    }

    fn weigh_rows(&mut self, all: &[Row], histories: &HashMap<String, History>, money: &Money) {
        for row in all {
            let moved = money.of(row);
            let done = row.state == "SUCCEEDED";
            let undone = matches!(row.state.as_str(), "DECLINED" | "CANCELED" | "CREATED");
            if (done && moved == 0) || (undone && moved > 0) {
                self.false_finality += 1;
                self.say(format!("false finality: {moved} times, and {row:?}"));
            }
            if row.kind == "REFUND" && moved > 1 {
                self.double_refunds += moved - 1;
                self.say(format!("given back {moved} times: {row:?}"));
            }
            if row.review.is_some() {
                self.cases += 1;
                self.say(format!("a case: {row:?}"));
            }
            *self.results.entry(row.state.clone()).or_default() += 1;
            if let Some(history) = histories.get(&row.id) {
                let landed = row.kind == "CHARGE" && moved > 0;
                self.not_found_first += u64::from(landed && history.not_found > 0);
                self.add_history(history, landed && money.held.contains(&row.key));
            }
        }
    }

    fn add_history(&mut self, history: &History, came_late: bool) {
        self.resends += history.resends;
        self.not_found += history.not_found;
        self.canceled_by_proof += u64::from(history.canceled_by_proof);
        self.late_arrivals += u64::from(came_late && history.not_found > 0);
        if let (Some(from), Some(to)) = (history.unknown_at, history.known_at) {
            let waited = u64::try_from(to - from).unwrap_or(0);
            self.waits_ms.push(waited / 1000);
        }
    }

    /// One capture for an order, whatever happened to it, and none that no
    /// operation asked for.
    fn weigh_captures(&mut self, all: &[Row], money: &Money) {
        let charges = all.iter().filter(|row| row.kind == "CHARGE");
        let orders: HashMap<&str, &str> = charges
            .map(|row| (row.key.as_str(), row.order.as_str()))
            .collect();
        let mut by_order: BTreeMap<&str, u64> = BTreeMap::new();
        for (key, taken) in &money.captures {
            let captures = taken.captures;
            let own = orders.get(key.as_str()).copied();
            self.captures += captures;
            if own.is_none() && captures > 0 {
                self.unexplained += captures;
                self.say(format!("captured, and no operation has the key {key}"));
            }
            if let Some(order) = own.or(taken.order.as_deref()) {
                *by_order.entry(order).or_default() += captures;
            }
        }
        self.refunds = money.refunds.values().sum();
        for (order, captures) in by_order.into_iter().filter(|(_, it)| *it > 1) {
            self.double_captures += captures - 1;
            self.say(format!("captured {captures} times: {order}"));
        }
    }

    async fn weigh_answers(&mut self, fleet: &Fleet, book: &Book) {
        for broken in book.broken() {
            self.lost_acknowledgements += 1;
            self.say(broken);
        }
        let roster = fleet.roster();
        let asked = book.told().into_iter().map(|(id, told)| {
            let roster = roster.clone();
            async move { (ask(&roster, &id).await, id, told) }
        });
        let mut asked = stream::iter(asked).buffer_unordered(8);
        while let Some((now, id, told)) = asked.next().await {
            if let Some(lost) = lost(now.as_ref(), &told) {
                self.lost_acknowledgements += 1;
                self.say(format!("{id} was told as {told:?}, and {lost}"));
            }
        }
    }
}

/// How what was told is no longer true.
fn lost(now: Option<&Operation>, told: &Told) -> Option<String> {
    let Some(now) = now else {
        return Some("GetStatus does not know it".to_owned());
    };
    if now.version < told.version {
        return Some(format!("it is version {} now", now.version));
    }
    let state = now.state();
    (is_over(told.state) && state != told.state).then(|| format!("it is {state:?} now"))
}

async fn ask(roster: &Roster, id: &str) -> Option<Operation> {
    for replica in 0.. {
        let request = GetStatusRequest {
            target: Some(Target::OperationId(id.to_owned())),
            ..GetStatusRequest::default()
        };
        match roster.at(replica).client().get_status(request).await {
            Ok(answer) => return answer.into_inner().operation,
            Err(status) if status.code() == Code::NotFound => return None,
            // A pool that lost its connections finds new ones.
            Err(_) if replica < 50 => tokio::time::sleep(Duration::from_millis(100)).await,
            Err(status) => panic!("nobody answers any more: {status:?}"),
        }
    }
    None
}
