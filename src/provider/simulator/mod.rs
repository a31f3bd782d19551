//! The adapter for the simulated processor of `docs/simulator.md`.
//!
//! It offers CHARGE and REFUND. Where the processor keeps idempotency keys,
//! the merchant reference is the order id and our key goes along in
//! `metadata.payonce_key`; where it keeps none, the reference is the one field
//! that can be asked for, and holds our key.
//!
//! What counts as a refusal of the payment, and nothing else does:
//!
//! | step   | answer                                            | read as            |
//! |--------|---------------------------------------------------|--------------------|
//! | CREATE | 402 `card_error` without a payment object         | its code's category |
//! | REFUND | 400 `invalid_request` with code `amount_too_large` | `LIMIT_EXCEEDED`   |
//!
//! Both leave nothing at the processor: a declined card makes no payment that
//! can take money later, and a refund refused with 400 had no effect
//! (`docs/simulator.md`, "The API"). `decide` still lets them count only if no
//! other attempt can have got through.

mod answer;
mod body;
mod decline;
mod look_up;
mod profile;
mod request;
#[cfg(test)]
mod tests;

pub use profile::{SimulatorFacts, SimulatorProfile};

use std::time::Duration;

use async_trait::async_trait;
use tracing::{debug, error};

use self::answer::Reader;
use self::look_up::Question;
use super::{Adapter, AmbiguousCause, NotSentCause, Sent};
use crate::domain::attempt::{PreparedRequest, Step};
use crate::domain::decide::Hint;
use crate::domain::evidence::{Evidence, LookUp, Source};
use crate::domain::operation::Operation;
use crate::domain::profile::Rail;
use crate::domain::provider_key::ProviderKey;
use crate::domain::reference::ProviderAccount;
use crate::http::{Failure, Limits, Outbound};
use crate::telemetry::fields;

/// One account at a simulated processor.
#[derive(Debug)]
pub struct SimulatorAdapter {
    rail: Rail,
    reader: Reader,
    outbound: Outbound,
}

impl SimulatorAdapter {
    /// The account `account` at the base address `endpoint` (`http` or `https`,
    /// with or without a slash at its end).
    pub fn new(
        account: ProviderAccount,
        endpoint: String,
        facts: SimulatorFacts,
        outbound: Outbound,
    ) -> Self {
        let key_field = facts.profile.key_field();
        Self {
            reader: Reader {
                account: account.clone(),
                key_field,
            },
            rail: Rail {
                account,
                endpoint,
                build: request::builder(key_field),
                profile: facts.declare(),
            },
            outbound,
        }
    }

    /// What may not leave, whatever row it comes from.
    fn refuse(
        &self,
        step: Step,
        request: &PreparedRequest,
        key: &ProviderKey,
    ) -> Option<NotSentCause> {
        if key.as_str().is_empty() {
            return Some(NotSentCause::NoKey);
        }
        let offered = match step {
            Step::Create | Step::Refund => request::can_go_out(request),
            Step::Capture | Step::Void | Step::Cancel => false,
        };
        (!offered).then_some(NotSentCause::NotOffered)
    }
}

#[async_trait]
impl Adapter for SimulatorAdapter {
    fn rail(&self) -> &Rail {
        &self.rail
    }

    async fn send(
        &self,
        step: Step,
        request: &PreparedRequest,
        key: &ProviderKey,
        may_write: &(dyn Fn() -> bool + Sync),
        deadline: Duration,
    ) -> Sent {
        if let Some(cause) = self.refuse(step, request, key) {
            let (account, step) = (&self.rail.account, step.name());
            error!({ fields::PROVIDER } = %account, step, %cause, "a request was refused before sending");
            return Sent::NotSent(cause);
        }
        let outgoing = request::post(request, key);
        if !may_write() {
            return Sent::NotSent(NotSentCause::TooLate);
        }
        match self.outbound.send(outgoing, Limits::within(deadline)).await {
            Ok(answer) => self.reader.classify(step, key, &answer),
            Err(Failure::NotSent(cause)) => Sent::NotSent(cause.into()),
            Err(Failure::Ambiguous(cause)) => {
                Sent::Ambiguous(Hint::default(), AmbiguousCause::Transport(cause))
            }
        }
    }

    async fn look_up(&self, operation: &Operation, deadline: Duration) -> LookUp {
        if self.rail.profile.look_up.is_none() {
            return LookUp::NoVerdict;
        }
        let question = Question {
            outbound: &self.outbound,
            rail: &self.rail,
            reader: &self.reader,
            limits: Limits::within(deadline),
        };
        let asked = tokio::time::timeout(deadline, question.ask(operation)).await;
        match asked.unwrap_or(Err(look_up::NoVerdict::Late)) {
            Ok(sightings) if sightings.is_empty() => LookUp::NotFound,
            Ok(sightings) => LookUp::Found(Evidence {
                source: Source::LookUp,
                account: self.rail.account.clone(),
                sightings,
                refused: None,
            }),
            Err(cause) => {
                let account = &self.rail.account;
                debug!({ fields::PROVIDER } = %account, { fields::OPERATION_ID } = %operation.id, %cause, "a look-up without a verdict");
                LookUp::NoVerdict
            }
        }
    }
}
