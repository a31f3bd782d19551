//! The bugs that are put in on purpose fit the source, and name tests that
//! exist. That those tests find them is seen by `tests/seeded-bugs/run`.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::source;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeded-bugs")
}

fn patches() -> Vec<(PathBuf, String)> {
    let found = fs::read_dir(folder()).unwrap();
    let paths = found.map(|entry| entry.unwrap().path());
    let patches = paths.filter(|path| path.extension().is_some_and(|it| it == "patch"));
    patches
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect()
}

fn head_line<'a>(patch: &'a str, name: &str) -> Option<&'a str> {
    let mut head = patch.lines().take_while(|line| !line.starts_with("diff "));
    head.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// The names of tests in a filter: its words that are written like functions.
fn names(filter: &str) -> Vec<&str> {
    let words = filter.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    words.filter(|word| word.contains('_')).collect()
}

fn functions() -> HashSet<String> {
    let files = ["src", "tests"].into_iter().flat_map(source::files);
    let texts: Vec<String> = files.map(|(_, text)| text).collect();
    let words = texts
        .iter()
        .flat_map(|text| text.split(|it: char| !it.is_ascii_alphanumeric() && it != '_'));
    words.map(str::to_owned).collect()
}

#[test]
fn every_bug_says_which_tests_find_it() {
    let functions = functions();
    let patches = patches();
    assert!(patches.len() >= 13, "{} bugs", patches.len());
    for (path, patch) in &patches {
        let target = head_line(patch, "Target");
        assert!(matches!(target, Some("lib" | "test it")), "{path:?}");
        let filter = head_line(patch, "Caught-by").unwrap_or_else(|| panic!("{path:?}"));
        for name in names(filter) {
            assert!(functions.contains(name), "{path:?} names {name}");
        }
    }
}

#[test]
fn every_bug_fits_the_source() {
    let checked = Command::new(folder().join("run")).arg("--check").output();
    let checked = checked.unwrap();
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{said}");
}
