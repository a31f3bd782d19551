//! Rules that are broken on purpose, to see that the model finds what they
//! do. They rewrite a decision or a step from outside; wrong beliefs about a
//! provider need none of this, only another profile.

use payonce::domain::attempt;
use payonce::domain::decide::{Decision, Event, Opening, Subject};
use payonce::domain::evidence::{Decline, DeclineCategory, LookUp};
use payonce::domain::fact::{Fact, Verdict};
use payonce::domain::operation::Operation;
use payonce::domain::profile::Policy;
use payonce::domain::schedule::{self, Step};
use payonce::domain::state::State;
use payonce::domain::time::Instant;

/// What is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wrong {
    /// Nothing: the rules as they are shipped.
    Nothing,
    /// "Not found" after a send is taken for a decline at once.
    DeclinesOnNotFound,
    /// After "not found" the payment is sent again, under a new key.
    NewKeyOnResend,
    /// After "not found" the key is canceled at the provider, which remembers
    /// nothing of that, and the payment is sent under a new key.
    CancelsWithoutTombstone,
    /// The same at a provider that remembers canceled keys. Not wrong, and
    /// not shipped either: no provider that is known documents it.
    CancelsWithTombstone,
    /// Writes that are void without their lease go through.
    WithoutFence,
    /// Commits go through whatever became of the rows they rest on.
    WithoutVersions,
    /// The request leaves before its attempt is durable.
    SendsBeforeCommit,
}

impl Wrong {
    /// Which key an attempt goes out with: 0 is the operation's own.
    pub(crate) fn key_of_attempt(self, number: i32) -> u8 {
        match self.sends_new_key() {
            true => u8::try_from(number - 1).expect("attempts count from 1"),
            false => 0,
        }
    }

    pub(crate) fn minds_versions(self) -> bool {
        self != Self::WithoutVersions
    }

    pub(crate) fn minds_fences(self) -> bool {
        self != Self::WithoutFence
    }

    /// Asks the provider to cancel the key before another one is used.
    pub(crate) fn cancels_first(self) -> bool {
        matches!(
            self,
            Self::CancelsWithoutTombstone | Self::CancelsWithTombstone
        )
    }

    fn sends_new_key(self) -> bool {
        self == Self::NewKeyOnResend || self.cancels_first()
    }

    /// The step for a claimed operation; `None`: send again under a new key.
    pub(crate) fn plan(self, operation: &Operation, policy: &Policy, now: Instant) -> Option<Step> {
        let progress = &operation.progress;
        let hasty = self.sends_new_key()
            && operation.state == State::Unknown
            && progress.open.is_none()
            && progress.last_not_found_at.is_some()
            && progress.attempts < 2;
        (!hasty).then(|| schedule::plan(operation, policy, None, now))
    }

    /// What this rule makes of an event instead of `decide`, if anything.
    pub(crate) fn decide(self, subject: &Subject, event: &Event) -> Option<Decision> {
        let unknown = subject.own.operation.state == State::Unknown;
        let nothing_found = matches!(event, Event::LookedUp(LookUp::NotFound));
        (self == Self::DeclinesOnNotFound && unknown && nothing_found).then(|| Decision {
            own: vec![
                Fact::LookedUp {
                    verdict: Verdict::NotFound,
                },
                Fact::DeclineExplained {
                    decline: Decline {
                        category: DeclineCategory::Other,
                        provider_code: None,
                    },
                },
                Fact::Moved {
                    to: State::Declined,
                },
            ],
            ..Decision::nothing()
        })
    }
}

/// Opens an attempt whether `decide` would or not.
pub(crate) fn open_hastily(operation: &Operation, opening: Opening, lapses: Instant) -> Decision {
    Decision {
        own: vec![
            Fact::AttemptOpened {
                attempt: opening.attempt,
                number: operation.progress.attempts + 1,
                step: attempt::Step::Create,
                not_after: opening.not_after,
                resend: true,
            },
            Fact::CheckScheduled { at: Some(lapses) },
        ],
        ..Decision::nothing()
    }
}
