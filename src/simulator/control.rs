//! What tests and judges may do and see: faults, changes from outside, the
//! clock, the ledger and the requests. No fault and no lag touches these.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::answer::{Refusal, close_socket};
use super::execution::decline;
use super::fault_book::Order;
use super::model::{Change, Payment, PaymentStatus, RefundStatus};
use super::processor::{ChangeError, Processor, lock};

type Shared = State<Arc<Processor>>;

/// Everything outside `/v1`.
pub(super) fn router() -> Router<Arc<Processor>> {
    Router::new()
        .route("/ledger", get(ledger))
        .route("/requests", get(requests))
        .route("/action/{id}", get(customer_action))
        .route(
            "/control/faults",
            post(add_fault).get(list_faults).delete(clear_faults),
        )
        .route("/control/payments/{id}", post(move_payment))
        .route("/control/refunds/{id}", post(move_refund))
        .route("/control/clock", post(shift_clock).get(clock))
}

impl IntoResponse for ChangeError {
    fn into_response(self) -> Response {
        match self {
            Self::Refused(refusal) => refusal.into_response(),
            Self::Lost(_) => close_socket(),
        }
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body)
        .map_err(|error| Refusal::invalid("body_invalid", &format!("body: {error}")))
}

#[derive(Deserialize)]
struct Wanted {
    reference: Option<String>,
    key: Option<String>,
}

async fn ledger(
    State(it): Shared,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Value>, ChangeError> {
    let reference = wanted.reference.as_deref();
    let shown = it.apply(|_| Ok(Vec::new()), |view| view.ledger(reference));
    shown.await.map(Json)
}

async fn requests(State(it): Shared, Query(wanted): Query<Wanted>) -> Json<Value> {
    let log = lock(&it.wire_log);
    let found = log.find(wanted.reference.as_ref(), wanted.key.as_ref());
    Json(json!({ "requests": found }))
}

async fn add_fault(State(it): Shared, body: Bytes) -> Result<Json<Value>, Refusal> {
    let order: Order = read(&body)?;
    if let Some(nonsense) = order.nonsense() {
        return Err(Refusal::invalid("fault_invalid", &nonsense));
    }
    let id = lock(&it.faults).add(order);
    Ok(Json(json!({ "id": id })))
}

async fn list_faults(State(it): Shared) -> Json<Value> {
    Json(json!({ "faults": lock(&it.faults).entries() }))
}

async fn clear_faults(State(it): Shared) -> Json<Value> {
    Json(json!({ "cleared": lock(&it.faults).clear() }))
}

#[derive(Deserialize)]
struct PaymentMove {
    status: PaymentStatus,
}

async fn move_payment(
    State(it): Shared,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, Response> {
    let wanted: PaymentMove = read(&body).map_err(IntoResponse::into_response)?;
    let moved = |payment: &mut Payment| {
        payment.decline =
            (wanted.status == PaymentStatus::Failed).then(|| decline("card_declined"));
        payment.move_to(wanted.status);
        Ok(())
    };
    let shown = change_payment(&it, &id, moved).await;
    shown.map(Json).map_err(IntoResponse::into_response)
}

/// The customer's page: opening it is the customer's step.
async fn customer_action(
    State(it): Shared,
    Path(id): Path<String>,
) -> Result<Html<&'static str>, ChangeError> {
    let moved = |payment: &mut Payment| {
        if payment.status != PaymentStatus::RequiresAction {
            return Err(Refusal::invalid(
                "action_not_required",
                "this payment waits for no step of the customer",
            ));
        }
        payment.move_to(Payment::agreed_status(payment.capture));
        Ok(())
    };
    change_payment(&it, &id, moved).await?;
    Ok(Html(
        "<html><body>Thank you. The payment goes on.</body></html>",
    ))
}

async fn change_payment(
    it: &Processor,
    id: &str,
    moved: impl FnOnce(&mut Payment) -> Result<(), Refusal>,
) -> Result<Value, ChangeError> {
    it.apply(
        |view| {
            let found = view.state.payment(id).cloned();
            let mut payment = found.ok_or_else(|| Refusal::not_found("payment"))?;
            moved(&mut payment)?;
            Ok(vec![Change::Payment(payment)])
        },
        |view| view.state.payment(id).map(|it| view.payment(it)),
    )
    .await
    .map(Option::unwrap_or_default)
}

#[derive(Deserialize)]
struct RefundMove {
    status: RefundStatus,
}

async fn move_refund(
    State(it): Shared,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, Response> {
    let wanted: RefundMove = read(&body).map_err(IntoResponse::into_response)?;
    let shown = it.apply(
        |view| {
            let found = view.state.refund(&id).cloned();
            let mut refund = found.ok_or_else(|| Refusal::not_found("refund"))?;
            refund.previous_status = refund.status;
            refund.status = wanted.status;
            Ok(vec![Change::Refund(refund)])
        },
        |view| view.state.refund(&id).map(|it| view.refund(it)),
    );
    let shown = shown.await.map_err(IntoResponse::into_response)?;
    Ok(Json(shown.unwrap_or_default()))
}

#[derive(Deserialize)]
struct Shift {
    shift_s: i64,
}

async fn shift_clock(State(it): Shared, body: Bytes) -> Result<Json<Value>, Response> {
    let wanted: Shift = read(&body).map_err(IntoResponse::into_response)?;
    let shown = it.apply(
        |view| {
            let shift_ms = wanted.shift_s.checked_mul(1_000);
            let shift_ms = shift_ms.and_then(|by| by.checked_add(view.state.shift_ms()));
            let shift_ms = shift_ms.ok_or_else(|| {
                Refusal::invalid("shift_invalid", "shift_s moves the clock out of its range")
            })?;
            Ok(vec![Change::ClockShift(shift_ms)])
        },
        |view| clock_reading(view.state),
    );
    shown.await.map(Json).map_err(IntoResponse::into_response)
}

async fn clock(State(it): Shared) -> Json<Value> {
    Json(clock_reading(&lock(&it.state)))
}

fn clock_reading(state: &super::state::State) -> Value {
    json!({ "now_ms": state.now_ms(), "shift_ms": state.shift_ms() })
}
