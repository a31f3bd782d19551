//! Values of the contract as people read them: without the prefix of their
//! enum, and a value that this version does not know as its number.

use crate::proto::v1::{
    DeclineCategory, ErrorEffect, Fulfilment, OperationKind, OperationState, Outcome, ReviewReason,
    SafeNextAction,
};

macro_rules! words {
    ($($name:ident: $enum:ty = $prefix:literal;)*) => {
        $(
            pub(super) fn $name(value: i32) -> String {
                match <$enum>::try_from(value) {
                    Ok(known) => short(known.as_str_name(), $prefix),
                    Err(_) => value.to_string(),
                }
            }
        )*
    };
}

words! {
    action: SafeNextAction = "SAFE_NEXT_ACTION_";
    decline: DeclineCategory = "DECLINE_CATEGORY_";
    fulfilment: Fulfilment = "FULFILMENT_";
    kind: OperationKind = "OPERATION_KIND_";
    outcome: Outcome = "OUTCOME_";
    review: ReviewReason = "REVIEW_REASON_";
    state: OperationState = "OPERATION_STATE_";
}

pub(super) fn effect(effect: ErrorEffect) -> String {
    short(effect.as_str_name(), "ERROR_EFFECT_")
}

fn short(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_owned()
}

/// The state of that name, in any case, with or without its prefix.
pub(super) fn parse_state(text: &str) -> Result<OperationState, String> {
    let name = text.to_ascii_uppercase();
    let full = format!("OPERATION_STATE_{name}");
    OperationState::from_str_name(&full)
        .or_else(|| OperationState::from_str_name(&name))
        .filter(|state| *state != OperationState::Unspecified)
        .ok_or_else(|| {
            "must be CREATED, QUEUED, SUBMITTING, UNKNOWN, PENDING, REQUIRES_ACTION, AUTHORIZED, \
             SUCCEEDED, DECLINED, CANCELED or VOIDED"
                .to_owned()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_loses_its_prefix_and_an_unknown_value_is_its_number() {
        assert_eq!(action(SafeNextAction::FulfilOnce.into()), "FULFIL_ONCE");
        assert_eq!(decline(DeclineCategory::Other.into()), "OTHER");
        assert_eq!(fulfilment(Fulfilment::Hold.into()), "HOLD");
        assert_eq!(kind(OperationKind::Charge.into()), "CHARGE");
        assert_eq!(outcome(Outcome::Pending.into()), "PENDING");
        assert_eq!(review(ReviewReason::Contradiction.into()), "CONTRADICTION");
        assert_eq!(state(OperationState::Unknown.into()), "UNKNOWN");
        assert_eq!(effect(ErrorEffect::None), "NONE");
        assert_eq!(state(99), "99");
    }

    #[test]
    fn states_are_read_in_any_case() {
        assert_eq!(parse_state("unknown"), Ok(OperationState::Unknown));
        assert_eq!(
            parse_state("OPERATION_STATE_QUEUED"),
            Ok(OperationState::Queued)
        );
        assert!(parse_state("unspecified").is_err());
        assert!(parse_state("lost").is_err());
    }
}
