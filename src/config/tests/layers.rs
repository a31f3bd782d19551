use std::{io::Write, path::Path};

use tempfile::NamedTempFile;

use crate::config::{
    Config, ConfigError, INNER_SIMULATOR, Loader, LogFormat, ProviderKind, ProviderProfile,
};

fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("temporary file");
    file.write_all(text.as_bytes()).expect("written");
    file
}

fn env(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn refused(loader: Loader) -> ConfigError {
    loader.load().expect_err("must be refused")
}

#[test]
fn defaults_are_those_of_the_design() {
    let config = Config::defaults();
    assert_eq!(config.grpc.listen.to_string(), "127.0.0.1:50051");
    assert_eq!(config.database.urls, ["sqlite://payonce.db"]);
    assert_eq!(config.deployment.name, "default");
    assert_eq!(config.purposes, ["purchase"]);
    assert!(config.independent_purposes.is_empty() && config.providers.is_empty());
    let timing = &config.timing;
    assert_eq!(
        (timing.agent_deadline_ms, timing.provider_deadline_ms),
        (8000, 5000)
    );
    assert_eq!(
        (timing.lease_ms, timing.observation_window_s),
        (15_000, 900)
    );
    assert_eq!(
        timing.look_up_schedule_ms,
        [1000, 2000, 5000, 10_000, 30_000]
    );
    assert_eq!(timing.longest_pause_ms(), 20_000);
    assert_eq!(config.simulator.listen.to_string(), "127.0.0.1:8090");
    assert_eq!(config.default_account(), None);
}

#[test]
fn each_layer_overrides_the_one_before() {
    let file = file(
        "[timing]\nlease_ms = 20000\nprovider_deadline_ms = 4000\nagent_deadline_ms = 7000\n\
         [log]\nformat = \"json\"\n",
    );
    let config = Loader::new()
        .file(file.path())
        .environment(env(&[
            ("PAYONCE_TIMING__LEASE_MS", "30000"),
            ("PAYONCE_TIMING__AGENT_DEADLINE_MS", "6000"),
        ]))
        .set("timing.lease_ms", 40_000)
        .load()
        .expect("valid");
    assert_eq!(config.timing.lease_ms, 40_000, "a flag wins");
    assert_eq!(
        config.timing.agent_deadline_ms, 6000,
        "then the environment"
    );
    assert_eq!(config.timing.provider_deadline_ms, 4000, "then the file");
    assert_eq!(
        config.timing.connect_timeout_ms, 2000,
        "then the default, also in a section of the file"
    );
    assert_eq!(config.log.format, LogFormat::Json);
}

#[test]
fn environment_gives_lists_tables_and_single_values() {
    let config = Loader::new()
        .environment(env(&[
            ("PAYONCE_DATABASE__URLS", "postgres://user:secret@db/payonce"),
            ("PAYONCE_DATABASE__MAX_CONNECTIONS", "4"),
            ("PAYONCE_PURPOSES", r#"["purchase", "deposit"]"#),
            (
                "PAYONCE_PROVIDERS",
                r#"[{name="bank", kind="simulator", url="http://127.0.0.1:1", facts={profile="no_idempotency", visibility_lag_ms=20000}}]"#,
            ),
        ]))
        .load()
        .expect("valid");
    assert_eq!(config.database.urls, ["postgres://user:secret@db/payonce"]);
    assert_eq!(config.database.max_connections, 4);
    assert_eq!(config.purposes, ["purchase", "deposit"]);
    let account = config.default_account().expect("the only account");
    assert_eq!(account.name, "bank");
    assert_eq!(account.facts.profile, ProviderProfile::NoIdempotency);
    assert_eq!(account.facts.visibility_lag_ms, Some(20_000));
}

#[test]
fn variables_of_tests_and_of_the_command_line_are_no_configuration() {
    let config = Loader::new()
        .environment(env(&[
            ("PAYONCE_TEST_DATABASE", "x"),
            ("PAYONCE_CONFIG", "x"),
            ("PAYONCE_SERVER", "x"),
            ("PAYONCEX", "x"),
            ("HOME", "x"),
        ]))
        .load()
        .expect("valid");
    assert_eq!(config, Config::defaults());
}

#[test]
fn unknown_keys_are_refused_from_every_layer() {
    let file = file("[timing]\nlaese_ms = 1\n");
    let layers = [
        (Loader::new().file(file.path()), "timing.laese_ms"),
        (
            Loader::new().environment(env(&[("PAYONCE_WORKER__SLOT", "1")])),
            "worker.slot",
        ),
        (
            Loader::new().environment(env(&[("PAYONCE_GRPC_LISTEN", "1")])),
            "grpc_listen",
        ),
        (Loader::new().set("colour", "red"), "colour"),
    ];
    for (loader, key) in layers {
        let error = refused(loader);
        assert_eq!(error.problems[0].key, key);
        assert!(error.problems[0].rule.starts_with("unknown key"), "{error}");
    }
}

#[test]
fn an_unknown_key_names_where_it_came_from() {
    let file = file("[timing]\nlaese_ms = 1\n");
    let text = refused(Loader::new().file(file.path())).to_string();
    let name = file.path().file_name().expect("named").to_string_lossy();
    assert!(
        text.contains(&*name) && text.contains("known here: agent_deadline_ms"),
        "{text}"
    );
}

#[test]
fn a_missing_or_broken_file_is_refused_without_showing_its_text() {
    let missing = refused(Loader::new().file(Path::new("/nowhere/payonce.toml")));
    assert!(missing.to_string().contains("payonce.toml"), "{missing}");

    let broken = file("[database]\nurls = [\"postgres://user:secret@db\n");
    let error = refused(Loader::new().file(broken.path()));
    let text = error.to_string();
    assert!(
        text.contains("line 2") && !text.contains("secret"),
        "{text}"
    );
}

#[test]
fn neither_errors_nor_debug_output_show_values() {
    let wrong = refused(Loader::new().set("database.urls", "mysql://user:secret@db"));
    assert!(
        !wrong.to_string().contains("secret") && !format!("{wrong:?}").contains("secret"),
        "{wrong:?}"
    );
    let shape = refused(Loader::new().environment(env(&[("PAYONCE_TIMING__LEASE_MS", "secret")])));
    assert_eq!(shape.problems[0].key, "timing.lease_ms");
    assert!(
        shape.to_string().contains("(from the environment)")
            && !shape.to_string().contains("secret"),
        "{shape}"
    );

    let config = Loader::new()
        .set("database.urls", "postgres://user:secret@db")
        .load()
        .expect("valid");
    let debug = format!("{config:?}");
    assert!(
        debug.contains("postgres") && !debug.contains("secret"),
        "{debug}"
    );
}

#[test]
fn the_inner_simulator_becomes_the_default_account() {
    let config = Loader::new()
        .set("simulator.profile", "report_only")
        .load()
        .expect("valid")
        .with_inner_simulator("http://127.0.0.1:4711".to_owned());
    let account = config.default_account().expect("there is one");
    assert_eq!(account.name, INNER_SIMULATOR);
    assert_eq!(account.kind, ProviderKind::Simulator);
    assert_eq!(account.url, "http://127.0.0.1:4711");
    assert_eq!(account.facts.profile, ProviderProfile::ReportOnly);
}
