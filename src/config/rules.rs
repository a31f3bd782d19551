//! The rules a configuration must pass before anything starts. All broken
//! ones are collected, so that one look at the message is enough.

use std::collections::HashSet;

use super::{
    Config, Database, RecoveryConfig, Worker,
    problem::{ConfigError, Problems},
    provider_account,
};

/// Ten years, in seconds.
const LONGEST_SHIFT_S: u64 = 10 * 366 * 24 * 60 * 60;

/// Answers with every broken rule.
pub(super) fn check(config: &Config) -> Result<(), ConfigError> {
    let mut problems = Problems::default();
    problems.require(
        config.grpc.listen.ip().is_loopback(),
        "grpc.listen",
        "must be a loopback address: there are no credentials yet, so anybody who reaches it could pay",
    );
    check_database(&config.database, &mut problems);
    problems.require(
        is_token(&config.deployment.name),
        "deployment.name",
        TOKEN_RULE,
    );
    check_purposes(config, &mut problems);
    config.timing.check(&mut problems);
    check_worker(&config.worker, &mut problems);
    provider_account::check_all(
        &config.providers,
        config.default_provider.as_deref(),
        &mut problems,
    );
    check_log_and_simulator(config, &mut problems);
    check_recovery(&config.recovery, &mut problems);
    check_clock(config.clock.shift_s, &mut problems);
    problems.require(
        config.debug.fail_at.is_empty() || cfg!(debug_assertions),
        "debug.fail_at",
        "must be empty: only debug builds fail on purpose",
    );
    problems.into_result()
}

const TOKEN_RULE: &str = "must be 1 to 64 characters of A-Z, a-z, 0-9 and ._:/#@+=~-";

fn is_token(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._:/#@+=~-".contains(&b))
}

fn check_database(database: &Database, problems: &mut Problems) {
    let sqlite = |url: &&String| url.starts_with("sqlite://");
    let postgres =
        |url: &&String| url.starts_with("postgres://") || url.starts_with("postgresql://");
    let urls = &database.urls;
    problems.require(
        !urls.is_empty(),
        "database.urls",
        "must have at least one entry",
    );
    for (position, url) in urls.iter().enumerate() {
        problems.require(
            sqlite(&url) || postgres(&url),
            format_args!("database.urls[{position}]"),
            "must begin with sqlite:// or postgres://",
        );
    }
    problems.require(
        urls.len() <= 1 || urls.iter().all(|url| postgres(&url)),
        "database.urls",
        "may have several entries only for PostgreSQL",
    );
    problems.require(
        (1..=1000).contains(&database.max_connections),
        "database.max_connections",
        "must be 1 to 1000",
    );
}

fn check_purposes(config: &Config, problems: &mut Problems) {
    let mut seen = HashSet::new();
    problems.require(
        !config.purposes.is_empty(),
        "purposes",
        "must have at least one entry",
    );
    for (position, purpose) in config.purposes.iter().enumerate() {
        let key = format!("purposes[{position}]");
        problems.require(is_token(purpose), &key, TOKEN_RULE);
        problems.require(
            seen.insert(purpose),
            &key,
            "must not repeat an earlier entry",
        );
    }
    for (position, purpose) in config.independent_purposes.iter().enumerate() {
        problems.require(
            seen.contains(purpose),
            format_args!("independent_purposes[{position}]"),
            "must also be in purposes",
        );
    }
}

fn check_worker(worker: &Worker, problems: &mut Problems) {
    problems.require(
        (1..=10_000).contains(&worker.slots),
        "worker.slots",
        "must be 1 to 10000",
    );
    problems.require(
        (1..=1000).contains(&worker.claim_batch),
        "worker.claim_batch",
        "must be 1 to 1000",
    );
    problems.require(
        (1..=60_000).contains(&worker.poll_ms),
        "worker.poll_ms",
        "must be 1 to 60000 milliseconds",
    );
}

fn check_log_and_simulator(config: &Config, problems: &mut Problems) {
    problems.require(
        !config.log.filter.trim().is_empty(),
        "log.filter",
        "must not be empty; off silences everything",
    );
    let simulator = &config.simulator;
    problems.require(
        !simulator.ledger.as_os_str().is_empty(),
        "simulator.ledger",
        "must be a file name",
    );
    problems.require(
        simulator.time_scale > 0.0 && simulator.time_scale <= 100.0,
        "simulator.time_scale",
        "must be above 0 and at most 100",
    );
}

fn check_recovery(recovery: &RecoveryConfig, problems: &mut Problems) {
    problems.require(
        recovery.failover_window_s <= 86_400,
        "recovery.failover_window_s",
        "must be 0 to 86400 seconds",
    );
    let witness = recovery.witness.as_ref();
    problems.require(
        witness.is_none_or(|file| !file.as_os_str().is_empty()),
        "recovery.witness",
        "must be a file name",
    );
}

fn check_clock(shift_s: i64, problems: &mut Problems) {
    problems.require(
        shift_s == 0 || cfg!(debug_assertions),
        "clock.shift_s",
        "must be 0: only debug builds can shift the clock",
    );
    problems.require(
        u64::try_from(shift_s).is_ok_and(|shift_s| shift_s <= LONGEST_SHIFT_S),
        "clock.shift_s",
        "must be from 0 to ten years: time is only moved forward",
    );
}
