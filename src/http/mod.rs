//! The one outbound HTTP client: timeouts, caps, no retries.
