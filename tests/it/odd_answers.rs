//! The processor has done what it was asked for, and what the service hears
//! of it is odd: never a decline, never a second request to be sure, and in
//! the end it is known.

use std::fs;
use std::time::Duration;

use futures_util::future::join_all;
use payonce::proto::v1::{OperationState, Outcome};
use serde_json::json;

use crate::lab::database::{TestDatabase, both_databases};
use crate::lab::harness::{GoBetween, Trick, World, WorldOptions, charge, give_back};

/// How many are tried at once.
const WAVE: usize = 10;

/// Answers that no payment can be read from.
fn corpus(elsewhere: &str) -> Vec<(&'static str, Vec<u8>)> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    let sized = |body: &str| format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    let status = |line: &str| format!("HTTP/1.1 {line}\r\nContent-Length: 2\r\n\r\n{{}}");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let header = |number| format!("X-Header-{number}: {number}\r\n");
    let headers: String = (0..100_000).map(header).collect();
    let texts = [
        (
            "longer",
            format!("{head}Content-Length: 5000\r\n\r\n{{\"id\":\"pay_1\""),
        ),
        (
            "shorter",
            format!("{head}Content-Length: 9\r\n\r\n{{\"id\":\"pay_1\",\"status\":1}}"),
        ),
        (
            "two-lengths",
            format!("{head}Content-Length: 2\r\nContent-Length: 4\r\n\r\n{{}}{{}}"),
        ),
        (
            "chunk-cut",
            format!("{head}Transfer-Encoding: chunked\r\n\r\n40\r\n{{\"id\":"),
        ),
        (
            "chunk-odd",
            format!("{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{{}}\r\n0\r\n\r\n"),
        ),
        (
            "chunk-open",
            format!("{head}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n"),
        ),
        ("head-cut", "HTTP/1.1 200 OK\r\nContent-Ty".to_owned()),
        ("no-http", "SSH-2.0-OpenSSH_9.2\r\n".to_owned()),
        (
            "headers",
            format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: 2\r\n\r\n{{}}"),
        ),
        ("empty", sized("")),
        ("null", sized("null")),
        ("true", sized("true")),
        ("number", sized("1e999")),
        (
            "array",
            sized("[{\"id\":\"pay_1\",\"status\":\"succeeded\"}]"),
        ),
        ("deep", sized(&deep)),
        (
            "error",
            sized(r#"{"error":{"type":"card_error","code":"card_declined"}}"#),
        ),
        ("failed", sized(r#"{"status":"failed"}"#)),
        ("ok", sized(r#"{"result":"OK","success":true}"#)),
        ("html", sized("<html>Payment declined</html>")),
        ("text", sized("succeeded")),
        ("created", status("201 Created")),
        ("no-content", "HTTP/1.1 204 No Content\r\n\r\n".to_owned()),
        ("teapot", status("418 I'm a teapot")),
        ("timeout", status("408 Request Timeout")),
        ("gone", status("410 Gone")),
        ("500", status("500 Internal Server Error")),
        ("502", status("502 Bad Gateway")),
        ("503", status("503 Service Unavailable")),
        ("504", status("504 Gateway Timeout")),
        ("402", status("402 Payment Required")),
        ("unknown", status("799 Whatever")),
    ];
    let redirects = [301, 302, 303, 307, 308].map(|code| {
        let text = format!(
            "HTTP/1.1 {code} Moved\r\nLocation: http://{elsewhere}/v1/payments\r\n\
             Content-Length: 0\r\n\r\n"
        );
        ("moved", text.into_bytes())
    });
    let gzip = [
        format!("{head}Content-Encoding: gzip\r\nContent-Length: 24\r\n\r\n").into_bytes(),
        // {} repeated, deflated
        vec![
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0xae, 5, 0, 0x43, 0xbf, 0xa6, 0xa3, 2, 0, 0,
            0, 0, 0,
        ],
    ]
    .concat();
    let not_utf8 = [
        format!("{head}Content-Length: 4\r\n\r\n").into_bytes(),
        vec![0xff, 0xfe, 0x7b, 0x7d],
    ]
    .concat();
    texts
        .into_iter()
        .map(|(name, text)| (name, text.into_bytes()))
        .chain(redirects)
        .chain([("gzip", gzip), ("bytes", not_utf8)])
        .collect()
}

async fn behind(options: WorldOptions, database: TestDatabase) -> (GoBetween, World) {
    let between = GoBetween::start().await;
    let options = WorldOptions {
        bank: Some(between.addr()),
        ..options
    };
    let world = World::start(database, options).await;
    between.lead_to(world.judge().address());
    (between, world)
}

both_databases!(
    no_odd_answer_is_a_decline_or_a_second_payment,
    |database| async move {
        let options = WorldOptions::default().with_a_long_lease();
        let (between, world) = behind(options, database).await;
        let caller = world.caller();
        let corpus = corpus(world.judge().address());
        let pay = async |number: usize, name: &str, bytes: &[u8]| {
            let order = format!("order-{number}");
            between.play(&order, Trick::Say(bytes.to_vec()));
            let paid = caller
                .pay_until(charge(&order, "pm_ok"), Outcome::Succeeded)
                .await;
            let states = caller.states(&paid.operation_id).await;
            assert!(
                states.contains(&OperationState::Unknown),
                "{name}: {states:?}"
            );
            assert_eq!(world.judge().charges(&order).await.len(), 1, "{name}");
            assert_eq!(world.judge().captures(&order).await.len(), 1, "{name}");
        };
        let numbered: Vec<_> = corpus.iter().enumerate().collect();
        for wave in numbered.chunks(WAVE) {
            let wave = wave.iter();
            join_all(wave.map(|(number, (name, bytes))| pay(*number, name, bytes))).await;
        }
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_odd_answer_to_a_refund_is_a_second_refund() {
    let options = WorldOptions::default().with_a_long_lease();
    let (between, world) = behind(options, TestDatabase::sqlite()).await;
    let caller = world.caller();
    let corpus = corpus(world.judge().address());
    let refund = async |number: usize, name: &str, bytes: &[u8]| {
        let order = format!("order-{number}");
        let paid = caller
            .pay_until(charge(&order, "pm_ok"), Outcome::Succeeded)
            .await;
        between.play(&order, Trick::Say(bytes.to_vec()));
        let asked = caller.compensate(give_back(&paid.operation_id, "r")).await;
        asked.unwrap();
        caller.until(&paid.operation_id, Outcome::Refunded).await;
        assert_eq!(world.judge().posts(&order).await.len(), 2, "{name}");
        assert_eq!(world.judge().refunds(&order).await.len(), 1, "{name}");
    };
    let numbered: Vec<_> = corpus.iter().enumerate().collect();
    for wave in numbered.chunks(WAVE) {
        let wave = wave.iter();
        join_all(wave.map(|(number, (name, bytes))| refund(*number, name, bytes))).await;
    }
}

/// An answer that comes a byte at a time ends at the deadline of the whole
/// call, also when it has only begun with its head.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_drips_is_not_waited_for() {
    let (between, world) = behind(WorldOptions::default(), TestDatabase::sqlite()).await;
    between.play("order-1", Trick::Drip(Duration::from_millis(500)));
    let caller = world.caller();
    let paid = caller
        .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
        .await;
    let states = caller.states(&paid.operation_id).await;
    assert!(states.contains(&OperationState::Unknown), "{states:?}");
    assert_eq!(world.judge().charges("order-1").await.len(), 1);
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
}

/// The peak of what a process has held in memory, in KiB.
fn peak(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let number = line.and_then(|it| it.split_whitespace().next());
    number.unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn huge_answers_do_not_fill_the_memory() {
    const AT_ONCE: usize = 6;
    /// What one answer of the processor is long, in KiB.
    const HUGE: u64 = 64 * 1024;
    let world = World::start(TestDatabase::sqlite(), WorldOptions::default()).await;
    let caller = world.caller();
    caller
        .pay_until(charge("first", "pm_ok"), Outcome::Succeeded)
        .await;
    let before = peak(world.process_id(0));
    let pay = async |number: usize| {
        let order = format!("order-{number}");
        let huge = json!({"kind": "huge_body"});
        world.judge().fault(&order, "payment", 1, huge).await;
        caller
            .pay_until(charge(&order, "pm_ok"), Outcome::Succeeded)
            .await;
        assert_eq!(world.judge().charges(&order).await.len(), 1);
        assert_eq!(world.judge().captures(&order).await.len(), 1);
    };
    join_all((0..AT_ONCE).map(pay)).await;
    let grown = peak(world.process_id(0)) - before;
    assert!(grown < HUGE, "{grown} KiB");
}

/// The key remembers the failure: repeating the request tells nothing, so it
/// is not repeated for ever, and the look-up decides.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stored_failure_that_is_replayed_stays_unknown_until_it_is_found() {
    let options = WorldOptions::default().with_a_quick_proof();
    let (between, world) = behind(options, TestDatabase::sqlite()).await;
    // Unseen by look-ups, and the service hears a failure.
    let hidden = json!({"kind": "hide", "hide_ms": 4000});
    world.judge().fault("order-1", "payment", 1, hidden).await;
    let failure = |replayed: &str| {
        let head = "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n";
        Trick::Say(format!("{head}{replayed}\r\n{{}}").into_bytes())
    };
    between.play("order-1", failure(""));
    for _ in 0..5 {
        between.play("order-1", failure("Idempotent-Replayed: true\r\n"));
    }
    let caller = world.caller();
    let paid = caller
        .pay_until(charge("order-1", "pm_ok"), Outcome::Succeeded)
        .await;
    let states = caller.states(&paid.operation_id).await;
    assert!(!states.contains(&OperationState::Declined), "{states:?}");
    let sent = world.judge().charges("order-1").await;
    assert!(
        sent.len() <= 2,
        "a replayed failure ends resends: {sent:#?}"
    );
    assert_eq!(world.judge().captures("order-1").await.len(), 1);
}
