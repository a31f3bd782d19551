use std::{
    io,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use tracing::{debug, info, info_span, subscriber::with_default};

use super::{Format, TelemetryError, fields, redact, subscriber};

/// What was written, shared with the subscriber.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("not poisoned").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn lines_of(format: Format, filter: &str, work: impl FnOnce()) -> Vec<String> {
    let written = Written::default();
    let writer = written.clone();
    let subscriber = subscriber(format, filter, move || writer.clone()).expect("valid filter");
    with_default(subscriber, work);
    let bytes = written.0.lock().expect("not poisoned").clone();
    let text = String::from_utf8(bytes).expect("UTF-8");
    text.lines().map(str::to_owned).collect()
}

fn one_event_in_two_spans() {
    let request = info_span!(
        "submit",
        { fields::OPERATION_ID } = "0190",
        { fields::OUTCOME } = tracing::field::Empty
    );
    request.record(fields::OUTCOME, "PENDING");
    let _request = request.enter();
    let _call = info_span!("provider_call", { fields::ATTEMPT } = 2).entered();
    info!({ fields::STATE } = "UNKNOWN", "no answer\nforged line");
    debug!("below the level");
}

#[test]
fn a_json_line_has_time_level_target_and_the_fields_of_its_spans() {
    let lines = lines_of(Format::Json, "info", one_event_in_two_spans);
    assert_eq!(lines.len(), 1, "{lines:?}");
    let line: Value = serde_json::from_str(&lines[0]).expect("JSON");
    assert!(
        line["timestamp"]
            .as_str()
            .is_some_and(|time| time.ends_with('Z'))
    );
    assert_eq!(line["level"], "INFO");
    assert_eq!(line["target"], module_path!());
    assert_eq!(line["message"], "no answer\nforged line");
    assert_eq!(line["state"], "UNKNOWN");
    assert_eq!(line["span"]["attempt"], 2);
    assert_eq!(line["spans"][0]["operation_id"], "0190");
    assert_eq!(line["spans"][0]["outcome"], "PENDING");
}

#[test]
fn a_pretty_line_names_the_same_fields() {
    let lines = lines_of(Format::Pretty, "info", one_event_in_two_spans);
    let text = lines.join("\n");
    for part in [
        "INFO",
        "operation_id=\"0190\"",
        "attempt=2",
        "state=\"UNKNOWN\"",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    assert!(!text.contains('\u{1b}'), "no colour into a pipe: {text:?}");
}

#[test]
fn the_filter_works_by_target_and_a_broken_one_is_refused() {
    assert!(lines_of(Format::Json, "off", one_event_in_two_spans).is_empty());
    let other = lines_of(Format::Json, "warn,payonce=debug", one_event_in_two_spans);
    assert_eq!(other.len(), 2);
    let broken = subscriber(Format::Json, "payonce=loud", io::sink).err();
    assert!(
        matches!(broken, Some(TelemetryError::Filter(_))),
        "{broken:?}"
    );
}

#[test]
fn redacted_text_keeps_length_and_a_piece_of_its_hash_only() {
    let card = "card 4242424242424242 declined\nlevel=INFO";
    let shown = redact(card).to_string();
    assert!(shown.starts_with("[41 bytes, sha256 "), "{shown}");
    assert!(!shown.contains("4242") && !shown.contains('\n'));
    assert_eq!(redact(card), redact(card));
    assert_ne!(redact(card), redact("other"));
    assert_eq!(redact("abc").to_string(), "[3 bytes, sha256 ba7816bf]");
    assert_eq!(
        redact([0xff_u8]).to_string(),
        "[1 bytes, sha256 a8100ae6]",
        "any bytes"
    );
}
