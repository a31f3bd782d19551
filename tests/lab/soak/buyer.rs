//! One caller, as an agent would be: it gives up waiting, asks again through
//! whatever replica it finds, and now and then wants its money back.

use std::sync::Arc;
use std::time::Duration;

use payonce::proto::v1::get_status_request::Target;
use payonce::proto::v1::{
    GetStatusRequest, Operation, OperationReference, OperationState, SubmitRequest,
};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};

use super::book::{Book, Told};
use super::purchase::{self, Purchase};
use crate::lab::harness::{Caller, Fleet, Judge, Refusal, Roster, charge, give_back, money};

/// How many replicas a call is tried at before it is given up.
const TRIES: usize = 8;

/// The pause between two of them.
const PAUSE: Duration = Duration::from_millis(150);

pub(crate) struct Buyer {
    number: usize,
    rng: fastrand::Rng,
    roster: Roster,
    bank: Arc<Judge>,
    book: Arc<Book>,
    orders: u64,
}

/// An answer, or nothing from any replica.
type Answer<T> = Option<Result<T, Refusal>>;

impl Buyer {
    pub(crate) fn new(number: usize, seed: u64, fleet: &Fleet, book: &Arc<Book>) -> Buyer {
        let own = seed ^ (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Buyer {
            number,
            rng: fastrand::Rng::with_seed(own),
            roster: fleet.roster(),
            bank: fleet.bank(),
            book: Arc::clone(book),
            orders: 0,
        }
    }

    /// Goes on until the shop closes.
    pub(crate) async fn shop(mut self, closed: CancellationToken) {
        while !closed.is_cancelled() {
            match self.rng.u8(0..100) {
                0..45 => self.buy_at_once().await,
                45..60 => self.create_then_submit().await,
                60..74 => self.repeat().await,
                74..84 => self.ask().await,
                84..94 => self.want_it_back().await,
                _ => self.pay_otherwise().await,
            }
            let pause = Duration::from_millis(self.rng.u64(0..60));
            tokio::time::sleep(pause).await;
        }
    }

    async fn buy_at_once(&mut self) {
        let purchase = self.purchase().await;
        self.create(purchase.request).await;
    }

    async fn create_then_submit(&mut self) {
        let mut request = self.purchase().await.request;
        request.submit = false;
        let Some(created) = self.create(request).await else {
            return;
        };
        let id = created.operation_id;
        let submitted = self
            .call("submit", |caller| {
                let request = SubmitRequest {
                    operation_id: id.clone(),
                    wait: None,
                };
                async move { caller.client().submit(request).await }
            })
            .await;
        if let Some(Ok(answer)) = submitted {
            self.hear(answer.operation);
        }
    }

    /// The same call again, as after a timeout, often with `submit` where the
    /// first had none.
    async fn repeat(&mut self) {
        if let Some(mut request) = self.book.sent_before(&mut self.rng) {
            request.submit |= self.rng.bool();
            self.create(request).await;
        }
    }

    async fn ask(&mut self) {
        let Some((id, told)) = self.book.any(&mut self.rng) else {
            return;
        };
        let by_reference = self.rng.bool();
        let target = if by_reference {
            Target::Reference(OperationReference {
                order_id: told.order,
                ..OperationReference::default()
            })
        } else {
            Target::OperationId(id.clone())
        };
        let answer = self
            .call("get_status", |caller| {
                let request = GetStatusRequest {
                    target: Some(target.clone()),
                    ..GetStatusRequest::default()
                };
                async move { caller.client().get_status(request).await }
            })
            .await;
        match answer {
            Some(Ok(answer)) => self.hear(answer.operation),
            Some(Err(refusal)) if refusal.code == Code::NotFound => {
                self.book.breaks(format!("{id} was told and is not found"));
            }
            Some(Err(_)) | None => {}
        }
    }

    /// All or part of it; at once, or once it is known whether it was paid.
    async fn want_it_back(&mut self) {
        let Some((id, told)) = self.book.any(&mut self.rng) else {
            return;
        };
        let label = format!("back-{}", self.rng.u8(0..2));
        let mut request = give_back(&id, &label);
        // A label is asked for with one amount only.
        request.amount = (label == "back-1").then(|| money(1000, "USD"));
        request.when_resolved = told.state != OperationState::Succeeded && self.rng.u8(0..3) == 0;
        let answer = self
            .call("compensate", |caller| {
                let request = request.clone();
                async move { caller.client().compensate(request).await }
            })
            .await;
        if let Some(Ok(answer)) = answer {
            self.hear(answer.operation);
            self.hear(answer.compensation);
        }
    }

    /// Another card after a decline.
    async fn pay_otherwise(&mut self) {
        for _ in 0..20 {
            let Some((id, told)) = self.book.any(&mut self.rng) else {
                return;
            };
            if is_declined(&told) {
                let mut request = charge(&told.order, "pm_ok");
                request.supersedes_operation_id = id;
                self.create(request).await;
                return;
            }
        }
    }

    async fn purchase(&mut self) -> Purchase {
        self.orders += 1;
        let order = format!("order-{}-{}", self.number, self.orders);
        let purchase = match self.orders {
            1 => purchase::certain(&order, true),
            2 => purchase::certain(&order, false),
            _ => purchase::draw(&mut self.rng, &order),
        };
        if let Some((times, fault)) = &purchase.fault {
            let bank = &self.bank;
            bank.fault(&order, "payment", *times, fault.clone()).await;
        }
        self.book.sends(&purchase.request);
        purchase
    }

    async fn create(
        &mut self,
        request: payonce::proto::v1::CreateOperationRequest,
    ) -> Option<Operation> {
        let answer = self
            .call("create", |caller| {
                let request = request.clone();
                async move { caller.client().create_operation(request).await }
            })
            .await;
        let operation = answer?.ok()?.operation?;
        self.book.hears(&operation);
        Some(operation)
    }

    fn hear(&self, operation: Option<Operation>) {
        if let Some(operation) = operation {
            self.book.hears(&operation);
        }
    }

    /// Tries one replica after the other. Some callers are impatient.
    async fn call<T, F>(&mut self, what: &str, call: impl Fn(Caller) -> F) -> Answer<T>
    where
        F: Future<Output = Result<tonic::Response<T>, Status>>,
    {
        let patience = if self.rng.u8(0..5) == 0 { 250 } else { 3000 };
        let first = self.rng.usize(0..16);
        for at in first..first + TRIES {
            let _in_flight = self.book.begin();
            let sent = call(self.roster.at(at));
            let answer = tokio::time::timeout(Duration::from_millis(patience), sent).await;
            match answer {
                Ok(Ok(answer)) => return Some(Ok(answer.into_inner())),
                Ok(Err(status)) => {
                    let refusal = Refusal::from(status);
                    if is_an_answer(&refusal) {
                        self.book.is_refused(what, &refusal);
                        return Some(Err(refusal));
                    }
                }
                Err(_) => {}
            }
            tokio::time::sleep(PAUSE).await;
        }
        self.book.hears_nothing();
        None
    }
}

fn is_declined(told: &Told) -> bool {
    matches!(
        told.state,
        OperationState::Declined | OperationState::Canceled
    )
}

/// Whether the service itself said no, and asking another replica would bring
/// the same.
fn is_an_answer(refusal: &Refusal) -> bool {
    !refusal.reason.is_empty()
        && !matches!(
            refusal.code,
            Code::Unavailable | Code::ResourceExhausted | Code::DeadlineExceeded
        )
}
