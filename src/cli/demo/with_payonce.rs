//! The same fault, met by payonce; then a refund whose answer is lost.

use std::time::Duration;

use anyhow::anyhow;
use serde::Serialize;
use serde_json::json;

use super::processor::Processor;
use super::stage::Stage;
use super::story::Story;
use super::{AMOUNT, CURRENCY, PAYONCE_ORDER};
use crate::cli::connection::on_the_wire;
use crate::cli::{Failure, op, words};
use crate::client::Client;
use crate::clock::BootTime;
use crate::proto::v1::get_status_request::Target;
use crate::proto::v1::{
    CompensateRequest, CompensationReason, CreateOperationRequest, CreateOperationResponse,
    GetStatusRequest, Money, Operation, OperationKind, SafeNextAction,
};

/// After this the outcome should have been known long ago.
const PATIENCE: Duration = Duration::from_secs(12);

/// What came of it. The counts are the processor's.
#[derive(Debug, Serialize)]
pub(super) struct WithPayonce {
    pub(super) captures: usize,
    pub(super) refunds: usize,
    /// What the first call was answered with, and after how many milliseconds.
    pub(super) first_outcome: String,
    pub(super) first_answer_ms: u64,
    /// The charge, before it was given back.
    pub(super) final_outcome: String,
}

pub(super) async fn play(
    stage: &Stage,
    processor: &Processor,
    story: &Story,
) -> Result<WithPayonce, Failure> {
    let client = stage.client().await?;
    story.scene("2. The same through payonce: order 8473, 49.00 USD, the same fault");
    let late = json!({ "kind": "delay_answer", "delay_ms": 3000 });
    processor
        .order_fault(PAYONCE_ORDER, "payment", late)
        .await?;

    let (first, first_answer_ms) = first_call(&client, story).await?;
    second_call(&client, story, &first).await?;
    let charged = until_settled(&client, story, &first).await?;
    story.step(
        "payonce",
        &format!("found it at the processor: {}", answer(&charged)),
    );
    let captures = processor.ledger(PAYONCE_ORDER).await?.captures().count();
    story.step(
        "processor",
        &format!("its ledger has {captures} capture for order 8473"),
    );

    let refunds = give_back(&client, processor, story, &charged).await?;
    Ok(WithPayonce {
        captures,
        refunds,
        first_outcome: words::outcome(first.outcome),
        first_answer_ms,
        final_outcome: words::outcome(charged.outcome),
    })
}

/// Create and submit in one call, as an agent's tool would.
async fn pay(client: &Client, wait: Option<Duration>) -> Result<CreateOperationResponse, Failure> {
    let request = CreateOperationRequest {
        order_id: PAYONCE_ORDER.to_owned(),
        kind: OperationKind::Charge.into(),
        amount: Some(Money {
            currency_code: CURRENCY.to_owned(),
            minor_units: AMOUNT,
        }),
        payment_method: "pm_ok".to_owned(),
        submit: true,
        wait: wait.map(on_the_wire),
        ..CreateOperationRequest::default()
    };
    Ok(client.create(request).await?)
}

async fn first_call(client: &Client, story: &Story) -> Result<(Operation, u64), Failure> {
    story.step("agent", "calls payonce: pay order 8473");
    let began = BootTime::now();
    let response = story
        .while_waiting("waiting for payonce", pay(client, None))
        .await?;
    let took = BootTime::now().since(began);
    let operation = op::present(response.operation)?;
    story.step(
        "payonce",
        "the processor does not answer: unknown, which is not failed",
    );
    let text = format!("after {:.1} s {}", took.as_secs_f64(), answer(&operation));
    story.step("payonce", &text);
    Ok((
        operation,
        u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
    ))
}

async fn second_call(client: &Client, story: &Story, first: &Operation) -> Result<(), Failure> {
    story.step("agent", "replans and calls again: pay order 8473");
    let again = pay(client, Some(Duration::ZERO)).await?;
    let operation = op::present(again.operation)?;
    if !again.replayed || operation.operation_id != first.operation_id {
        return Err(Failure::internal(anyhow!(
            "the second call did not join the first operation"
        )));
    }
    let text = format!(
        "the same operation, nothing new was sent: {}",
        answer(&operation)
    );
    story.step("payonce", &text);
    Ok(())
}

/// Asks until the answer is no longer POLL. The service looks it up by itself;
/// asking only learns of it.
async fn until_settled(
    client: &Client,
    story: &Story,
    operation: &Operation,
) -> Result<Operation, Failure> {
    let asked = async {
        let began = BootTime::now();
        loop {
            let request = GetStatusRequest {
                target: Some(Target::OperationId(operation.operation_id.clone())),
                wait: Some(on_the_wire(Duration::from_secs(1))),
                after_version: 0,
            };
            let operation = op::present(client.status(request).await?.operation)?;
            let late = BootTime::now().since(began) > PATIENCE;
            if late || operation.safe_next_action() != SafeNextAction::Poll {
                return Ok(operation);
            }
        }
    };
    story
        .while_waiting("payonce looks it up in the background", asked)
        .await
}

async fn give_back(
    client: &Client,
    processor: &Processor,
    story: &Story,
    charged: &Operation,
) -> Result<usize, Failure> {
    story.scene("3. The customer returns the goods, and the refund's answer is lost");
    let lost = json!({ "kind": "drop_response" });
    processor.order_fault(PAYONCE_ORDER, "refund", lost).await?;
    story.step(
        "agent",
        "calls payonce: give order 8473 back, label return-1",
    );
    let request = CompensateRequest {
        operation_id: charged.operation_id.clone(),
        reason: CompensationReason::RequestedByCustomer.into(),
        label: "return-1".to_owned(),
        ..CompensateRequest::default()
    };
    let asked = client.compensate(request);
    let response = story.while_waiting("waiting for payonce", asked).await?;
    let parent = op::present(response.operation)?;
    story.step(
        "payonce",
        &format!("the answer was lost: {}", answer(&parent)),
    );
    let refunded = until_settled(client, story, &parent).await?;
    story.step(
        "payonce",
        &format!("found the refund at the processor: {}", answer(&refunded)),
    );
    let refunds = processor.ledger(PAYONCE_ORDER).await?.refunds().count();
    story.step(
        "processor",
        &format!("its ledger has {refunds} refund for order 8473"),
    );
    Ok(refunds)
}

/// What an agent acts on, in short.
fn answer(operation: &Operation) -> String {
    format!(
        "{}, next: {}, fulfilment: {}",
        words::outcome(operation.outcome),
        words::action(operation.safe_next_action),
        words::fulfilment(operation.fulfilment)
    )
}
