//! Accounts at payment providers: where they are and what they promise.

use std::collections::HashSet;

use http::Uri;
use iso_currency::Currency;
use serde::Deserialize;

use super::problem::Problems;

/// Ten years: longer than any provider keeps a key, short enough that sums of
/// times never overflow.
const TEN_YEARS_S: u64 = 10 * 366 * 24 * 60 * 60;

/// One account at one provider.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderAccount {
    /// Account name, 1-32 characters of `[a-z0-9_-]`, unique. Part of every
    /// provider key.
    pub name: String,
    /// Which adapter speaks to it.
    pub kind: ProviderKind,
    /// Base URL, `http` or `https`, without user name, password or query.
    pub url: String,
    /// Currencies the account takes, upper-case ISO 4217 codes. Absent: all.
    #[serde(default)]
    pub currencies: Option<Vec<String>>,
    /// What the provider promises. Absent: those of `stripe_like`.
    #[serde(default)]
    pub facts: Facts,
}

/// The adapters there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// The payment processor that comes with payonce.
    Simulator,
}

/// What the operator declares about a provider; the engine derives its policy
/// from it. An absent value is the profile's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Facts {
    /// How the provider treats repeats and look-ups.
    pub profile: ProviderProfile,
    /// K, in seconds: how long a repeat with the same key has no second
    /// effect. Not for a profile without idempotency.
    pub key_life_s: Option<u64>,
    /// D, in milliseconds: how long after sending a request can still take
    /// effect.
    pub in_flight_bound_ms: Option<u64>,
    /// V, in milliseconds: how long until a look-up sees an effect.
    pub visibility_lag_ms: Option<u64>,
}

/// How a provider treats repeats and look-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderProfile {
    /// Stores the first answer to a key and replays it, also a 500.
    #[default]
    StripeLike,
    /// Answers a repeat with the payment's status of that moment.
    LatestStatus,
    /// Knows no keys; a merchant reference is all there is.
    NoIdempotency,
    /// Nothing can be looked up; only reports tell.
    ReportOnly,
}

impl ProviderAccount {
    fn check(&self, at: &str, problems: &mut Problems) {
        problems.require(
            is_account_name(&self.name),
            format_args!("{at}.name"),
            "must be 1 to 32 characters of a-z, 0-9, _ and -",
        );
        problems.require(
            is_base_url(&self.url),
            format_args!("{at}.url"),
            "must be an http or https URL with a host and without user name, password or query",
        );
        if let Some(currencies) = &self.currencies {
            problems.require(
                !currencies.is_empty() && currencies.iter().all(|code| is_currency(code)),
                format_args!("{at}.currencies"),
                "must be upper-case ISO 4217 codes, at least one; leave it out for all",
            );
        }
        self.facts.check(at, problems);
    }
}

impl Facts {
    fn check(&self, at: &str, problems: &mut Problems) {
        let without_keys = self.profile == ProviderProfile::NoIdempotency;
        problems.require(
            !(without_keys && self.key_life_s.is_some()),
            format_args!("{at}.facts.key_life_s"),
            "must be absent: the profile no_idempotency has no keys",
        );
        problems.require(
            self.key_life_s
                .is_none_or(|s| (1..=TEN_YEARS_S).contains(&s)),
            format_args!("{at}.facts.key_life_s"),
            "must be 1 second to ten years",
        );
        let bounds = [
            ("in_flight_bound_ms", self.in_flight_bound_ms),
            ("visibility_lag_ms", self.visibility_lag_ms),
        ];
        for (key, value) in bounds {
            problems.require(
                value.is_none_or(|ms| ms <= TEN_YEARS_S * 1000),
                format_args!("{at}.facts.{key}"),
                "must be at most ten years",
            );
        }
    }
}

/// Checks every account, and `default_provider` against their names.
pub(super) fn check_all(
    accounts: &[ProviderAccount],
    default: Option<&str>,
    problems: &mut Problems,
) {
    let mut names = HashSet::new();
    for (position, account) in accounts.iter().enumerate() {
        account.check(&format!("providers[{position}]"), problems);
        problems.require(
            names.insert(account.name.as_str()),
            format_args!("providers[{position}].name"),
            "must be unique",
        );
    }
    match default {
        Some(name) => problems.require(
            names.contains(name),
            "default_provider",
            "must be the name of one of the providers",
        ),
        None => problems.require(
            accounts.len() <= 1,
            "default_provider",
            "must be given when there are several providers",
        ),
    }
}

fn is_account_name(name: &str) -> bool {
    (1..=32).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-')
}

fn is_base_url(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else {
        return false;
    };
    let without_user = uri.authority().is_some_and(|a| !a.as_str().contains('@'));
    matches!(uri.scheme_str(), Some("http" | "https"))
        && without_user
        && uri.host().is_some_and(|host| !host.is_empty())
        && uri.query().is_none()
        && !url.contains('#')
}

fn is_currency(code: &str) -> bool {
    Currency::from_code(code).is_some_and(|currency| currency.code() == code)
}
