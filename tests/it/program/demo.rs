//! The demo ends as it promises, whoever reads it.

use serde_json::json;

use super::process::run;

#[test]
fn the_demo_shows_two_captures_then_one_and_one_refund() {
    let mut result = run(&["demo", "--json"]).json(0);
    let first_answer_ms = result["payonce"]["first_answer_ms"].take();
    assert!(first_answer_ms.is_u64(), "{first_answer_ms}");
    let expected = json!({
        "naive": { "captures": 2 },
        "payonce": {
            "captures": 1,
            "refunds": 1,
            "first_outcome": "PENDING",
            "first_answer_ms": null,
            "final_outcome": "SUCCEEDED",
        },
    });
    assert_eq!(result, expected);
}

#[test]
fn the_demo_tells_the_story_and_shows_both_ledgers() {
    let story = run(&["demo"]);
    story.ended_with(0);
    for part in [
        "its ledger has 2 captures for order 8472",
        "PENDING, next: POLL, fulfilment: HOLD",
        "SUCCEEDED, next: FULFIL_ONCE, fulfilment: ALLOWED",
        "its ledger has 1 capture for order 8473",
        "REFUNDED, next: DO_NOT_FULFIL, fulfilment: FORBIDDEN",
        "98.00 USD",
    ] {
        assert!(story.stdout.contains(part), "{part} in\n{}", story.stdout);
    }
}
