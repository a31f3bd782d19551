//! What a command does to the state: a pure reading that yields changes.

use super::answer::Refusal;
use super::clock::TimeScale;
use super::command::{Command, NewCapture, NewPayment, NewRefund};
use super::fault::Fault;
use super::method::Method;
use super::model::{
    Change, Decline, Due, ObjectId, Payment, PaymentStatus, Refund, RefundStatus, Void, new_id,
};
use super::state::State;

/// What a command did.
#[derive(Debug)]
pub(super) struct Effect {
    pub(super) changes: Vec<Change>,
    pub(super) object: ObjectId,
}

/// The circumstances in which a command is carried out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Execution<'a> {
    pub(super) state: &'a State,
    /// The key that objects show.
    pub(super) key: Option<&'a str>,
    pub(super) fault: Option<&'a Fault>,
    pub(super) scale: TimeScale,
}

impl Execution<'_> {
    pub(super) fn run(self, command: &Command) -> Result<Effect, Refusal> {
        match command {
            Command::Pay(asked) => Ok(self.pay(asked)),
            Command::Capture { payment, asked } => self.capture(self.find(payment)?, asked),
            Command::Void { payment } => self.void(self.find(payment)?),
            Command::Refund { payment, asked } => self.refund(self.find(payment)?, asked),
        }
    }

    fn find(self, id: &str) -> Result<Payment, Refusal> {
        let payment = self.state.payment(id).cloned();
        payment.ok_or_else(|| Refusal::not_found("payment"))
    }

    fn pay(self, asked: &NewPayment) -> Effect {
        let payment = self.new_payment(asked);
        let object = ObjectId::Payment(payment.id.clone());
        let mut changes = vec![Change::Payment(payment)];
        if self.fault == Some(&Fault::Duplicate) {
            changes.push(Change::Payment(self.new_payment(asked)));
        }
        Effect { changes, object }
    }

    fn new_payment(self, asked: &NewPayment) -> Payment {
        let now_ms = self.state.now_ms();
        let mut payment = Payment {
            id: new_id("pay"),
            status: PaymentStatus::Processing,
            previous_status: PaymentStatus::Processing,
            amount: self.amount(asked.amount),
            currency: asked.currency.clone(),
            capture: asked.capture,
            captures: Vec::new(),
            void: None,
            reference: asked.reference.clone(),
            idempotency_key: self.key.map(str::to_owned),
            metadata: asked.metadata.clone(),
            created_ms: now_ms,
            decline: None,
            due: None,
            visible_from_ms: self.visible_from_ms(now_ms),
        };
        let agreed = Payment::agreed_status(asked.capture);
        if let Some(Fault::Decline { code }) = self.fault {
            payment.decline = Some(decline(code));
            payment.move_to(PaymentStatus::Failed);
            return payment;
        }
        match asked.payment_method {
            Method::Processing => {
                payment.due = Some(Due {
                    at_ms: now_ms.saturating_add(self.scale.processing_ms()),
                    status: agreed,
                });
            }
            Method::CustomerAction => {
                payment.move_to(PaymentStatus::RequiresAction);
                payment.due = Some(Due {
                    at_ms: now_ms.saturating_add(self.scale.action_life_ms()),
                    status: PaymentStatus::Canceled,
                });
            }
            _ => payment.move_to(agreed),
        }
        payment
    }

    fn capture(self, mut payment: Payment, asked: &NewCapture) -> Result<Effect, Refusal> {
        if payment.status != PaymentStatus::RequiresCapture {
            return Err(Refusal::invalid(
                "payment_not_capturable",
                "only a payment with status requires_capture can be captured",
            ));
        }
        let amount = asked.amount.unwrap_or(payment.amount);
        if amount > payment.amount {
            return Err(too_large("the amount is more than was authorized"));
        }
        payment.take(self.amount(amount), self.key.map(str::to_owned));
        payment.move_to(PaymentStatus::Succeeded);
        Ok(changed(payment))
    }

    fn void(self, mut payment: Payment) -> Result<Effect, Refusal> {
        match payment.status {
            PaymentStatus::RequiresCapture
            | PaymentStatus::RequiresAction
            | PaymentStatus::Processing => {}
            PaymentStatus::Succeeded | PaymentStatus::Failed | PaymentStatus::Canceled => {
                return Err(Refusal::invalid(
                    "payment_not_voidable",
                    "a payment that succeeded, failed or was canceled cannot be voided",
                ));
            }
        }
        payment.void = Some(Void {
            id: new_id("vd"),
            idempotency_key: self.key.map(str::to_owned),
        });
        payment.move_to(PaymentStatus::Canceled);
        Ok(changed(payment))
    }

    fn refund(self, payment: Payment, asked: &NewRefund) -> Result<Effect, Refusal> {
        if payment.captured() == 0 {
            return Err(Refusal::invalid(
                "payment_not_captured",
                "only a captured payment can be refunded",
            ));
        }
        if asked.amount > self.state.refundable(&payment) {
            return Err(too_large("the amount is more than is left of the payment"));
        }
        let refund = self.new_refund(&payment, asked);
        let object = ObjectId::Refund(refund.id.clone());
        let mut changes = vec![Change::Refund(refund)];
        if self.fault == Some(&Fault::Duplicate) {
            changes.push(Change::Refund(self.new_refund(&payment, asked)));
        }
        Ok(Effect { changes, object })
    }

    fn new_refund(self, payment: &Payment, asked: &NewRefund) -> Refund {
        let status = match self.fault {
            Some(Fault::RefundPending) => RefundStatus::Pending,
            Some(Fault::RefundFail) => RefundStatus::Failed,
            _ => RefundStatus::Succeeded,
        };
        Refund {
            id: new_id("re"),
            payment: payment.id.clone(),
            status,
            previous_status: RefundStatus::Pending,
            amount: self.amount(asked.amount),
            currency: payment.currency.clone(),
            reference: asked.reference.clone(),
            idempotency_key: self.key.map(str::to_owned),
            metadata: asked.metadata.clone(),
            visible_from_ms: self.visible_from_ms(self.state.now_ms()),
        }
    }

    fn amount(self, asked: i64) -> i64 {
        match self.fault {
            Some(Fault::AmountDiffers { amount }) => *amount,
            _ => asked,
        }
    }

    fn visible_from_ms(self, now_ms: i64) -> i64 {
        let hide_ms = self.fault.map_or(0, Fault::hide_ms);
        now_ms.saturating_add_unsigned(hide_ms)
    }
}

fn changed(payment: Payment) -> Effect {
    Effect {
        object: ObjectId::Payment(payment.id.clone()),
        changes: vec![Change::Payment(payment)],
    }
}

fn too_large(message: &str) -> Refusal {
    Refusal::invalid("amount_too_large", message)
}

/// A decline as shown.
pub(super) fn decline(code: &str) -> Decline {
    let message = match code {
        "insufficient_funds" => "The card has insufficient funds.",
        _ => "The card was declined.",
    };
    Decline {
        code: code.to_owned(),
        message: message.to_owned(),
    }
}
