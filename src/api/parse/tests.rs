//! Good requests come through whole; each rule refuses what breaks it.

mod create;
mod others;
mod texts;

use super::Malformed;

const ID: &str = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
const CARD: &str = "4111111111111111";

/// The fields that were refused, in order.
fn fields<T: std::fmt::Debug>(result: Result<T, Malformed>) -> Vec<&'static str> {
    let malformed = result.expect_err("must be refused");
    assert!(!malformed.violations.is_empty());
    malformed.violations.iter().map(|it| it.field).collect()
}
