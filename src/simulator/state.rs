//! Everything the processor knows, in memory: the sum of its changes.

use std::collections::{BTreeSet, HashMap};

use super::clock::wall_ms;
use super::model::{Change, KeyRecord, Payment, Refund, RefundStatus};

/// The present state. Only [`State::apply`] changes it.
#[derive(Debug, Default)]
pub(super) struct State {
    shift_ms: i64,
    payments: Vec<Payment>,
    payment_index: HashMap<String, usize>,
    payments_by_reference: HashMap<String, Vec<usize>>,
    refunds: Vec<Refund>,
    refund_index: HashMap<String, usize>,
    refunds_by_payment: HashMap<String, Vec<usize>>,
    keys: HashMap<String, KeyRecord>,
    due: BTreeSet<(i64, String)>,
}

impl State {
    /// The processor's time, milliseconds since 1970.
    pub(super) fn now_ms(&self) -> i64 {
        wall_ms().saturating_add(self.shift_ms)
    }

    pub(super) fn shift_ms(&self) -> i64 {
        self.shift_ms
    }

    pub(super) fn payment(&self, id: &str) -> Option<&Payment> {
        self.payment_index.get(id).map(|at| &self.payments[*at])
    }

    pub(super) fn refund(&self, id: &str) -> Option<&Refund> {
        self.refund_index.get(id).map(|at| &self.refunds[*at])
    }

    pub(super) fn key(&self, key: &str) -> Option<&KeyRecord> {
        self.keys.get(key)
    }

    /// Payments, oldest first; of one merchant reference if one is given.
    pub(super) fn payments(&self, reference: Option<&str>) -> Vec<&Payment> {
        match reference {
            None => self.payments.iter().collect(),
            Some(reference) => pick(
                &self.payments,
                self.payments_by_reference.get(reference).map(Vec::as_slice),
            ),
        }
    }

    /// Refunds, oldest first; of one payment if one is given.
    pub(super) fn refunds(&self, payment: Option<&str>) -> Vec<&Refund> {
        match payment {
            None => self.refunds.iter().collect(),
            Some(payment) => pick(
                &self.refunds,
                self.refunds_by_payment.get(payment).map(Vec::as_slice),
            ),
        }
    }

    /// What has been given back of a payment, minor units.
    pub(super) fn refunded(&self, payment: &str) -> i64 {
        self.sum_refunds(payment, |status| status == RefundStatus::Succeeded)
    }

    /// What can still be given back of a payment, minor units: pending refunds
    /// hold their amount.
    pub(super) fn refundable(&self, payment: &Payment) -> i64 {
        payment.captured() - self.sum_refunds(&payment.id, |status| status != RefundStatus::Failed)
    }

    fn sum_refunds(&self, payment: &str, counts: impl Fn(RefundStatus) -> bool) -> i64 {
        self.refunds(Some(payment))
            .iter()
            .filter(|refund| counts(refund.status))
            .map(|refund| refund.amount)
            .sum()
    }

    /// The changes whose time has come. They are not applied yet.
    pub(super) fn due_changes(&self) -> Vec<Change> {
        let now_ms = self.now_ms();
        self.due
            .iter()
            .take_while(|(at_ms, _)| *at_ms <= now_ms)
            .filter_map(|(_, id)| {
                let mut payment = self.payment(id)?.clone();
                let due = payment.due?;
                payment.move_to(due.status);
                Some(Change::Payment(payment))
            })
            .collect()
    }

    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Payment(payment) => self.put_payment(payment),
            Change::Refund(refund) => self.put_refund(refund),
            Change::Key(record) => {
                self.keys.insert(record.key.clone(), record);
            }
            Change::ClockShift(shift_ms) => self.shift_ms = shift_ms,
        }
    }

    fn put_payment(&mut self, payment: Payment) {
        let known = self.payment_index.get(&payment.id).copied();
        if let Some(due) = known.and_then(|at| self.payments[at].due) {
            self.due.remove(&(due.at_ms, payment.id.clone()));
        }
        if let Some(due) = payment.due {
            self.due.insert((due.at_ms, payment.id.clone()));
        }
        if let Some(at) = known {
            self.payments[at] = payment;
            return;
        }
        let at = self.payments.len();
        self.payment_index.insert(payment.id.clone(), at);
        if let Some(reference) = &payment.reference {
            let same = self.payments_by_reference.entry(reference.clone());
            same.or_default().push(at);
        }
        self.payments.push(payment);
    }

    fn put_refund(&mut self, refund: Refund) {
        if let Some(at) = self.refund_index.get(&refund.id) {
            self.refunds[*at] = refund;
            return;
        }
        let at = self.refunds.len();
        self.refund_index.insert(refund.id.clone(), at);
        let same = self.refunds_by_payment.entry(refund.payment.clone());
        same.or_default().push(at);
        self.refunds.push(refund);
    }
}

fn pick<'a, T>(all: &'a [T], positions: Option<&[usize]>) -> Vec<&'a T> {
    positions
        .unwrap_or_default()
        .iter()
        .map(|at| &all[*at])
        .collect()
}
