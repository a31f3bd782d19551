//! The incident: a tool that takes a timeout for a failure.

use std::time::Duration;

use anyhow::anyhow;
use serde::Serialize;
use serde_json::json;

use super::NAIVE_ORDER;
use super::processor::{Processor, Seen};
use super::story::Story;
use crate::cli::Failure;

/// How long the tool waits for the processor.
const PATIENCE: Duration = Duration::from_secs(1);

/// What came of it, counted at the processor.
#[derive(Debug, Serialize)]
pub(super) struct Naive {
    pub(super) captures: usize,
}

pub(super) async fn play(processor: &Processor, story: &Story) -> Result<Naive, Failure> {
    story.scene("1. A naive tool pays order 8472, 49.00 USD");
    let late = json!({ "kind": "delay_answer", "delay_ms": 3000 });
    processor.order_fault(NAIVE_ORDER, "payment", late).await?;

    story.step(
        "tool",
        "asks the processor to capture 49.00 USD, key attempt-1",
    );
    let first = processor.pay(NAIVE_ORDER, "attempt-1", PATIENCE);
    let first = story
        .while_waiting("waiting for the processor", first)
        .await?;
    if first != Seen::Timeout {
        return Err(Failure::internal(anyhow!(
            "the first try was answered, the fault did not happen"
        )));
    }
    story.step("tool", "no answer after 1 s: \"it failed, I try again\"");
    story.step("tool", "asks again, with a new key, attempt-2");
    if processor.pay(NAIVE_ORDER, "attempt-2", PATIENCE).await? == Seen::Success {
        story.step(
            "tool",
            "200 OK: \"paid.\" Its log says that everything went fine",
        );
    }

    let captures = processor.ledger(NAIVE_ORDER).await?.captures().count();
    story.step(
        "processor",
        &format!("its ledger has {captures} captures for order 8472"),
    );
    Ok(Naive { captures })
}
