use clap::{Command, CommandFactory, Parser};

use super::exit::Exit;
use super::failure::Failure;
use super::{Cli, amount};
use crate::client::{ClientError, Code, Violation};
use crate::proto::v1::{ErrorEffect, Fulfilment, Operation, Outcome, SafeNextAction};

#[test]
fn the_commands_fit_together() {
    Cli::command().debug_assert();
}

#[test]
fn every_command_has_an_example_and_the_exit_codes() {
    fn check(command: &Command) {
        let help = command.get_after_help().map(ToString::to_string);
        let help = help.unwrap_or_default();
        let name = command.get_name();
        assert!(help.starts_with("Example:\n  "), "{name}: {help}");
        let codes = "Exit codes: 0 done, 1 internal, 2 usage, 3 pending, 4 declined, 5 refused, \
                     6 unavailable";
        assert!(help.ends_with(codes), "{name}: {help}");
        command.get_subcommands().for_each(check);
    }
    check(&Cli::command());
}

#[test]
fn exit_codes_keep_their_numbers() {
    let numbers = [
        (Exit::Done, 0),
        (Exit::Internal, 1),
        (Exit::Usage, 2),
        (Exit::Pending, 3),
        (Exit::Declined, 4),
        (Exit::Refused, 5),
        (Exit::Unavailable, 6),
    ];
    for (exit, number) in numbers {
        assert_eq!(exit as u8, number);
    }
}

fn operation(outcome: Outcome, action: SafeNextAction, fulfilment: Fulfilment) -> Operation {
    Operation {
        outcome: outcome.into(),
        safe_next_action: action.into(),
        fulfilment: fulfilment.into(),
        ..Operation::default()
    }
}

#[test]
fn the_exit_code_follows_the_outcome_and_a_payment_is_done_only_if_it_may_be_fulfilled() {
    use Fulfilment::{Allowed, Forbidden, Hold};
    use SafeNextAction as Next;
    for (outcome, action, fulfilment, any, payment) in [
        (
            Outcome::Succeeded,
            Next::FulfilOnce,
            Allowed,
            Exit::Done,
            Exit::Done,
        ),
        (
            Outcome::Succeeded,
            Next::WaitForPerson,
            Forbidden,
            Exit::Pending,
            Exit::Pending,
        ),
        (
            Outcome::Pending,
            Next::Poll,
            Hold,
            Exit::Pending,
            Exit::Pending,
        ),
        (
            Outcome::Unspecified,
            Next::Unspecified,
            Forbidden,
            Exit::Pending,
            Exit::Pending,
        ),
        (
            Outcome::RequiresCustomerAction,
            Next::CompleteCustomerAction,
            Hold,
            Exit::Pending,
            Exit::Pending,
        ),
        (
            Outcome::RefundPending,
            Next::Poll,
            Forbidden,
            Exit::Pending,
            Exit::Pending,
        ),
        (
            Outcome::Declined,
            Next::OfferAnotherMethod,
            Forbidden,
            Exit::Declined,
            Exit::Declined,
        ),
        (
            Outcome::Refunded,
            Next::DoNotFulfil,
            Forbidden,
            Exit::Done,
            Exit::Refused,
        ),
        (
            Outcome::PartiallyRefunded,
            Next::None,
            Hold,
            Exit::Done,
            Exit::Refused,
        ),
        (
            Outcome::Canceled,
            Next::None,
            Forbidden,
            Exit::Done,
            Exit::Refused,
        ),
        (
            Outcome::NotSubmitted,
            Next::Submit,
            Forbidden,
            Exit::Done,
            Exit::Refused,
        ),
    ] {
        let operation = operation(outcome, action, fulfilment);
        assert_eq!(Exit::of_operation(&operation), any, "{outcome:?}");
        assert_eq!(Exit::of_payment(&operation), payment, "{outcome:?}");
    }
}

fn refused() -> ClientError {
    ClientError {
        code: Code::AlreadyExists,
        reason: "KEY_REUSED_FOR_DIFFERENT_REQUEST".to_owned(),
        effect: ErrorEffect::ExistingOperation,
        operation_id: "0199".to_owned(),
        safe_next_action: SafeNextAction::Poll,
        violations: vec![Violation {
            field: "amount".to_owned(),
            rule: "differs".to_owned(),
        }],
        retry_after: None,
        message: "another request".to_owned(),
    }
}

#[test]
fn a_failed_call_says_everything_in_json() {
    let json = Failure::from(refused()).to_json();
    let expected = serde_json::json!({ "error": {
        "code": "ALREADY_EXISTS",
        "reason": "KEY_REUSED_FOR_DIFFERENT_REQUEST",
        "effect": "EXISTING_OPERATION",
        "operation_id": "0199",
        "safe_next_action": "POLL",
        "violations": [{ "field": "amount", "rule": "differs" }],
        "retry_after_ms": null,
        "message": "KEY_REUSED_FOR_DIFFERENT_REQUEST: another request\n  amount: differs",
        "exit_code": 5,
    }});
    assert_eq!(json, expected);
}

#[test]
fn a_wrong_argument_names_field_and_rule_in_json() {
    let failure = amount::parse("1.5", "JPY", false).expect_err("no decimals");
    let json = failure.to_json();
    assert_eq!(json["error"]["exit_code"], 2);
    assert_eq!(json["error"]["violations"][0]["field"], "AMOUNT");
}

#[test]
fn codes_of_failed_calls_have_their_exit_codes() {
    for (code, exit) in [
        (Code::InvalidArgument, Exit::Refused),
        (Code::NotFound, Exit::Refused),
        (Code::FailedPrecondition, Exit::Refused),
        (Code::Unavailable, Exit::Unavailable),
        (Code::Cancelled, Exit::Unavailable),
        (Code::ResourceExhausted, Exit::Unavailable),
        (Code::Internal, Exit::Internal),
        (Code::Unimplemented, Exit::Internal),
    ] {
        let error = ClientError { code, ..refused() };
        assert_eq!(Failure::from(error).exit(), exit, "{code:?}");
    }
}

#[test]
fn arguments_that_contradict_each_other_are_refused() {
    for wrong in [
        "payonce op get",
        "payonce op get 0199 --order 8472",
        "payonce op get 0199 --after-version 3",
        "payonce op compensate 0199 --label a --reason other --amount 1",
        "payonce op compensate 0199 --label a --reason why",
        "payonce op create --order 1 --amount 1 --currency USD --wait 1",
        "payonce op create --order 1 --amount 1 --currency USD --label novalue",
        "payonce op list --state lost",
        "payonce serve --listen somewhere",
        "payonce recovery begin --lost-since yesterday --by anna",
        "payonce recovery confirm --epoch 1",
        "payonce simulator --profile other",
        "payonce pay 8472 49.00",
    ] {
        assert!(Cli::try_parse_from(wrong.split(' ')).is_err(), "{wrong}");
    }
}

#[test]
fn arguments_are_read() {
    for right in [
        "payonce serve --database postgres://a --database postgres://b --listen 127.0.0.1:0",
        "payonce simulator --listen 127.0.0.1:0 --profile report-only --time-scale 0.05",
        "payonce demo --json",
        "payonce migrate --database sqlite://a.db",
        "payonce recovery confirm --epoch 1 --by anna --database sqlite://a.db",
        "payonce recovery begin --lost-since 2026-01-31T08:00:00Z --by anna",
        "payonce pay 8472 49.00 USD --json --server http://127.0.0.1:1",
        "payonce --json op get --order 8472 --purpose deposit --wait 1.5",
        "payonce op compensate 0199 --label a --reason duplicate --when-resolved",
    ] {
        let parsed = Cli::try_parse_from(right.split(' '));
        assert!(parsed.is_ok(), "{right}: {parsed:?}");
    }
}
