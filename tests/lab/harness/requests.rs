//! Requests as most tests send them.

use payonce::proto::v1::{
    CompensateRequest, CompensationReason, CreateOperationRequest, Money, OperationKind,
};

/// The largest amount that is accepted.
pub(crate) const MINOR_UNITS_MAX: i64 = 999_999_999_999_999;

/// An amount of money.
pub(crate) fn money(minor_units: i64, currency: &str) -> Money {
    Money {
        currency_code: currency.to_owned(),
        minor_units,
    }
}

/// A charge of 49.00 USD, handed over in the same call.
pub(crate) fn charge(order: &str, method: &str) -> CreateOperationRequest {
    CreateOperationRequest {
        order_id: order.to_owned(),
        kind: OperationKind::Charge.into(),
        amount: Some(money(4900, "USD")),
        payment_method: method.to_owned(),
        submit: true,
        ..CreateOperationRequest::default()
    }
}

/// Giving back all of an operation under this label.
pub(crate) fn give_back(operation_id: &str, label: &str) -> CompensateRequest {
    CompensateRequest {
        operation_id: operation_id.to_owned(),
        reason: CompensationReason::RequestedByCustomer.into(),
        label: label.to_owned(),
        ..CompensateRequest::default()
    }
}
