//! Exit codes: how a command ended.

use std::process::ExitCode;

use crate::client::{ClientError, Code};
use crate::proto::v1::{Fulfilment, Operation, Outcome, SafeNextAction};

/// How a command ended. The numbers are part of the command line's contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// What was asked for is done, or what is shown needs nothing more.
    Done = 0,
    /// Something inside payonce went wrong.
    Internal = 1,
    /// The command line or the configuration is wrong; nothing was sent.
    Usage = 2,
    /// Not known yet, or waiting for the customer or a person.
    Pending = 3,
    /// The payment was definitively declined.
    Declined = 4,
    /// The server, or a rule checked at the start, refused it.
    Refused = 5,
    /// The server or the database could not be reached in time.
    Unavailable = 6,
}

impl Exit {
    /// By what the answer says about an operation that was asked for or
    /// handed over.
    pub(super) fn of_operation(operation: &Operation) -> Self {
        if waits_for_a_person(operation) {
            return Self::Pending;
        }
        match operation.outcome() {
            Outcome::Declined => Self::Declined,
            Outcome::Unspecified
            | Outcome::Pending
            | Outcome::RequiresCustomerAction
            | Outcome::RefundPending => Self::Pending,
            Outcome::NotSubmitted
            | Outcome::Authorized
            | Outcome::Succeeded
            | Outcome::Canceled
            | Outcome::PartiallyRefunded
            | Outcome::Refunded => Self::Done,
        }
    }

    /// For `pay`: done only if the order may be fulfilled, so that a script
    /// which delivers on 0 never delivers what was given back.
    pub(super) fn of_payment(operation: &Operation) -> Self {
        let exit = Self::of_operation(operation);
        match (exit, operation.fulfilment()) {
            (Self::Done, Fulfilment::Allowed) => Self::Done,
            (Self::Done, _) => Self::Refused,
            _ => exit,
        }
    }

    /// By the code of a call that failed.
    pub(super) fn of_error(error: &ClientError) -> Self {
        match error.code {
            Code::InvalidArgument
            | Code::NotFound
            | Code::AlreadyExists
            | Code::PermissionDenied
            | Code::Unauthenticated
            | Code::FailedPrecondition
            | Code::OutOfRange => Self::Refused,
            Code::Unavailable
            | Code::DeadlineExceeded
            | Code::Cancelled
            | Code::ResourceExhausted
            | Code::Aborted => Self::Unavailable,
            Code::Ok | Code::Unknown | Code::Unimplemented | Code::Internal | Code::DataLoss => {
                Self::Internal
            }
        }
    }
}

fn waits_for_a_person(operation: &Operation) -> bool {
    operation.safe_next_action() == SafeNextAction::WaitForPerson
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
