//! Why something that was asked is refused.
//!
//! Where several refusals apply, the one that stands first in [`Refusal`] is
//! given; the order is part of the contract and tested.

use super::ids::OperationId;
use super::state::State;

/// Why something that was asked is refused. Nothing was recorded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// No such operation for this tenant.
    #[error("no such operation")]
    NotFound,
    /// The same identity was used for another request.
    #[error("the operation exists with other terms; these fields differ: {}", fields.join(", "))]
    KeyReused {
        /// The operation that exists.
        operation_id: OperationId,
        /// The fields that differ, in alphabetical order.
        fields: Vec<String>,
    },
    /// A field breaks a rule that only the rows could show.
    #[error("{field} {rule}")]
    InvalidField {
        /// The field, by its name on the wire.
        field: &'static str,
        /// The rule.
        rule: String,
    },
    /// Another payment of the order, or another compensation, is unresolved.
    #[error("an operation in its way is not resolved yet")]
    Unresolved {
        /// Which.
        operation_id: OperationId,
    },
    /// Only the newest operation can be superseded, and only after it was
    /// declined or canceled.
    #[error("only the newest operation can be superseded, once it was declined or canceled")]
    NotSupersedable {
        /// Which was named.
        operation_id: OperationId,
    },
    /// There is no confirmed effect to give back.
    #[error("there is no confirmed effect to give back")]
    NotConfirmed {
        /// Which operation.
        operation_id: OperationId,
    },
    /// More is asked for than is left of what was captured.
    #[error("more is asked for than is left of what was captured")]
    ExceedsCaptured {
        /// Which operation.
        operation_id: OperationId,
    },
    /// The event has no place in this state. Never reaches a caller.
    #[error("nothing to do in state {0}")]
    NoPlace(State),
}
