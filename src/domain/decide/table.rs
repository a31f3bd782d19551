//! Prints the tables of `docs/lifecycle.md` from the real functions, and
//! fails when the page says something else.

mod cells;
mod events;
mod outcomes;
mod subjects;

use std::fs;
use std::path::{Path, PathBuf};

use crate::domain::kind::Kind;
use crate::domain::state::State;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The page with `table` between the markers of that name.
fn with(page: &str, name: &str, table: &str) -> String {
    let (begin, end) = (
        format!("<!-- {name} -->\n"),
        format!("<!-- end of {name} -->"),
    );
    let (head, rest) = page
        .split_once(&begin)
        .unwrap_or_else(|| panic!("no marker {begin:?}"));
    let (_, tail) = rest
        .split_once(&end)
        .unwrap_or_else(|| panic!("no marker {end:?}"));
    format!("{head}{begin}\n{table}\n{end}{tail}")
}

fn row(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().collect();
    format!("| {} |\n", cells.join(" | "))
}

/// One table: an event for each line, a state for each column.
fn transitions(kind: Kind, states: &[State]) -> String {
    let heads = states.iter().map(|state| subjects::heading(kind, *state));
    let mut table = row(["event".to_owned()].into_iter().chain(heads));
    table += &row(std::iter::repeat_n("---".to_owned(), states.len() + 1));
    for event in events::EVENTS {
        let cells = states.iter().map(|state| {
            let mut scene = subjects::subject(kind, *state);
            (event.prepare)(&mut scene);
            let handed = (event.make)(&mut scene);
            cells::cell(&mut scene, &handed)
        });
        table += &row([event.name.to_owned()].into_iter().chain(cells));
    }
    table
}

fn lifecycle(page: &str) -> String {
    let (open, settled) = State::ALL.split_at(6);
    let page = with(page, "CHARGE, unsettled", &transitions(Kind::Charge, open));
    let page = with(
        &page,
        "CHARGE, settled",
        &transitions(Kind::Charge, settled),
    );
    let page = with(&page, "REFUND, unsettled", &transitions(Kind::Refund, open));
    let page = with(
        &page,
        "REFUND, settled",
        &transitions(Kind::Refund, settled),
    );
    with(&page, "outcomes", &outcomes::table())
}

#[test]
fn the_page_says_what_decide_does() {
    let path: PathBuf = root().join("docs/lifecycle.md");
    let page = fs::read_to_string(&path).expect("docs/lifecycle.md");
    let expected = lifecycle(&page);
    if page != expected {
        let printed = root().join("target/lifecycle.md");
        fs::write(&printed, expected).expect("target/lifecycle.md");
        panic!(
            "docs/lifecycle.md differs: read target/lifecycle.md, and if it is meant so, copy it over"
        );
    }
}
