//! Habits that no lint knows.

use proc_macro2::{TokenStream, TokenTree};

use crate::source;

/// A file beyond this length has more than one subject.
const LONGEST_FILE: usize = 500;

/// Names that say nothing of what is inside.
const EMPTY_NAMES: [&str; 7] = [
    "common", "helper", "helpers", "misc", "shared", "util", "utils",
];

/// What is wrong with one file under `src/`.
fn faults_of_product(name: &str, text: &str) -> Vec<String> {
    let mut faults = faults(name, text);
    let lines = text.lines().count();
    if lines > LONGEST_FILE {
        faults.push(format!(
            "{name}: {lines} lines, and {LONGEST_FILE} are the most; split it by subject"
        ));
    }
    let of_tests = source::module_of(name).iter().any(|it| it == "tests");
    if !of_tests && !text.starts_with("//!") {
        faults.push(format!(
            "{name}: begins without //!, what the module guarantees"
        ));
    }
    faults
}

/// What is wrong with one file anywhere.
fn faults(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if name
        .trim_end_matches(".rs")
        .split('/')
        .any(|part| EMPTY_NAMES.contains(&part))
    {
        faults.push(format!("{name}: the name does not say what is in it"));
    }
    find_unfinished(name, source::tokens(name, text), &mut faults);
    faults
}

fn find_unfinished(name: &str, tokens: TokenStream, faults: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let unfinished = match (token, tokens.get(at + 1)) {
            (TokenTree::Ident(macro_name), Some(TokenTree::Punct(bang))) => {
                bang.as_char() == '!' && (macro_name == "todo" || macro_name == "unimplemented")
            }
            (TokenTree::Punct(hash), Some(TokenTree::Group(attribute))) => {
                hash.as_char() == '#' && attribute.stream().to_string().starts_with("ignore")
            }
            _ => false,
        };
        if unfinished {
            let line = token.span().start().line;
            faults.push(format!("{name}:{line}: unfinished or switched off"));
        }
        if let TokenTree::Group(group) = token {
            find_unfinished(name, group.stream(), faults);
        }
    }
}

#[test]
fn the_source_is_tidy() {
    let product = source::files("src");
    let tests = source::files("tests");
    let found: Vec<String> = product
        .iter()
        .flat_map(|(name, text)| faults_of_product(name, text))
        .chain(tests.iter().flat_map(|(name, text)| faults(name, text)))
        .collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(name: &str, text: &str) -> usize {
        faults_of_product(name, text).len()
    }

    #[test]
    fn a_tidy_file_has_no_faults() {
        let text = "//! What it guarantees: no todo!() here.\nfn f() { g(\"unimplemented!()\") }";
        assert_eq!(count("src/clock.rs", text), 0);
        assert_eq!(count("src/clock/tests.rs", "use super::*;"), 0);
    }

    #[test]
    fn each_fault_is_found() {
        assert_eq!(count("src/clock.rs", "fn f() {}"), 1);
        assert_eq!(count("src/utils.rs", "//! a"), 1);
        assert_eq!(count("src/common/clock.rs", "//! a"), 1);
        assert_eq!(count("src/a.rs", "//! a\nfn f() { if a { todo!() } }"), 1);
        assert_eq!(count("src/a.rs", "//! a\nfn f() { unimplemented!() }"), 1);
        assert_eq!(count("src/a.rs", "//! a\nmod b { #[ignore] fn f() {} }"), 1);
        assert_eq!(
            count("src/a.rs", "//! a\n#[ignore = \"slow\"] fn f() {}"),
            1
        );
        let long = format!("//! a\n{}", "fn f() {}\n".repeat(500));
        assert_eq!(count("src/a.rs", &long), 1);
    }
}
