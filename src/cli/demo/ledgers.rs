//! Both ledgers of the processor side by side.

use super::processor::Ledger;
use super::{CURRENCY, NAIVE_ORDER, PAYONCE_ORDER};
use crate::cli::{amount, show};
use crate::proto::v1::Money;

/// One column an order, one row a kind of entry.
pub(super) fn side_by_side(naive: &Ledger, payonce: &Ledger) -> String {
    let mut table = show::new_table(&[
        "",
        &format!("naive tool, order {NAIVE_ORDER}"),
        &format!("payonce, order {PAYONCE_ORDER}"),
    ]);
    for (name, entries) in [
        ("captures", captures as fn(&Ledger) -> String),
        ("refunds", refunds),
        ("customer paid", paid),
    ] {
        table.add_row([name.to_owned(), entries(naive), entries(payonce)]);
    }
    table.to_string()
}

fn captures(ledger: &Ledger) -> String {
    let line = |amount, key: &Option<String>| entry(amount, "", key);
    let lines = ledger
        .captures()
        .map(|capture| line(capture.amount, &capture.idempotency_key));
    or_none(lines.collect())
}

fn refunds(ledger: &Ledger) -> String {
    let lines = ledger
        .refunds()
        .map(|refund| entry(refund.amount, &refund.status, &refund.idempotency_key));
    or_none(lines.collect())
}

fn paid(ledger: &Ledger) -> String {
    let taken: i64 = ledger.captures().map(|capture| capture.amount).sum();
    let succeeded = ledger
        .refunds()
        .filter(|refund| refund.status == "succeeded");
    let given_back: i64 = succeeded.map(|refund| refund.amount).sum();
    money(taken - given_back)
}

fn entry(amount: i64, status: &str, key: &Option<String>) -> String {
    let key = key.as_deref().unwrap_or("none");
    let shown: String = key.chars().take(10).collect();
    let status = if status.is_empty() {
        String::new()
    } else {
        format!(" {status}")
    };
    let cut = if shown.len() < key.len() { "…" } else { "" };
    format!("{}{status}, key {shown}{cut}", money(amount))
}

fn or_none(lines: Vec<String>) -> String {
    if lines.is_empty() {
        "none".to_owned()
    } else {
        lines.join("\n")
    }
}

fn money(minor_units: i64) -> String {
    amount::show(&Money {
        currency_code: CURRENCY.to_owned(),
        minor_units,
    })
}

#[cfg(test)]
mod tests {
    use super::super::processor::{Capture, Payment, Refund};
    use super::*;

    #[test]
    fn every_entry_and_what_is_left_are_shown() {
        let ledger = Ledger {
            payments: vec![Payment {
                captures: vec![Capture {
                    amount: 4900,
                    idempotency_key: Some("po0123456789".to_owned()),
                }],
                refunds: vec![Refund {
                    amount: 4800,
                    status: "succeeded".to_owned(),
                    idempotency_key: None,
                }],
            }],
        };
        let text = side_by_side(&Ledger { payments: vec![] }, &ledger);
        for part in [
            "49.00 USD, key po01234567…",
            "48.00 USD succeeded, key none",
            "1.00 USD",
            "none",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }
}
