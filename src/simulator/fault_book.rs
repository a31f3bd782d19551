//! The faults that tests have ordered, and how often each hit.

use serde::{Deserialize, Serialize};

use super::call::{Operation, Subject};
use super::fault::Fault;

fn once() -> u64 {
    1
}

/// Which calls a fault is meant for; what is absent matches everything.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Match {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operation: Option<Operation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

impl Match {
    fn covers(&self, subject: &Subject) -> bool {
        let reference = self.reference.as_ref();
        let key = self.key.as_ref();
        reference.is_none_or(|wanted| subject.references.contains(wanted))
            && key.is_none_or(|wanted| subject.key.as_ref() == Some(wanted))
            && self.operation.is_none_or(|it| it == subject.operation)
    }
}

/// What a test orders.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Order {
    #[serde(default)]
    r#match: Match,
    #[serde(default = "once")]
    times: u64,
    fault: Fault,
}

impl Order {
    /// Why the order can never be carried out, if so.
    pub(super) fn nonsense(&self) -> Option<String> {
        if self.times == 0 {
            return Some("times must be at least 1".to_owned());
        }
        match self.r#match.operation {
            Some(operation) if !self.fault.applies_to(operation) => Some(format!(
                "the fault {} never befalls the operation given in match",
                self.fault.kind()
            )),
            _ => self.fault.nonsense().map(str::to_owned),
        }
    }
}

/// An order with the count of its hits.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Entry {
    id: u64,
    r#match: Match,
    times: u64,
    hits: u64,
    fault: Fault,
}

/// All orders, oldest first.
#[derive(Debug, Default)]
pub(super) struct FaultBook {
    entries: Vec<Entry>,
    last_id: u64,
}

impl FaultBook {
    /// Adds an order and returns its id.
    pub(super) fn add(&mut self, order: Order) -> u64 {
        self.last_id += 1;
        self.entries.push(Entry {
            id: self.last_id,
            r#match: order.r#match,
            times: order.times,
            hits: 0,
            fault: order.fault,
        });
        self.last_id
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Forgets every order; returns how many there were.
    pub(super) fn clear(&mut self) -> usize {
        self.entries.drain(..).len()
    }

    /// The oldest order that covers the call and is not used up. Orders that
    /// cover the same call are carried out one after the other.
    pub(super) fn hit(&mut self, subject: &Subject) -> Option<Fault> {
        let entry = self.entries.iter_mut().find(|entry| {
            entry.hits < entry.times
                && entry.r#match.covers(subject)
                && entry.fault.applies_to(subject.operation)
        })?;
        entry.hits += 1;
        Some(entry.fault.clone())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn order(json: serde_json::Value) -> Order {
        serde_json::from_value(json).unwrap()
    }

    fn payment_of(reference: &str) -> Subject {
        Subject {
            operation: Operation::Payment,
            references: vec![reference.to_owned()],
            key: Some("k".to_owned()),
        }
    }

    #[test]
    fn orders_are_used_up_one_after_the_other() {
        let mut book = FaultBook::default();
        book.add(order(
            json!({"match":{"reference":"a"},"times":2,"fault":{"kind":"garbage"}}),
        ));
        book.add(order(json!({"fault":{"kind":"drop_request"}})));
        assert_eq!(book.hit(&payment_of("a")), Some(Fault::Garbage));
        assert_eq!(book.hit(&payment_of("b")), Some(Fault::DropRequest));
        assert_eq!(book.hit(&payment_of("a")), Some(Fault::Garbage));
        assert_eq!(book.hit(&payment_of("a")), None);
        let hits: Vec<u64> = book.entries().iter().map(|entry| entry.hits).collect();
        assert_eq!(hits, [2, 1]);
    }

    #[test]
    fn a_fault_waits_for_a_call_it_can_befall() {
        let mut book = FaultBook::default();
        book.add(order(json!({"fault":{"kind":"refund_fail"}})));
        book.add(order(
            json!({"match":{"key":"other"},"fault":{"kind":"garbage"}}),
        ));
        assert_eq!(book.hit(&payment_of("a")), None);
    }

    #[test]
    fn nonsense_is_named() {
        let table = [
            json!({"times":0,"fault":{"kind":"garbage"}}),
            json!({"match":{"operation":"payment"},"fault":{"kind":"stale"}}),
            json!({"fault":{"kind":"error_before","status":200}}),
            json!({"fault":{"kind":"amount_differs","amount":0}}),
        ];
        for case in table {
            assert!(order(case.clone()).nonsense().is_some(), "{case}");
        }
        assert_eq!(
            order(json!({"fault":{"kind":"error_after"}})).nonsense(),
            None
        );
    }
}
