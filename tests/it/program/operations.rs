//! Operations of a running server, from the command line.

use serde_json::Value;

use super::process::{Server, run};

fn server() -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder, &[]);
    (folder, server)
}

fn id(operation: &Value) -> &str {
    operation["operation_id"].as_str().expect("an id")
}

#[test]
fn a_payment_is_made_once_and_its_repeat_joins_it() {
    let (_folder, server) = server();
    let paid = server.ask(&["pay", "8472", "49.00", "USD"]).json(0);
    assert_eq!(paid["outcome"], "SUCCEEDED");
    assert_eq!(paid["amount"]["minor_units"], "4900");

    let again = server
        .ask(&["pay", "8472", "4900", "usd", "--minor"])
        .json(0);
    assert_eq!(id(&again), id(&paid));
    let told = server.ask_in_text(&["pay", "8472", "49.00", "USD"]);
    told.ended_with(0);
    assert!(told.stdout.starts_with("this order has a payment already"));
    assert!(told.stdout.contains("next        FULFIL_ONCE"));

    let other = server.ask(&["pay", "8472", "50.00", "USD"]).error(5);
    assert_eq!(other["reason"], "KEY_REUSED_FOR_DIFFERENT_REQUEST");
    assert_eq!(other["effect"], "EXISTING_OPERATION");
    assert_eq!(id(&other), id(&paid));

    let listed = server.ask(&["op", "list", "--order", "8472"]).json(0);
    assert_eq!(listed["operations"].as_array().unwrap().len(), 1);
    assert_eq!(listed["next_page_token"], "");
}

#[test]
fn the_exit_code_tells_declined_pending_and_refused_apart() {
    let (_folder, server) = server();
    let declined = ["pay", "1", "5", "USD", "--payment-method", "pm_declined"];
    let declined = server.ask(&declined).json(4);
    assert_eq!(declined["safe_next_action"], "OFFER_ANOTHER_METHOD");

    let lost = [
        "pay",
        "2",
        "5",
        "USD",
        "--payment-method",
        "pm_drop_response",
    ];
    let pending = server.ask(&[&lost[..], &["--wait", "0"]].concat()).json(3);
    assert_eq!(pending["outcome"], "PENDING");
    assert_eq!(pending["fulfilment"], "HOLD");
    let found = server.ask(&["op", "get", "--order", "2", "--wait", "8"]);
    assert_eq!(found.json(0)["outcome"], "SUCCEEDED");

    let nobody = server.ask(&["op", "get", "--order", "3"]).error(5);
    assert_eq!(nobody["code"], "NOT_FOUND");
    let wrong = server.ask(&["pay", "no spaces", "5", "USD"]).error(5);
    assert_eq!(wrong["violations"][0]["field"], "order_id");
}

#[test]
fn an_operation_is_recorded_submitted_given_back_and_its_ledger_read() {
    let (_folder, server) = server();
    let create = [
        "op",
        "create",
        "--order",
        "7",
        "--amount",
        "100",
        "--currency",
        "USD",
        "--payment-method",
        "pm_ok",
        "--label",
        "cart=9",
    ];
    let created = server.ask(&create).json(0);
    assert_eq!(created["outcome"], "NOT_SUBMITTED");
    let id = id(&created);
    let submitted = server.ask(&["op", "submit", id]).json(0);
    assert_eq!(submitted["outcome"], "SUCCEEDED");

    let part = [
        "op",
        "compensate",
        id,
        "--label",
        "part-1",
        "--reason",
        "other",
        "--amount",
        "40",
        "--currency",
        "USD",
    ];
    let part = server.ask(&part).json(0);
    assert_eq!(part["compensation"]["outcome"], "SUCCEEDED");
    assert_eq!(part["operation"]["outcome"], "PARTIALLY_REFUNDED");
    let too_much = [
        "op",
        "compensate",
        id,
        "--label",
        "part-2",
        "--reason",
        "other",
        "--amount",
        "61",
        "--currency",
        "USD",
    ];
    let refused = server.ask(&too_much).error(5);
    assert_eq!(refused["reason"], "REFUND_EXCEEDS_CAPTURED");
    let rest = [
        "op",
        "compensate",
        id,
        "--label",
        "rest",
        "--reason",
        "duplicate",
    ];
    let rest = server.ask(&rest).json(0);
    assert_eq!(rest["operation"]["outcome"], "REFUNDED");
    // Paid and given back is not paid.
    let paying = ["pay", "7", "100", "USD"];
    assert_eq!(server.ask(&paying).json(5)["outcome"], "REFUNDED");

    let history = server.ask(&["op", "history", id]).json(0);
    let version = history["operation"]["version"].as_str().unwrap();
    let entries = history["entries"].as_array().unwrap();
    assert_eq!(entries.len().to_string(), version);
    let table = server.ask_in_text(&["op", "history", id]);
    assert!(table.stdout.contains("SUCCEEDED"), "{}", table.stdout);

    let watched = server.ask(&["op", "watch", id]);
    watched.ended_with(0);
    let last: Value = serde_json::from_str(watched.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["version"], version);
}

#[test]
fn without_a_server_a_command_says_so() {
    let (_folder, server) = server();
    let url = server.url().to_owned();
    drop(server);
    let error = run(&["pay", "1", "5", "USD", "--json", "--server", &url]).error(6);
    assert_eq!(error["code"], "UNAVAILABLE");
    assert_eq!(error["effect"], "NONE");
}
