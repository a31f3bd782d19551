//! The one line of numbers that a run ends with.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::book::Book;
use super::driver::Done;
use super::verdict::Findings;
use super::{Rush, Soak};
use crate::lab::harness::{Fleet, built_commit};

/// Counts over the whole run; times in milliseconds.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) operations: u64,
    pub(crate) kills: u64,
    pub(crate) zombies: u64,
    /// Connections to the database cut, and sessions that the server ended.
    pub(crate) commit_cuts: u64,
    /// Payments that landed after a look-up had not found them.
    pub(crate) late_arrivals: u64,
    pub(crate) resends: u64,
    pub(crate) canceled_by_proof: u64,
    /// Questions for a person that are open at the end.
    pub(crate) cases: u64,
    pub(crate) double_captures: u64,
    pub(crate) lost_acknowledgements: u64,
    pub(crate) false_finality: u64,
    pub(crate) unresolved: u64,

    pub(crate) database: String,
    pub(crate) seed: u64,
    pub(crate) commit: String,
    pub(crate) seconds: u64,
    pub(crate) seconds_to_recover: f64,
    pub(crate) captures: u64,
    pub(crate) refunds: u64,
    pub(crate) double_refunds: u64,
    /// Captures that no operation asked for.
    pub(crate) unexplained_captures: u64,
    pub(crate) look_ups_not_found: u64,
    pub(crate) calls_in_flight_at_kills: u64,
    pub(crate) operations_in_flight_at_kills: u64,
    pub(crate) stale_dispatches_refused: u64,
    pub(crate) stale_results_refused: u64,
    /// Writes that only the holder of a lease may make; counted on PostgreSQL.
    pub(crate) fenced_writes: u64,
    /// Those of them by anybody else.
    pub(crate) stale_writes_accepted: u64,
    /// From when a result was unknown until it was known.
    pub(crate) time_to_knowledge_ms: Spread,
    pub(crate) results: BTreeMap<String, u64>,
    pub(crate) calls_answered: u64,
    pub(crate) calls_given_up: u64,
    pub(crate) refused: BTreeMap<String, u64>,
    /// What must not be, in words; the first of each.
    pub(crate) violations: Vec<String>,
    /// Where the logs and ledgers of a run with violations stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) logs: Option<String>,
}

/// Where most of many numbers lie.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Spread {
    pub(crate) count: usize,
    pub(crate) p50: u64,
    pub(crate) p99: u64,
    pub(crate) max: u64,
}

impl Spread {
    /// Of sorted numbers.
    pub(super) fn of(sorted: &[u64]) -> Spread {
        let at = |percent: usize| {
            let last = sorted.len().saturating_sub(1);
            sorted.get(last * percent / 100).copied().unwrap_or(0)
        };
        Spread {
            count: sorted.len(),
            p50: at(50),
            p99: at(99),
            max: at(100),
        }
    }
}

impl Report {
    pub(super) async fn new(
        soak: Soak,
        fleet: &Fleet,
        book: &Book,
        done: &Done,
        settled: Duration,
        findings: Findings,
    ) -> Report {
        let logged = fleet.logged();
        let written = match fleet.audit() {
            Some(audit) => Some(audit.written().await),
            None => None,
        };
        let stale = written.as_ref().map_or(&[][..], |it| &it.stale);
        let mut violations = findings.details;
        violations.extend(stale.iter().take(20).map(|it| format!("stale: {it}")));
        let (calls_answered, calls_given_up) = book.calls();
        Report {
            operations: findings.operations,
            kills: done.kills,
            zombies: done.zombies,
            commit_cuts: fleet.cuts() as u64 + done.sessions_ended,
            late_arrivals: findings.late_arrivals,
            resends: findings.resends,
            canceled_by_proof: findings.canceled_by_proof,
            cases: findings.cases,
            double_captures: findings.double_captures,
            lost_acknowledgements: findings.lost_acknowledgements,
            false_finality: findings.false_finality,
            unresolved: findings.unresolved,
            database: format!("{:?}", soak.on).to_lowercase(),
            seed: soak.seed,
            commit: built_commit(),
            seconds: done.lasted.as_secs(),
            seconds_to_recover: settled.as_secs_f64(),
            captures: findings.captures,
            refunds: findings.refunds,
            double_refunds: findings.double_refunds,
            unexplained_captures: findings.unexplained,
            look_ups_not_found: findings.not_found,
            calls_in_flight_at_kills: done.calls_in_flight,
            operations_in_flight_at_kills: done.operations_in_flight,
            stale_dispatches_refused: logged.too_late_to_send + logged.not_opened,
            stale_results_refused: logged.not_written,
            fenced_writes: written.as_ref().map_or(0, |it| it.fenced as u64),
            stale_writes_accepted: stale.len() as u64,
            time_to_knowledge_ms: Spread::of(&findings.waits_ms),
            results: findings.results,
            calls_answered,
            calls_given_up,
            refused: book.refused(),
            violations,
            logs: None,
        }
    }

    /// Whether money, answers and rows agree, and nobody was asked for what a
    /// look-up could tell.
    pub(crate) fn is_clean(&self) -> bool {
        [
            self.cases,
            self.double_captures,
            self.double_refunds,
            self.lost_acknowledgements,
            self.false_finality,
            self.unexplained_captures,
            self.unresolved,
            self.stale_writes_accepted,
        ]
        .iter()
        .all(|count| *count == 0)
    }

    /// Whether the service helped itself where it could.
    pub(crate) fn helped_itself(&self) -> bool {
        self.resends > 0 && self.canceled_by_proof > 0
    }
}

/// Counts of a run whose payments all arrive late; times in milliseconds.
#[derive(Debug, Serialize)]
pub(crate) struct LateReport {
    pub(crate) operations: u64,
    /// Payments that at least one look-up had not found before they landed.
    pub(crate) not_found_first: u64,
    /// How many look-ups said so.
    pub(crate) look_ups_not_found: u64,
    pub(crate) resends: u64,
    pub(crate) captures: u64,
    pub(crate) double_captures: u64,
    /// DECLINED or CANCELED with a capture, or SUCCEEDED without one.
    pub(crate) false_finality: u64,
    pub(crate) lost_acknowledgements: u64,
    /// Captures that no operation asked for.
    pub(crate) unexplained_captures: u64,
    pub(crate) cases: u64,
    pub(crate) unresolved: u64,
    pub(crate) results: BTreeMap<String, u64>,
    /// From when a result was unknown until it was known.
    pub(crate) time_to_knowledge_ms: Spread,
    pub(crate) database: String,
    pub(crate) seed: u64,
    pub(crate) commit: String,
    pub(crate) seconds: u64,
    /// What must not be, in words; the first of each.
    pub(crate) violations: Vec<String>,
    /// Where the logs and ledgers of a run with violations stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) logs: Option<String>,
}

impl LateReport {
    pub(super) fn new(rush: Rush, lasted: Duration, findings: Findings) -> LateReport {
        LateReport {
            operations: rush.operations,
            not_found_first: findings.not_found_first,
            look_ups_not_found: findings.not_found,
            resends: findings.resends,
            captures: findings.captures,
            double_captures: findings.double_captures,
            false_finality: findings.false_finality,
            lost_acknowledgements: findings.lost_acknowledgements,
            unexplained_captures: findings.unexplained,
            cases: findings.cases,
            unresolved: findings.unresolved,
            results: findings.results,
            time_to_knowledge_ms: Spread::of(&findings.waits_ms),
            database: format!("{:?}", rush.on).to_lowercase(),
            seed: rush.seed,
            commit: built_commit(),
            seconds: lasted.as_secs(),
            violations: findings.details,
            logs: None,
        }
    }

    /// Whether each of them is known as what it is: captured once, or never
    /// captured where a busy machine let the time for sending go by.
    pub(crate) fn is_clean(&self) -> bool {
        let results = |state: &str| self.results.get(state).copied().unwrap_or(0);
        let succeeded = results("SUCCEEDED");
        succeeded == self.captures
            && succeeded + results("CANCELED") == self.operations
            && self.double_captures == 0
            && self.false_finality == 0
            && self.lost_acknowledgements == 0
            && self.unexplained_captures == 0
            && self.cases == 0
            && self.unresolved == 0
    }

    /// Whether look-ups did come too early, and payments were sent again.
    pub(crate) fn is_telling(&self) -> bool {
        self.not_found_first > 0 && self.resends > 0
    }
}
