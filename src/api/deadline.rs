//! How long a call waits.
//!
//! Guarantees: the answer is under way a margin before the caller's own
//! deadline, at which tonic would drop the handler and answer CANCELLED; and a
//! call never waits longer than the agent deadline. All measured from the
//! arrival of the call.

use std::time::Duration;

use http::HeaderMap;

use crate::clock::BootTime;

/// What the operator set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Longest wait of a call.
    pub(super) agent_deadline: Duration,
    /// Taken off the caller's own deadline.
    pub(super) caller_margin: Duration,
}

impl Limits {
    /// How much of the margin the store may use up after the wait.
    pub(super) fn grace(&self) -> Duration {
        self.caller_margin / 2
    }
}

/// When a call came, and how long its caller waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    at: BootTime,
    caller_deadline: Option<Duration>,
}

impl Arrival {
    /// A call with these headers that comes now.
    pub(super) fn now(headers: &HeaderMap) -> Self {
        let timeout = headers.get("grpc-timeout");
        Self {
            at: BootTime::now(),
            caller_deadline: timeout
                .and_then(|value| value.to_str().ok())
                .and_then(parse_timeout),
        }
    }

    /// How long ago the call came.
    pub(super) fn elapsed(&self) -> Duration {
        BootTime::now().since(self.at)
    }

    /// How long the call may wait from now on. `asked` is the request's own
    /// `wait`; it only shortens.
    pub(super) fn patience(&self, limits: Limits, asked: Option<Duration>) -> Duration {
        let whole = patience(limits, self.caller_deadline, asked);
        whole.saturating_sub(self.elapsed())
    }
}

/// From the arrival of the call.
fn patience(limits: Limits, caller: Option<Duration>, asked: Option<Duration>) -> Duration {
    let of_caller = caller.map(|deadline| deadline.saturating_sub(limits.caller_margin));
    [of_caller, asked]
        .into_iter()
        .flatten()
        .fold(limits.agent_deadline, Duration::min)
}

/// The `grpc-timeout` header, as the gRPC protocol writes it: 1 to 8 digits
/// and a unit.
fn parse_timeout(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let fits = (1..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = fits.then(|| digits.parse().ok())??;
    match unit {
        "H" => Some(Duration::from_secs(number * 3600)),
        "M" => Some(Duration::from_secs(number * 60)),
        "S" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_millis(number)),
        "u" => Some(Duration::from_micros(number)),
        "n" => Some(Duration::from_nanos(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        agent_deadline: Duration::from_secs(8),
        caller_margin: Duration::from_millis(250),
    };

    fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn the_shortest_of_three_counts() {
        for (caller, asked, patience) in [
            (None, None, 8000),
            (Some(20_000), None, 8000),
            (Some(3000), None, 2750),
            (None, Some(100), 100),
            (None, Some(60_000), 8000),
            (Some(3000), Some(5000), 2750),
            (Some(3000), Some(0), 0),
        ] {
            let found = super::patience(LIMITS, caller.map(ms), asked.map(ms));
            assert_eq!(found, ms(patience), "{caller:?} {asked:?}");
        }
    }

    #[test]
    fn within_the_margin_the_answer_goes_out_at_once() {
        for caller in [0, 1, 249, 250] {
            assert_eq!(super::patience(LIMITS, Some(ms(caller)), None), ms(0));
        }
        assert_eq!(super::patience(LIMITS, Some(ms(251)), None), ms(1));
    }

    #[test]
    fn what_has_passed_since_the_arrival_is_gone() {
        let arrival = Arrival {
            at: BootTime::now(),
            caller_deadline: None,
        };
        let first = arrival.patience(LIMITS, None);
        let second = arrival.patience(LIMITS, None);
        assert!(second <= first && first <= LIMITS.agent_deadline);
        let zero = Limits {
            agent_deadline: ms(0),
            ..LIMITS
        };
        assert_eq!(arrival.patience(zero, None), ms(0));
    }

    #[test]
    fn the_header_is_read_as_the_protocol_writes_it() {
        for (text, read) in [
            ("1H", Some(Duration::from_secs(3600))),
            ("2M", Some(Duration::from_secs(120))),
            ("3S", Some(Duration::from_secs(3))),
            ("250m", Some(ms(250))),
            ("5u", Some(Duration::from_micros(5))),
            ("99999999n", Some(Duration::from_nanos(99_999_999))),
            ("99999999H", Some(Duration::from_secs(99_999_999 * 3600))),
            ("", None),
            ("S", None),
            ("1", None),
            ("1s", None),
            ("-1S", None),
            ("+1S", None),
            ("1.5S", None),
            ("123456789S", None),
            ("1é", None),
        ] {
            assert_eq!(parse_timeout(text), read, "{text:?}");
        }
        let mut headers = HeaderMap::new();
        assert_eq!(Arrival::now(&headers).caller_deadline, None);
        headers.insert("grpc-timeout", http::HeaderValue::from_static("7S"));
        assert_eq!(
            Arrival::now(&headers).caller_deadline,
            Some(Duration::from_secs(7))
        );
    }
}
