//! Values of closed lists. A number that no list names is refused: what it
//! would mean is not known.

use crate::domain::kind::Kind;
use crate::domain::request::CompensationReason;
use crate::domain::state::State;
use crate::proto::v1;

use super::Faults;
use super::field::REQUIRED;

impl Faults {
    /// `kind` of a new operation.
    pub(super) fn kind(&mut self, number: i32) -> Option<Kind> {
        use v1::OperationKind::{Authorize, Capture, Charge, Refund, Unspecified, Void};
        match v1::OperationKind::try_from(number) {
            Ok(Charge) => Some(Kind::Charge),
            Ok(Authorize) => Some(Kind::Authorize),
            Ok(Capture) => Some(Kind::Capture),
            Ok(Refund | Void) => {
                self.add("kind", "REFUND and VOID come only from Compensate");
                None
            }
            Ok(Unspecified) => {
                self.add("kind", REQUIRED);
                None
            }
            Err(_) => {
                self.add("kind", "must be CHARGE, AUTHORIZE or CAPTURE");
                None
            }
        }
    }

    /// `reason` of a compensation.
    pub(super) fn reason(&mut self, number: i32) -> Option<CompensationReason> {
        use v1::CompensationReason as Wire;
        match Wire::try_from(number) {
            Ok(Wire::RequestedByCustomer) => Some(CompensationReason::RequestedByCustomer),
            Ok(Wire::Duplicate) => Some(CompensationReason::Duplicate),
            Ok(Wire::Fraudulent) => Some(CompensationReason::Fraudulent),
            Ok(Wire::OrderCanceled) => Some(CompensationReason::OrderCanceled),
            Ok(Wire::ServiceNotDelivered) => Some(CompensationReason::ServiceNotDelivered),
            Ok(Wire::Other) => Some(CompensationReason::Other),
            Ok(Wire::Unspecified) => {
                self.add("reason", REQUIRED);
                None
            }
            Err(_) => {
                self.add("reason", "must be a CompensationReason of the contract");
                None
            }
        }
    }

    /// `states` of a list's filter, each once, in the order of the lifecycle.
    pub(super) fn states(&mut self, numbers: &[i32]) -> Vec<State> {
        let mut states: Vec<State> = numbers
            .iter()
            .filter_map(|number| self.state(*number))
            .collect();
        states.sort_unstable();
        states.dedup();
        states
    }

    fn state(&mut self, number: i32) -> Option<State> {
        use v1::OperationState as Wire;
        match Wire::try_from(number) {
            Ok(Wire::Created) => Some(State::Created),
            Ok(Wire::Queued) => Some(State::Queued),
            Ok(Wire::Submitting) => Some(State::Submitting),
            Ok(Wire::Unknown) => Some(State::Unknown),
            Ok(Wire::Pending) => Some(State::Pending),
            Ok(Wire::RequiresAction) => Some(State::RequiresAction),
            Ok(Wire::Authorized) => Some(State::Authorized),
            Ok(Wire::Succeeded) => Some(State::Succeeded),
            Ok(Wire::Declined) => Some(State::Declined),
            Ok(Wire::Canceled) => Some(State::Canceled),
            Ok(Wire::Voided) => Some(State::Voided),
            Ok(Wire::Unspecified) | Err(_) => {
                self.add("states", "must be OperationStates of the contract");
                None
            }
        }
    }
}
