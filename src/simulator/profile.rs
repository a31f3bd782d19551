//! The kinds of processor that can be played.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;

/// What kind of processor a simulator plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Profile {
    /// Stores the answer to each idempotency key for 24 h and replays it, a
    /// stored 500 too.
    #[default]
    StripeLike,
    /// As stripe-like, but a repeat is answered with the present status.
    LatestStatus,
    /// Ignores idempotency keys: two requests make two payments. A merchant
    /// reference is required and can be looked up.
    NoIdempotency,
    /// As no-idempotency, without look-ups.
    ReportOnly,
}

impl Profile {
    /// Whether idempotency keys are kept, and shown in objects.
    pub(super) fn keeps_keys(self) -> bool {
        match self {
            Self::StripeLike | Self::LatestStatus => true,
            Self::NoIdempotency | Self::ReportOnly => false,
        }
    }

    /// Whether anything can be looked up under `/v1`.
    pub(super) fn offers_look_ups(self) -> bool {
        match self {
            Self::StripeLike | Self::LatestStatus | Self::NoIdempotency => true,
            Self::ReportOnly => false,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::StripeLike => "stripe-like",
            Self::LatestStatus => "latest-status",
            Self::NoIdempotency => "no-idempotency",
            Self::ReportOnly => "report-only",
        })
    }
}

/// A name that is none of the profiles.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown profile {0:?}: one of stripe-like, latest-status, no-idempotency, report-only is required"
)]
pub struct UnknownProfile(String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        <Self as ValueEnum>::from_str(name, false).map_err(|_| UnknownProfile(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_are_those_of_the_command_line() {
        for profile in Profile::value_variants() {
            let name = profile.to_string();
            assert_eq!(name.parse(), Ok(*profile));
            let offered = profile.to_possible_value().expect("no variant is hidden");
            assert_eq!(offered.get_name(), name);
        }
        assert!("stripe".parse::<Profile>().is_err());
    }
}
