//! The provider: the only judge of what happened.

use payonce::domain::evidence::{
    Decline, DeclineCategory, Evidence, LookUp, Shown, Sighting, Source,
};
use payonce::domain::ids::ProviderPaymentId;
use payonce::domain::kind::Kind;
use payonce::domain::money::Money;
use payonce::domain::reference::ProviderAccount;

use super::setting::Truth;
use super::world::{AttemptRow, World};

/// Its ledger, and what is on its way.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Provider {
    /// Payments and refunds, in the order in which they were made.
    pub(crate) entries: Vec<LedgerEntry>,
    /// Requests that were written and are not done with.
    pub(crate) copies: Vec<Copy>,
    /// Every request that was ever written to it.
    pub(crate) seen: Vec<AttemptRow>,
    /// Keys that it takes no request for any more.
    pub(crate) tombstones: Vec<(usize, u8)>,
}

/// A payment or a refund.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LedgerEntry {
    /// Whose it is, for the judge.
    pub(crate) row: usize,
    /// Under which key.
    pub(crate) key: u8,
    /// When it was made.
    pub(crate) at: u8,
    /// Whether it moved money; else it failed for good.
    pub(crate) done: bool,
    pub(crate) amount: i64,
    /// Of a refund, the payment.
    pub(crate) gives_back: Option<usize>,
}

/// A request on its way.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Copy {
    pub(crate) attempt: AttemptRow,
    pub(crate) written_at: u8,
    /// Executed, and this answer is on its way back.
    pub(crate) answer: Option<Answer>,
}

/// What it answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Answer {
    /// This entry.
    Entry(Glimpse),
    /// The request is refused; nothing was made.
    Refused,
}

/// An entry as it was seen at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Glimpse {
    pub(crate) entry: usize,
    /// What had been given back of it by then.
    pub(crate) given_back: i64,
}

/// What it makes of a request that has no entry yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Do,
    Decline,
    Refuse,
}

impl Provider {
    /// The entry that a key leads to at that tick, if the key still protects.
    fn replayed(&self, attempt: AttemptRow, now: u8, truth: &Truth) -> Option<usize> {
        let same = |entry: &LedgerEntry| (entry.row, entry.key) == (attempt.row, attempt.key);
        let last = self.entries.iter().rposition(same)?;
        let life = truth.key_life?;
        (now < self.entries[last].at.saturating_add(life)).then_some(last)
    }

    /// Whether the next effect of that request is the provider's to choose.
    pub(crate) fn is_free(&self, attempt: AttemptRow, now: u8, truth: &Truth) -> bool {
        !self.tombstones.contains(&(attempt.row, attempt.key))
            && self.replayed(attempt, now, truth).is_none()
    }

    /// A request takes effect.
    pub(crate) fn execute(
        &mut self,
        copy: usize,
        verdict: Verdict,
        money: (i64, Option<usize>),
        now: u8,
        truth: &Truth,
    ) {
        let attempt = self.copies[copy].attempt;
        let answer = if self.tombstones.contains(&(attempt.row, attempt.key)) {
            Answer::Refused
        } else if let Some(entry) = self.replayed(attempt, now, truth) {
            Answer::Entry(self.glimpse(entry))
        } else if verdict == Verdict::Refuse {
            Answer::Refused
        } else {
            self.entries.push(LedgerEntry {
                row: attempt.row,
                key: attempt.key,
                at: now,
                done: verdict == Verdict::Do,
                amount: money.0,
                gives_back: money.1,
            });
            Answer::Entry(self.glimpse(self.entries.len() - 1))
        };
        self.copies[copy].answer = Some(answer);
    }

    pub(crate) fn glimpse(&self, entry: usize) -> Glimpse {
        Glimpse {
            entry,
            given_back: self.given_back(entry),
        }
    }

    /// What was given back of a payment.
    pub(crate) fn given_back(&self, entry: usize) -> i64 {
        let of_it = |it: &&LedgerEntry| it.done && it.gives_back == Some(entry);
        self.entries.iter().filter(of_it).map(|it| it.amount).sum()
    }

    /// Time passes: what had to take effect by now, and did not, never will.
    pub(crate) fn forget_lost(&mut self, now: u8, truth: &Truth) {
        if let Some(bound) = truth.in_flight {
            self.copies
                .retain(|copy| copy.answer.is_some() || now <= copy.written_at + bound);
        }
    }

    /// Of an entry that every look-up shows, and whose key protects nothing
    /// any more, it does not matter how old it is.
    pub(crate) fn forget_ages(&mut self, now: u8, truth: &Truth) {
        let past = truth.lag.max(truth.key_life.unwrap_or(0));
        for entry in &mut self.entries {
            if now >= entry.at + past {
                entry.at = 0;
            }
        }
    }

    pub(crate) fn on_their_way(&self) -> usize {
        let travelling = |copy: &&Copy| copy.answer.is_none();
        self.copies.iter().filter(travelling).count()
    }
}

impl World {
    /// What a look-up about a row shows: all that became visible, and, with
    /// `fresh`, what may take longer. A payment is looked up by its order, so
    /// that every generation is shown; a refund by itself.
    pub(crate) fn shown(&self, row: usize, fresh: bool, truth: &Truth) -> Vec<Glimpse> {
        let payment = self.rows[row].kind().is_payment();
        let entries = self.provider.entries.iter().enumerate();
        entries
            .filter(|(_, it)| {
                let asked_for = if payment {
                    it.gives_back.is_none()
                } else {
                    it.row == row
                };
                asked_for && (fresh || self.now >= it.at + truth.lag)
            })
            .map(|(place, _)| self.provider.glimpse(place))
            .collect()
    }

    /// What a look-up brought.
    pub(crate) fn look_up(&self, glimpses: &[Glimpse]) -> LookUp {
        match glimpses {
            [] => LookUp::NotFound,
            glimpses => LookUp::Found(self.evidence(Source::LookUp, glimpses)),
        }
    }

    pub(crate) fn evidence(&self, source: Source, glimpses: &[Glimpse]) -> Evidence {
        Evidence {
            source,
            account: self.account().clone(),
            sightings: glimpses.iter().map(|it| self.sighting(*it)).collect(),
            refused: None,
        }
    }

    pub(crate) fn refusal(&self) -> Evidence {
        Evidence {
            refused: Some(refused()),
            ..self.evidence(Source::Response, &[])
        }
    }

    fn account(&self) -> &ProviderAccount {
        &self.rows[0].record.operation.intent.provider
    }

    fn sighting(&self, glimpse: Glimpse) -> Sighting {
        let entry = &self.provider.entries[glimpse.entry];
        let intent = &self.rows[entry.row].record.operation.intent;
        Sighting {
            id: entry_id(glimpse.entry),
            key: Some(intent.provider_key.clone()),
            account: None,
            shown: if entry.done {
                Shown::Done
            } else {
                Shown::Failed(refused())
            },
            amount: Some(Money::new(intent.amount.currency, entry.amount)),
            given_back: glimpse.given_back,
            made_at: None,
        }
    }

    /// Amount and target of a row's request.
    pub(crate) fn money_of(&self, row: usize) -> (i64, Option<usize>) {
        let intent = &self.rows[row].record.operation.intent;
        let target = intent
            .target
            .as_ref()
            .filter(|_| intent.kind == Kind::Refund);
        let places = 0..self.provider.entries.len();
        let entry =
            target.and_then(|target| places.into_iter().find(|it| entry_id(*it) == *target));
        (intent.amount.minor_units, entry)
    }
}

fn entry_id(place: usize) -> ProviderPaymentId {
    ProviderPaymentId::parse(&format!("entry_{place}")).expect("printable")
}

fn refused() -> Decline {
    Decline {
        category: DeclineCategory::CardDeclined,
        provider_code: None,
    }
}
