//! What a decision did, in few words.

use crate::domain::decide::testing::Scene;
use crate::domain::decide::{Decision, Event};
use crate::domain::effect::Role;
use crate::domain::fact::Fact;
use crate::domain::refusal::Refusal;

/// Hands the event over and says what came of it.
pub(super) fn cell(scene: &mut Scene, event: &Event) -> String {
    let before = scene.state();
    match scene.hand(event) {
        Err(refusal) => refused(&refusal).to_owned(),
        Ok(decision) if decision.is_nothing() => "–".to_owned(),
        Ok(decision) => {
            let after = scene.state();
            let stands = if before == after {
                "stays".to_owned()
            } else {
                format!("**{after}**")
            };
            let words = std::iter::once(stands).chain(beside(&decision));
            words.collect::<Vec<_>>().join(", ")
        }
    }
}

fn refused(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::NoPlace(_) => "✗",
        Refusal::NotFound => "✗ not found",
        Refusal::KeyReused { .. } => "✗ other terms",
        Refusal::InvalidField { .. } => "✗ invalid field",
        Refusal::Unresolved { .. } => "✗ unresolved",
        Refusal::NotSupersedable { .. } => "✗ not supersedable",
        Refusal::NotConfirmed { .. } => "✗ not confirmed",
        Refusal::ExceedsCaptured { .. } => "✗ exceeds captured",
    }
}

/// What else became so, beside the state.
fn beside(decision: &Decision) -> Vec<String> {
    let own = decision.own.iter().filter_map(own_word);
    let parent = decision.parent.iter().filter_map(parent_word);
    let child = decision.child.iter().map(|_| "refund made".to_owned());
    own.chain(parent.map(str::to_owned)).chain(child).collect()
}

fn own_word(fact: &Fact) -> Option<String> {
    match fact {
        Fact::AttemptOpened { resend: true, .. } => Some("sent again".to_owned()),
        Fact::AttemptOpened { .. } => Some("sent".to_owned()),
        Fact::EffectRecorded { effect } => match effect.role {
            Role::Primary => None,
            Role::Duplicate => Some("duplicate effect".to_owned()),
            Role::Late => Some("late effect".to_owned()),
        },
        Fact::ReviewOpened { reason, .. } => Some(format!("case {}", reason.name())),
        Fact::InstructionAccepted { .. } => Some("instruction kept".to_owned()),
        Fact::SupersededBy { .. } => Some("superseded".to_owned()),
        Fact::Reversed => Some("reversed".to_owned()),
        Fact::Created { .. }
        | Fact::Submitted
        | Fact::AttemptClosed { .. }
        | Fact::Moved { .. }
        | Fact::LookedUp { .. }
        | Fact::RecoveryEntered { .. }
        | Fact::EvidenceSeen { .. }
        | Fact::SignSeen
        | Fact::ResendsEnded
        | Fact::RetryNotBefore { .. }
        | Fact::ProviderPaymentNamed { .. }
        | Fact::EffectReturned { .. }
        | Fact::RefundReserved { .. }
        | Fact::RefundReleased { .. }
        | Fact::RefundConfirmed { .. }
        | Fact::RefundReversed { .. }
        | Fact::DeclineExplained { .. }
        | Fact::CustomerActionAsked { .. }
        | Fact::ReviewClosed { .. }
        | Fact::InstructionEnded
        | Fact::FulfilmentForbidden
        | Fact::CheckScheduled { .. } => None,
    }
}

fn parent_word(fact: &Fact) -> Option<&'static str> {
    match fact {
        Fact::RefundReleased { .. } => Some("amount released"),
        Fact::RefundConfirmed { .. } => Some("amount given back"),
        Fact::RefundReversed { .. } => Some("amount free again"),
        _ => None,
    }
}
