//! Help is complete, and mistakes are told by field and rule.

use super::process::run;

const COMMANDS: [&[&str]; 14] = [
    &[],
    &["serve"],
    &["simulator"],
    &["demo"],
    &["migrate"],
    &["pay"],
    &["op"],
    &["op", "create"],
    &["op", "submit"],
    &["op", "get"],
    &["op", "compensate"],
    &["op", "watch"],
    &["op", "list"],
    &["op", "history"],
];

#[test]
fn every_command_explains_itself_with_an_example_and_the_exit_codes() {
    for command in COMMANDS {
        let help = run(&[command, &["--help"]].concat());
        help.ended_with(0);
        assert!(help.stdout.contains("Example:\n  payonce"), "{command:?}");
        assert!(help.stdout.contains("Exit codes: 0 done"), "{command:?}");
    }
}

#[test]
fn a_mistake_on_the_command_line_is_a_usage_error_and_nothing_is_sent() {
    for (arguments, field) in [
        (["pay", "8472", "49.001", "USD"], "AMOUNT"),
        (["pay", "8472", "-49.00", "USD"], "AMOUNT"),
        (["pay", "8472", "49.00", "ABC"], "CURRENCY"),
    ] {
        let json = [
            &arguments[..],
            &["--json", "--server", "http://127.0.0.1:1"],
        ]
        .concat();
        let error = run(&json).error(2);
        assert_eq!(error["violations"][0]["field"], field);
        assert_eq!(error["effect"], "NONE");
        let text = run(&arguments);
        text.ended_with(2);
        assert!(text.stderr.starts_with(&format!("error: {field}: must ")));
    }
    let error = run(&["op", "get", "--json"]).error(2);
    assert_eq!(error["code"], "USAGE");
}

#[test]
fn a_wrong_configuration_names_every_key() {
    let mut command = super::process::payonce(&["serve", "--json"]);
    command.env("PAYONCE_TIMING__LEASE_MS", "1");
    command.env("PAYONCE_WORKER__SLOTS", "0");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    let fields: Vec<_> = error["error"]["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|violation| violation["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["timing.lease_ms", "worker.slots"]);
}
