use serde_json::{Value, json};

use crate::config::{Loader, ProviderAccount};

fn account(name: &str, change: &[(&str, Value)]) -> Value {
    let mut account = json!({"name": name, "kind": "simulator", "url": "http://127.0.0.1:8090"});
    for (key, value) in change {
        account[*key] = value.clone();
    }
    account
}

/// (key set, value, key named by the problem, part of the rule)
type Row = (&'static str, Value, &'static str, &'static str);

fn assert_refused(rows: Vec<Row>) {
    for (key, value, named, rule) in rows {
        let error = Loader::new()
            .set(key, &value)
            .load()
            .expect_err(&format!("{key} = {value} must be refused"));
        assert!(
            error
                .problems
                .iter()
                .any(|p| p.key == named && p.rule.contains(rule)),
            "{key} = {value}: {error}"
        );
    }
}

#[test]
fn rules_of_the_small_sections() {
    let long = "x".repeat(65);
    assert_refused(vec![
        (
            "grpc.listen",
            json!("0.0.0.0:50051"),
            "grpc.listen",
            "loopback",
        ),
        (
            "grpc.listen",
            json!("192.0.2.1:50051"),
            "grpc.listen",
            "no credentials",
        ),
        ("grpc.listen", json!("localhost"), "grpc.listen", ""),
        ("database.urls", json!([]), "database.urls", "at least one"),
        (
            "database.urls",
            json!(["mysql://x"]),
            "database.urls[0]",
            "sqlite:// or postgres://",
        ),
        (
            "database.urls",
            json!(["sqlite://a", "sqlite://b"]),
            "database.urls",
            "only for PostgreSQL",
        ),
        (
            "database.max_connections",
            json!(0),
            "database.max_connections",
            "1 to 1000",
        ),
        ("deployment.name", json!(""), "deployment.name", "1 to 64"),
        ("deployment.name", json!(long), "deployment.name", "1 to 64"),
        ("purposes", json!([]), "purposes", "at least one"),
        ("purposes", json!(["a b"]), "purposes[0]", "1 to 64"),
        ("purposes", json!(["a", "a"]), "purposes[1]", "repeat"),
        (
            "independent_purposes",
            json!(["deposit"]),
            "independent_purposes[0]",
            "also be in purposes",
        ),
        ("worker.slots", json!(0), "worker.slots", "1 to 10000"),
        (
            "worker.claim_batch",
            json!(1001),
            "worker.claim_batch",
            "1 to 1000",
        ),
        ("worker.poll_ms", json!(0), "worker.poll_ms", "1 to 60000"),
        ("log.format", json!("xml"), "log.format", "pretty, json"),
        ("log.filter", json!(" "), "log.filter", "empty"),
        (
            "simulator.ledger",
            json!(""),
            "simulator.ledger",
            "file name",
        ),
        (
            "simulator.profile",
            json!("strict"),
            "simulator.profile",
            "stripe_like, latest_status",
        ),
        (
            "simulator.time_scale",
            json!(0.0),
            "simulator.time_scale",
            "above 0",
        ),
        (
            "clock.shift_s",
            json!(i64::MIN),
            "clock.shift_s",
            "ten years",
        ),
    ]);
}

#[test]
fn rules_of_timing() {
    let too_long = json!(86_400_001_u64);
    assert_refused(vec![
        (
            "timing.agent_deadline_ms",
            json!(100),
            "timing.agent_deadline_ms",
            "caller_margin_ms",
        ),
        (
            "timing.agent_deadline_ms",
            too_long.clone(),
            "timing.agent_deadline_ms",
            "86400000",
        ),
        (
            "timing.drain_ms",
            too_long.clone(),
            "timing.drain_ms",
            "86400000",
        ),
        (
            "timing.lease_ms",
            json!(7000),
            "timing.lease_ms",
            "together",
        ),
        (
            "timing.provider_deadline_ms",
            json!(u64::MAX),
            "timing.lease_ms",
            "together",
        ),
        (
            "timing.connect_timeout_ms",
            json!(5000),
            "timing.connect_timeout_ms",
            "shorter",
        ),
        (
            "timing.look_up_schedule_ms",
            json!([]),
            "timing.look_up_schedule_ms",
            "at least one",
        ),
        (
            "timing.look_up_schedule_ms",
            json!([2, 2]),
            "timing.look_up_schedule_ms",
            "ascending",
        ),
        (
            "timing.look_up_schedule_ms",
            json!([0, 2]),
            "timing.look_up_schedule_ms",
            "above 0",
        ),
        (
            "timing.look_up_interval_ms",
            json!(29_999),
            "timing.look_up_interval_ms",
            "last entry",
        ),
        (
            "timing.observation_window_s",
            json!(0),
            "timing.observation_window_s",
            "1 to 86400",
        ),
        (
            "timing.look_up_schedule_ms",
            json!([901_000]),
            "timing.observation_window_s",
            "before the first",
        ),
        (
            "timing.jitter_percent",
            json!(51),
            "timing.jitter_percent",
            "0 to 50",
        ),
        (
            "timing.clock_sample_ms",
            json!(-1),
            "timing.clock_sample_ms",
            "must be",
        ),
    ]);
}

#[test]
fn rules_of_provider_accounts() {
    let one = |change: &[(&str, Value)]| json!([account("bank", change)]);
    let url = |url: &str| json!([account("bank", &[("url", json!(url))])]);
    let facts = |facts: Value| json!([account("bank", &[("facts", facts)])]);
    assert_refused(vec![
        (
            "providers",
            json!([account("Bank", &[])]),
            "providers[0].name",
            "a-z",
        ),
        (
            "providers",
            json!([account(&"b".repeat(33), &[])]),
            "providers[0].name",
            "1 to 32",
        ),
        (
            "providers",
            json!([account("a", &[]), account("a", &[])]),
            "providers[1].name",
            "unique",
        ),
        (
            "providers",
            json!([account("a", &[]), account("b", &[])]),
            "default_provider",
            "several",
        ),
        (
            "default_provider",
            json!("bank"),
            "default_provider",
            "one of the providers",
        ),
        ("providers", url("ftp://x"), "providers[0].url", "http"),
        ("providers", url("bank"), "providers[0].url", "http"),
        (
            "providers",
            url("http://me:pw@x/"),
            "providers[0].url",
            "password",
        ),
        (
            "providers",
            url("http://x/?key=1"),
            "providers[0].url",
            "query",
        ),
        ("providers", url("http://x/#a"), "providers[0].url", "query"),
        (
            "providers",
            one(&[("currencies", json!(["usd"]))]),
            "providers[0].currencies",
            "ISO 4217",
        ),
        (
            "providers",
            one(&[("currencies", json!([]))]),
            "providers[0].currencies",
            "at least one",
        ),
        (
            "providers",
            facts(json!({"profile": "no_idempotency", "key_life_s": 1})),
            "providers[0].facts.key_life_s",
            "no keys",
        ),
        (
            "providers",
            facts(json!({"key_life_s": 0})),
            "providers[0].facts.key_life_s",
            "1 second",
        ),
        (
            "providers",
            facts(json!({"in_flight_bound_ms": u64::MAX})),
            "providers[0].facts.in_flight_bound_ms",
            "ten years",
        ),
        (
            "providers",
            facts(json!({"visibility": 1})),
            "providers[0].facts.visibility",
            "unknown key",
        ),
    ]);
}

#[test]
fn what_is_allowed_at_the_edge() {
    let config = Loader::new()
        .set("grpc.listen", "[::1]:0")
        .set(
            "database.urls",
            ["postgres://a/payonce", "postgresql://b/payonce"],
        )
        .set("timing.lease_ms", 7001)
        .set("timing.drain_ms", 0)
        .set("timing.look_up_schedule_ms", [60_000])
        .set("simulator.listen", "127.0.0.1:0")
        .set(
            "clock.shift_s",
            if cfg!(debug_assertions) { 90_000 } else { 0 },
        )
        .set(
            "providers",
            json!([
                account("a", &[]),
                account("b-2_", &[("currencies", json!(["USD", "JPY"]))])
            ]),
        )
        .set("default_provider", "b-2_")
        .load()
        .expect("valid");
    let name = config
        .default_account()
        .map(|account: &ProviderAccount| account.name.as_str());
    assert_eq!(name, Some("b-2_"));
}

#[test]
fn all_broken_rules_are_reported_at_once() {
    let error = Loader::new()
        .set("grpc.listen", "0.0.0.0:1")
        .set("purposes", [""])
        .set("timing.lease_ms", 1)
        .load()
        .expect_err("must be refused");
    let keys: Vec<&str> = error.problems.iter().map(|p| p.key.as_str()).collect();
    assert_eq!(keys, ["grpc.listen", "purposes[0]", "timing.lease_ms"]);
    assert_eq!(error.to_string().lines().count(), 4, "{error}");
}
