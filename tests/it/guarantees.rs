//! The page of guarantees names every promise, and tests that exist.

use std::collections::{BTreeSet, HashSet};

use proc_macro2::{TokenStream, TokenTree};

use crate::source;

const PAGE: &str = include_str!("../../docs/guarantees.md");

/// The paths of tests between backticks.
fn named(page: &str) -> BTreeSet<&str> {
    let quoted = page.split('`').skip(1).step_by(2);
    quoted
        .filter(|text| text.contains("::") && !text.contains(char::is_whitespace))
        .collect()
}

/// The names written in each file, and those that its path is made of.
fn written() -> Vec<HashSet<String>> {
    let folders = ["src", "tests"];
    let files = folders.into_iter().flat_map(source::files);
    let names = files.map(|(name, text)| {
        let path = name.trim_end_matches(".rs").split('/').map(str::to_owned);
        let mut found: HashSet<String> = path.collect();
        collect(source::tokens(&name, &text), &mut found);
        found
    });
    names.collect()
}

fn collect(tokens: TokenStream, found: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                found.insert(name.to_string());
            }
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The paths of a page that no file can be meant by.
fn missing<'a>(page: &'a str, files: &[HashSet<String>]) -> Vec<&'a str> {
    let exists = |path: &&str| {
        files
            .iter()
            .any(|names| path.split("::").all(|part| names.contains(part)))
    };
    named(page)
        .into_iter()
        .filter(|path| !exists(path))
        .collect()
}

#[test]
fn every_test_on_the_page_exists() {
    assert_eq!(missing(PAGE, &written()), Vec::<&str>::new());
}

#[test]
fn a_name_that_does_not_exist_is_found() {
    let page = "`guarantees::named` and `guarantees::no_such_test`, see `a::b c`";
    assert_eq!(
        missing(page, &written()),
        ["guarantees::no_such_test"],
        "in a file of its own each part must be written"
    );
}

#[test]
fn every_promise_has_a_row() {
    for number in 1..=17 {
        let row = format!("\n| P{number} |");
        assert!(PAGE.contains(&row), "no row P{number}");
    }
}
