//! Operations as people read them: aligned lines, tables.

use std::fmt::Write;
use std::time::Duration;

use comfy_table::{ContentArrangement, Table, presets};

use super::{amount, words};
use crate::proto::v1::{LedgerEntry, Operation};

/// Lines `name  value`, aligned.
#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn add(&mut self, name: &str, value: impl AsRef<str>) -> &mut Self {
        let value = value.as_ref();
        if !value.is_empty() {
            // Writing to a String does not fail.
            let _ = writeln!(self.text, "{name:<12}{value}");
        }
        self
    }
}

/// What an agent acts on.
pub(super) fn answer(operation: &Operation) -> String {
    let mut lines = Lines::default();
    add_answer(&mut lines, operation);
    lines.add("operation", &operation.operation_id);
    lines.text
}

/// Everything a person asks about.
pub(super) fn operation(operation: &Operation) -> String {
    let mut lines = Lines::default();
    let order = format!(
        "{} ({}, generation {})",
        operation.order_id, operation.purpose, operation.generation
    );
    let what = operation.amount.as_ref().map_or_else(String::new, |money| {
        format!("{} {}", words::kind(operation.kind), amount::show(money))
    });
    lines
        .add("order", order)
        .add("operation", &operation.operation_id)
        .add("what", what)
        .add("state", words::state(operation.state));
    add_answer(&mut lines, operation);
    add_money(&mut lines, operation);
    add_why(&mut lines, operation);
    add_relatives(&mut lines, operation);
    lines.text
}

fn add_answer(lines: &mut Lines, operation: &Operation) {
    let mut next = words::action(operation.safe_next_action);
    if let Some(pause) = operation.poll_after.as_ref().and_then(span) {
        // Writing to a String does not fail.
        let _ = write!(next, " after {:.1} s", pause.as_secs_f64());
    }
    lines
        .add("outcome", words::outcome(operation.outcome))
        .add("next", next)
        .add("fulfilment", words::fulfilment(operation.fulfilment))
        .add("message", &operation.message);
}

fn add_money(lines: &mut Lines, operation: &Operation) {
    let sums = [
        ("authorized", &operation.authorized),
        ("captured", &operation.captured),
        ("refunding", &operation.refund_pending),
        ("refunded", &operation.refunded),
        ("charged back", &operation.charged_back),
    ];
    for (name, sum) in sums {
        if let Some(money) = sum.as_ref().filter(|money| money.minor_units != 0) {
            lines.add(name, amount::show(money));
        }
    }
    lines.add("payment", &operation.provider_payment_id);
}

fn add_why(lines: &mut Lines, operation: &Operation) {
    if let Some(decline) = &operation.decline {
        let category = words::decline(decline.category);
        lines.add("declined", format!("{category} {}", decline.provider_code));
    }
    if let Some(action) = &operation.customer_action {
        lines.add("customer", &action.url);
    }
    if let Some(review) = &operation.review {
        let reason = words::review(review.reason);
        lines.add("review", format!("{reason}, case {}", review.case_id));
    }
}

fn add_relatives(lines: &mut Lines, operation: &Operation) {
    lines
        .add("parent", &operation.parent_operation_id)
        .add("supersedes", &operation.supersedes)
        .add("successor", &operation.superseded_by);
    for compensation in &operation.compensations {
        let money = compensation.amount.as_ref().map(amount::show);
        let what = format!(
            "{} {} {}: {}",
            words::kind(compensation.kind),
            compensation.label,
            money.unwrap_or_default(),
            words::outcome(compensation.outcome)
        );
        lines.add("given back", what);
    }
}

/// One line for one state of a watched operation.
pub(super) fn state(operation: &Operation) -> String {
    format!(
        "version {:<4} {:<16} {:<24} {}",
        operation.version,
        words::state(operation.state),
        words::outcome(operation.outcome),
        words::action(operation.safe_next_action),
    )
}

/// Many operations.
pub(super) fn table(operations: &[Operation]) -> String {
    if operations.is_empty() {
        return "no operations".to_owned();
    }
    let mut table = new_table(&[
        "operation",
        "order",
        "kind",
        "amount",
        "state",
        "outcome",
        "next",
    ]);
    for operation in operations {
        table.add_row([
            operation.operation_id.clone(),
            format!(
                "{} {}/{}",
                operation.order_id, operation.purpose, operation.generation
            ),
            words::kind(operation.kind),
            operation
                .amount
                .as_ref()
                .map_or_else(String::new, amount::show),
            words::state(operation.state),
            words::outcome(operation.outcome),
            words::action(operation.safe_next_action),
        ]);
    }
    table.to_string()
}

/// The ledger of one operation.
pub(super) fn ledger(entries: &[LedgerEntry]) -> String {
    let mut table = new_table(&["version", "recorded", "event", "before", "after", "hash"]);
    for entry in entries {
        let before = if entry.state_before == 0 {
            String::new()
        } else {
            words::state(entry.state_before)
        };
        let recorded = entry.recorded_at.as_ref().map(ToString::to_string);
        table.add_row([
            entry.version.to_string(),
            recorded.unwrap_or_default(),
            entry.event.clone(),
            before,
            words::state(entry.state_after),
            short_hash(&entry.hash),
        ]);
    }
    table.to_string()
}

fn short_hash(hash: &[u8]) -> String {
    let shown = &hash[..hash.len().min(6)];
    data_encoding::HEXLOWER.encode(shown)
}

/// A table in the one style of all commands.
pub(super) fn new_table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::UTF8_HORIZONTAL_ONLY)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header);
    table
}

fn span(duration: &prost_types::Duration) -> Option<Duration> {
    Duration::try_from(*duration).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::v1::{Decline, DeclineCategory, Money, OperationKind, Outcome};

    fn declined() -> Operation {
        Operation {
            operation_id: "0199".to_owned(),
            order_id: "8472".to_owned(),
            purpose: "purchase".to_owned(),
            generation: 1,
            kind: OperationKind::Charge.into(),
            outcome: Outcome::Declined.into(),
            amount: Some(Money {
                currency_code: "USD".to_owned(),
                minor_units: 4900,
            }),
            decline: Some(Decline {
                category: DeclineCategory::InsufficientFunds.into(),
                provider_code: "insufficient_funds".to_owned(),
            }),
            poll_after: Some(prost_types::Duration {
                seconds: 1,
                nanos: 500_000_000,
            }),
            ..Operation::default()
        }
    }

    #[test]
    fn an_operation_is_shown_in_aligned_lines_without_empty_ones() {
        let text = operation(&declined());
        for line in [
            "order       8472 (purchase, generation 1)",
            "what        CHARGE 49.00 USD",
            "outcome     DECLINED",
            "next        UNSPECIFIED after 1.5 s",
            "declined    INSUFFICIENT_FUNDS insufficient_funds",
        ] {
            assert!(text.lines().any(|it| it == line), "{line} in\n{text}");
        }
        assert!(!text.contains("captured"));
    }

    #[test]
    fn tables_name_every_operation_and_say_when_there_is_none() {
        assert_eq!(table(&[]), "no operations");
        let text = table(&[declined()]);
        assert!(text.contains("8472 purchase/1"), "{text}");
    }

    #[test]
    fn a_hash_is_cut_and_an_absent_one_is_no_trouble() {
        assert_eq!(short_hash(&[0xab; 32]), "abababababab");
        assert_eq!(short_hash(&[]), "");
    }
}
