//! What the demo showed, and whether that is what is promised.

use anyhow::anyhow;
use serde::Serialize;
use serde_json::Value;

use super::naive::Naive;
use super::with_payonce::WithPayonce;
use crate::cli::Failure;

/// The one object of `--json`. Captures and refunds are counted at the
/// processor.
#[derive(Debug, Serialize)]
pub(super) struct DemoResult {
    pub(super) naive: Naive,
    pub(super) payonce: WithPayonce,
}

impl DemoResult {
    pub(super) fn to_json(&self) -> Result<Value, Failure> {
        serde_json::to_value(self).map_err(Failure::internal)
    }

    /// For people.
    pub(super) fn conclusion(&self) -> String {
        format!(
            "\nThe same order, the same fault: {} captures without payonce, {} with it, and {} refund.",
            self.naive.captures, self.payonce.captures, self.payonce.refunds
        )
    }

    /// The processor's ledger has to show the incident, and then that payonce
    /// prevents it.
    pub(super) fn require_the_promise(&self) -> Result<(), Failure> {
        let counted = (
            self.naive.captures,
            self.payonce.captures,
            self.payonce.refunds,
        );
        if counted == (2, 1, 1) {
            return Ok(());
        }
        Err(Failure::internal(anyhow!(
            "the processor's ledger shows {} and {} captures and {} refunds, not 2 and 1 and 1",
            counted.0,
            counted.1,
            counted.2
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(naive: usize, captures: usize, refunds: usize) -> DemoResult {
        DemoResult {
            naive: Naive { captures: naive },
            payonce: WithPayonce {
                captures,
                refunds,
                first_outcome: "PENDING".to_owned(),
                first_answer_ms: 1500,
                final_outcome: "SUCCEEDED".to_owned(),
            },
        }
    }

    #[test]
    fn only_what_is_promised_passes() {
        assert!(result(2, 1, 1).require_the_promise().is_ok());
        for other in [(1, 1, 1), (2, 2, 1), (2, 1, 0), (2, 1, 2), (2, 0, 1)] {
            let (naive, captures, refunds) = other;
            let kept = result(naive, captures, refunds).require_the_promise();
            assert!(kept.is_err(), "{other:?}");
        }
    }

    #[test]
    fn the_object_has_the_documented_form() {
        let json = result(2, 1, 1).to_json().expect("plain data");
        let expected = serde_json::json!({
            "naive": { "captures": 2 },
            "payonce": {
                "captures": 1,
                "refunds": 1,
                "first_outcome": "PENDING",
                "first_answer_ms": 1500,
                "final_outcome": "SUCCEEDED",
            },
        });
        assert_eq!(json, expected);
    }
}
