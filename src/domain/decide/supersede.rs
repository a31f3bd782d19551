//! Replacing a declined or canceled operation by a corrected one.

use super::draft::Draft;
use crate::domain::fact::Fact;
use crate::domain::ids::OperationId;
use crate::domain::refusal::Refusal;
use crate::domain::state::State;

/// Each operation is superseded once, only after it was declined or canceled,
/// and not while money of it stands somewhere or a person must look (P9).
pub(super) fn supersede(draft: &mut Draft<'_>, by: OperationId) -> Result<(), Refusal> {
    let operation_id = draft.operation().id;
    // A refused refund is asked for again under a new label; a payment in its
    // place would be a second generation beside a paid one.
    let is_compensation = draft.operation().intent.kind.is_compensation();
    match draft.state() {
        State::Declined | State::Canceled => {
            if draft.record().blocks_its_order() {
                return Err(Refusal::Unresolved { operation_id });
            }
            if draft.operation().superseded_by.is_some() || is_compensation {
                return Err(Refusal::NotSupersedable { operation_id });
            }
            draft.put(Fact::SupersededBy { by });
            Ok(())
        }
        State::Queued
        | State::Submitting
        | State::Unknown
        | State::Pending
        | State::RequiresAction => Err(Refusal::Unresolved { operation_id }),
        State::Created | State::Authorized | State::Succeeded | State::Voided => {
            Err(Refusal::NotSupersedable { operation_id })
        }
    }
}
