//! Starting, refusing to start, and stopping.

use std::fs;

use super::process::{Server, payonce, run, serve_in};

#[test]
fn sigterm_ends_a_server_and_the_next_one_knows_everything() {
    let folder = tempfile::tempdir().unwrap();
    let first = Server::start(&folder, &[]);
    let paid = first.ask(&["pay", "8472", "49.00", "USD"]).json(0);
    assert_eq!(first.terminate().code(), Some(0));
    let second = Server::start(&folder, &[]);
    let again = second.ask(&["pay", "8472", "49.00", "USD"]).json(0);
    assert_eq!(again["operation_id"], paid["operation_id"]);
    assert_eq!(again["captured"]["minor_units"], "4900");
}

#[test]
fn a_server_announces_itself_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments = serve_in(&folder);
    arguments.retain(|argument| argument != "--json");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut child = payonce(&arguments)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let stdout = child.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).unwrap();
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        line.starts_with("payonce is ready: grpc 127.0.0.1:"),
        "{line}"
    );
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains("no real money moves"), "{log}");
}

#[test]
fn a_database_without_tables_is_refused_when_it_may_not_be_migrated() {
    let folder = tempfile::tempdir().unwrap();
    fs::File::create(folder.path().join("payonce.db")).unwrap();
    let mut arguments = serve_in(&folder);
    arguments.push("--no-migrate".to_owned());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let refused = run(&arguments);
    refused.ended_with(5);
    assert!(
        refused.stderr.contains("payonce migrate"),
        "{}",
        refused.stderr
    );

    let database = &arguments[arguments.iter().position(|it| *it == "--database").unwrap() + 1];
    let migrated = run(&[
        "migrate",
        "--json",
        "--log-filter",
        "off",
        "--database",
        database,
    ]);
    assert_eq!(migrated.json(0)["migrated"], true);
    Server::start(&folder, &["--no-migrate"]);
}

#[test]
fn a_database_that_is_missing_is_refused_when_it_may_not_be_made() {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments = serve_in(&folder);
    arguments.push("--no-migrate".to_owned());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let refused = run(&arguments);
    refused.ended_with(5);
    let advice = "`payonce migrate` makes it";
    assert!(refused.stderr.contains(advice), "{}", refused.stderr);
    assert!(!folder.path().join("payonce.db").exists());
}

#[test]
fn a_start_without_an_account_that_unresolved_operations_need_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("payonce.toml");
    // Nobody listens there: the operation stays queued.
    let account =
        "[[providers]]\nname = \"cards\"\nkind = \"simulator\"\nurl = \"http://127.0.0.1:1\"\n";
    fs::write(&config, account).unwrap();
    let config = config.display().to_string();
    let server = Server::start(&folder, &["--config", &config]);
    server
        .ask(&["pay", "8472", "5", "USD", "--wait", "0"])
        .json(3);
    assert_eq!(server.terminate().code(), Some(0));

    let arguments = serve_in(&folder);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let refused = run(&arguments);
    refused.ended_with(5);
    let named = "the account cards has unresolved operations";
    assert!(refused.stderr.contains(named), "{}", refused.stderr);
}
