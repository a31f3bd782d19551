//! Which server a command asks, and for how long.

use std::time::Duration;

use clap::Args;

use super::Failure;
use crate::client::{Client, ClientError};

/// Which server, and how long a call may take.
#[derive(Debug, Args)]
pub(super) struct Connection {
    /// The server to ask
    #[arg(
        long,
        value_name = "URL",
        env = "PAYONCE_SERVER",
        default_value = "http://127.0.0.1:50051"
    )]
    server: String,

    /// Longest time of one call, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "15", value_parser = seconds)]
    timeout: Duration,
}

impl Connection {
    pub(super) async fn open(&self) -> Result<Client, Failure> {
        let connected: Result<Client, ClientError> = Client::connect(&self.server).await;
        Ok(connected?.within(self.timeout))
    }
}

/// Seconds with decimals, from 0 to a day.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let rule = || "must be a number of seconds from 0 to 86400, such as 2.5".to_owned();
    let number: f64 = text.parse().map_err(|_| rule())?;
    if !(0.0..=86_400.0).contains(&number) {
        return Err(rule());
    }
    Duration::try_from_secs_f64(number).map_err(|_| rule())
}

/// A span as the contract carries it.
pub(super) fn on_the_wire(span: Duration) -> prost_types::Duration {
    prost_types::Duration {
        seconds: i64::try_from(span.as_secs()).unwrap_or(i64::MAX),
        nanos: i32::try_from(span.subsec_nanos()).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read_with_decimals_and_within_a_day() {
        assert_eq!(seconds("2.5"), Ok(Duration::from_millis(2500)));
        assert_eq!(seconds("0"), Ok(Duration::ZERO));
        for bad in ["", "-1", "1s", "nan", "inf", "86401"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
        let wire = on_the_wire(Duration::from_millis(2500));
        assert_eq!((wire.seconds, wire.nanos), (2, 500_000_000));
    }
}
