//! References, tokens and ids.

use crate::domain::ids::{OperationId, ProviderPaymentId};
use crate::domain::reference::{self, NotAReference};
use crate::domain::request::PaymentMethod;

use super::Faults;

/// What every field that must be there says when it is not.
pub(super) const REQUIRED: &str = "must be given";

const UUID_RULE: &str = "must be a UUID";
const PAYMENT_ID_RULE: &str = "must be 1 to 255 printable ASCII characters without spaces";

/// A type whose values keep the rule of references.
pub(super) trait Reference: TryFrom<String, Error = NotAReference> {}

impl<T: TryFrom<String, Error = NotAReference>> Reference for T {}

impl Faults {
    /// A reference that must be there.
    pub(super) fn reference<T: Reference>(
        &mut self,
        field: &'static str,
        text: String,
    ) -> Option<T> {
        if text.is_empty() {
            self.add(field, REQUIRED);
            return None;
        }
        self.optional_reference(field, text)
    }

    /// A reference that may be empty.
    pub(super) fn optional_reference<T: Reference>(
        &mut self,
        field: &'static str,
        text: String,
    ) -> Option<T> {
        if text.is_empty() || !self.free_of_cards(field, &text) {
            return None;
        }
        let read = T::try_from(text).ok();
        if read.is_none() {
            self.add(field, reference::RULE);
        }
        read
    }

    /// An operation's id that must be there.
    pub(super) fn operation_id(&mut self, field: &'static str, text: &str) -> Option<OperationId> {
        if text.is_empty() {
            self.add(field, REQUIRED);
            return None;
        }
        self.optional_operation_id(field, text)
    }

    /// An operation's id that may be empty. Only the hyphenated form: it is
    /// the one that answers carry.
    pub(super) fn optional_operation_id(
        &mut self,
        field: &'static str,
        text: &str,
    ) -> Option<OperationId> {
        if text.is_empty() || !self.free_of_cards(field, text) {
            return None;
        }
        let read: Option<OperationId> = text.parse().ok().filter(|_| text.len() == 36);
        if read.is_none() {
            self.add(field, UUID_RULE);
        }
        read
    }

    /// A provider's token for a means of payment that may be empty.
    pub(super) fn payment_method(&mut self, text: &str) -> Option<PaymentMethod> {
        if text.is_empty() || !self.free_of_cards("payment_method", text) {
            return None;
        }
        let read = PaymentMethod::parse(text);
        if read.is_none() {
            self.add("payment_method", PaymentMethod::RULE);
        }
        read
    }

    /// A provider's id of a payment that may be empty.
    pub(super) fn payment_id(&mut self, text: &str) -> Option<ProviderPaymentId> {
        if text.is_empty() || !self.free_of_cards("provider_payment_id", text) {
            return None;
        }
        let read = ProviderPaymentId::parse(text);
        if read.is_none() {
            self.add("provider_payment_id", PAYMENT_ID_RULE);
        }
        read
    }
}
