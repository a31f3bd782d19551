//! What a test may not leave behind.

use std::collections::HashSet;

use payonce::proto::v1::{Operation, OperationState};

use super::judge::Payment;

/// The operations that are neither at rest nor under review.
pub(super) fn unfinished(operations: &[Operation]) -> Vec<String> {
    let left = operations
        .iter()
        .filter(|operation| is_unfinished(operation));
    left.map(|operation| format!("unfinished: {operation:?}"))
        .collect()
}

fn is_unfinished(operation: &Operation) -> bool {
    let under_way = match operation.state() {
        OperationState::Queued
        | OperationState::Submitting
        | OperationState::Unknown
        | OperationState::Pending
        | OperationState::RequiresAction
        | OperationState::Unspecified => true,
        OperationState::Created
        | OperationState::Authorized
        | OperationState::Succeeded
        | OperationState::Declined
        | OperationState::Canceled
        | OperationState::Voided => operation.compensate_when_resolved.is_some(),
    };
    under_way && operation.review.is_none()
}

/// Money that was taken and that no operation knows of. Each operation under
/// review may have one such payment: that is what the person looks for.
pub(super) fn unexplained(operations: &[Operation], payments: &[Payment]) -> Vec<String> {
    let known: HashSet<&str> = operations
        .iter()
        .flat_map(|operation| &operation.effects)
        .map(|effect| effect.provider_payment_id.as_str())
        .collect();
    let reviewed = operations.iter().filter(|it| it.review.is_some()).count();
    let captured = payments.iter().filter(|it| !it.captures.is_empty());
    let unknown = captured.filter(|payment| !known.contains(payment.id.as_str()));
    unknown
        .skip(reviewed)
        .map(|payment| format!("captured, and no operation knows: {payment:?}"))
        .collect()
}
