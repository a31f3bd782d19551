//! The trials.

use std::time::Duration;

use super::{Bench, Breach, Trouble, sample};
use crate::domain::attempt::Step;
use crate::domain::decide::Hint;
use crate::domain::evidence::{Evidence, LookUp, Shown, Sighting};
use crate::domain::kind::Kind;
use crate::domain::money::{Currency, Money};
use crate::domain::operation::Operation;
use crate::domain::provider_key::ProviderKey;
use crate::domain::reference::{Label, OrderId};
use crate::provider::{Adapter, Sent};

/// Longest duration of one call of a trial.
const DEADLINE: Duration = Duration::from_secs(5);

/// Pause between look-ups that wait for an effect to show.
const PAUSE: Duration = Duration::from_millis(50);

/// More payments than any provider shows on one page.
const CROWD: usize = 105;

pub(super) struct Suite<'a> {
    pub(super) adapter: &'a dyn Adapter,
    pub(super) bench: &'a dyn Bench,
    pub(super) run: &'a str,
}

/// A trial holds, or says what was seen instead.
type Trial = Result<(), String>;

fn hold(holds: bool, saw: impl FnOnce() -> String) -> Trial {
    if holds { Ok(()) } else { Err(saw()) }
}

impl Suite<'_> {
    pub(super) async fn all(&self) -> Vec<Breach> {
        let mut ended = vec![
            ("plain".to_owned(), self.plain().await),
            ("too late".to_owned(), self.too_late().await),
            ("no key".to_owned(), self.no_key().await),
            ("pages".to_owned(), self.pages().await),
        ];
        for trouble in Trouble::ALL {
            let trial = self.charge_in(trouble).await;
            ended.push((format!("charge, {trouble:?}"), trial));
            let trial = self.refund_in(trouble).await;
            ended.push((format!("refund, {trouble:?}"), trial));
        }
        let breach = |(trial, end): (String, Trial)| end.err().map(|saw| Breach { trial, saw });
        ended.into_iter().filter_map(breach).collect()
    }

    /// Without trouble: the answer shows our payment, and so does a look-up.
    async fn plain(&self) -> Trial {
        let charge = self.charge("plain");
        let sent = self.send(&charge).await;
        hold(is_done(&charge, &sent), || format!("{sent:?}"))?;
        self.arrived(&charge, 1).await?;
        self.found(&charge).await
    }

    async fn too_late(&self) -> Trial {
        let charge = self.charge("late");
        let sent = self
            .send_if(&charge, &charge.intent.provider_key, false)
            .await;
        hold(matches!(sent, Sent::NotSent(_)), || format!("{sent:?}"))?;
        self.arrived(&charge, 0).await
    }

    async fn no_key(&self) -> Trial {
        let charge = self.charge("keyless");
        let none = ProviderKey::stored(String::new());
        let sent = self.send_if(&charge, &none, true).await;
        hold(matches!(sent, Sent::NotSent(_)), || format!("{sent:?}"))?;
        let effects = self.bench.effects(&charge).await;
        hold(effects == 0, || format!("{effects} effects"))
    }

    /// The payment is the last of a long list.
    async fn pages(&self) -> Trial {
        if self.adapter.rail().profile.look_up.is_none() {
            return Ok(());
        }
        let charge = self.charge("crowd");
        self.bench.crowd(&charge, CROWD).await;
        self.send(&charge).await;
        let found = self.adapter.look_up(&charge, DEADLINE).await;
        let LookUp::Found(evidence) = &found else {
            return Err(format!("{found:?}"));
        };
        let count = evidence.sightings.len();
        hold(count == CROWD + 1, || format!("{count} payments listed"))?;
        hold(shows_done(&charge, evidence), || {
            "not ours among them".to_owned()
        })
    }

    async fn charge_in(&self, trouble: Trouble) -> Trial {
        self.through(trouble, &self.charge(&format!("{trouble:?}")))
            .await
    }

    async fn refund_in(&self, trouble: Trouble) -> Trial {
        let charge = self.charge(&format!("refunded-{trouble:?}"));
        let sent = self.send(&charge).await;
        let Sent::Answered(Evidence { sightings, .. }) = &sent else {
            return Err(format!("the charge: {sent:?}"));
        };
        let payment = sightings.first().map(|sighting| &sighting.id);
        let payment = payment.ok_or("the charge: nothing shown")?;
        let label = Label::parse("first").expect("a reference");
        let refund = sample::refund_of(&charge, payment, &label, usd(1200));
        self.through(trouble, &refund).await
    }

    /// The call is ambiguous, is on the wire once, is found by our reference if
    /// it had its effect, and can be repeated where the profile says so.
    async fn through(&self, trouble: Trouble, operation: &Operation) -> Trial {
        self.bench.order(trouble).await;
        let sent = self.send(operation).await;
        let Sent::Ambiguous(hint, _) = &sent else {
            return Err(format!("{sent:?} is not ambiguous"));
        };
        hold(fits(*hint, trouble), || format!("{hint:?}"))?;
        self.arrived(operation, 1).await?;
        let effects = self.bench.effects(operation).await;
        hold(effects == usize::from(trouble.has_effect()), || {
            format!("{effects} effects")
        })?;
        if trouble.has_effect() {
            self.found(operation).await?;
        } else {
            self.not_found(operation).await?;
        }
        if self.adapter.rail().profile.key_life.is_some() {
            self.again(trouble, operation).await?;
        }
        Ok(())
    }

    async fn again(&self, trouble: Trouble, operation: &Operation) -> Trial {
        let sent = self.send(operation).await;
        let replayed = matches!(&sent, Sent::Ambiguous(hint, _) if hint.replayed_failure);
        let settled = is_done(operation, &sent) || (trouble == Trouble::FailAfter && replayed);
        hold(settled, || format!("the repeat: {sent:?}"))?;
        self.arrived(operation, 2).await?;
        let effects = self.bench.effects(operation).await;
        hold(effects == 1, || format!("{effects} effects after a repeat"))
    }

    /// That many requests came, all alike, with our key.
    async fn arrived(&self, operation: &Operation, times: usize) -> Trial {
        let arrivals = self.bench.arrivals(operation).await;
        hold(arrivals.len() == times, || {
            format!("{} arrivals", arrivals.len())
        })?;
        let key = operation.intent.provider_key.as_str();
        let body = self.adapter.rail().prepare(operation).body;
        let alike = arrivals
            .iter()
            .all(|it| it.key == key && it.body.as_bytes() == body);
        hold(alike, || "another key or other bytes arrived".to_owned())
    }

    /// A look-up shows it by the time that the profile promises.
    async fn found(&self, operation: &Operation) -> Trial {
        let profile = &self.adapter.rail().profile;
        let lag = match (profile.look_up, profile.visibility_lag) {
            (Some(_), Some(lag)) => lag + DEADLINE,
            (Some(_), None) | (None, _) => return self.no_verdict(operation).await,
        };
        let shown = async {
            loop {
                let found = self.adapter.look_up(operation, DEADLINE).await;
                match &found {
                    LookUp::Found(evidence) if shows_done(operation, evidence) => return,
                    _ => tokio::time::sleep(PAUSE).await,
                }
            }
        };
        let in_time = tokio::time::timeout(lag, shown).await;
        in_time.map_err(|_| "not found in time".to_owned())
    }

    async fn not_found(&self, operation: &Operation) -> Trial {
        if self.adapter.rail().profile.look_up.is_none() {
            return self.no_verdict(operation).await;
        }
        let found = self.adapter.look_up(operation, DEADLINE).await;
        hold(found == LookUp::NotFound, || format!("{found:?}"))
    }

    async fn no_verdict(&self, operation: &Operation) -> Trial {
        let found = self.adapter.look_up(operation, DEADLINE).await;
        hold(found == LookUp::NoVerdict, || format!("{found:?}"))
    }

    async fn send(&self, operation: &Operation) -> Sent {
        self.send_if(operation, &operation.intent.provider_key, true)
            .await
    }

    async fn send_if(&self, operation: &Operation, key: &ProviderKey, may_write: bool) -> Sent {
        let step = match operation.intent.kind {
            Kind::Charge | Kind::Authorize => Step::Create,
            Kind::Capture => Step::Capture,
            Kind::Refund => Step::Refund,
            Kind::Void => Step::Void,
        };
        let request = self.adapter.rail().prepare(operation);
        let may_write = || may_write;
        self.adapter
            .send(step, &request, key, &may_write, DEADLINE)
            .await
    }

    fn charge(&self, name: &str) -> Operation {
        let order = OrderId::parse(&format!("{}-{name}", self.run)).expect("a short run name");
        let method = self.bench.paying_method();
        sample::charge(self.adapter.rail(), &order, usd(4900), method)
    }
}

fn usd(minor_units: i64) -> Money {
    Money::new(Currency::parse("USD").expect("listed"), minor_units)
}

fn is_done(operation: &Operation, sent: &Sent) -> bool {
    matches!(sent, Sent::Answered(evidence) if shows_done(operation, evidence))
}

fn shows_done(operation: &Operation, evidence: &Evidence) -> bool {
    let intent = &operation.intent;
    evidence.sightings.iter().any(|sighting: &Sighting| {
        sighting.key.as_ref() == Some(&intent.provider_key)
            && sighting.shown == Shown::Done
            && sighting.amount == Some(intent.amount)
            && sighting
                .account
                .as_ref()
                .is_none_or(|it| *it == intent.provider)
    })
}

/// The signs that must be read out of a troubled answer.
fn fits(hint: Hint, trouble: Trouble) -> bool {
    match trouble {
        Trouble::InProgress => hint.sign,
        Trouble::SlowDown => hint.retry_after == Some(Trouble::PAUSE),
        Trouble::LoseRequest | Trouble::Redirect => hint == Hint::default(),
        Trouble::LoseAnswer
        | Trouble::CutAnswer
        | Trouble::WebPage
        | Trouble::EmptyAnswer
        | Trouble::UnknownStatus
        | Trouble::OtherObject
        | Trouble::HugeAnswer
        | Trouble::FailAfter => !hint.replayed_failure && hint.retry_after.is_none(),
    }
}
