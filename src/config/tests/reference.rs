//! `docs/configuration.md` names every key with its default, and no other.

use std::collections::BTreeMap;

use figment::{
    Provider,
    providers::{Format, Toml},
    value::{Dict, Value},
};

use crate::config::loader::DEFAULT;

const REFERENCE: &str = include_str!("../../../docs/configuration.md");

/// Keys without a default of their own: absent unless given.
const OPTIONAL: [&str; 10] = [
    "recovery.witness",
    "default_provider",
    "providers[].name",
    "providers[].kind",
    "providers[].url",
    "providers[].currencies",
    "providers[].facts.profile",
    "providers[].facts.key_life_s",
    "providers[].facts.in_flight_bound_ms",
    "providers[].facts.visibility_lag_ms",
];

fn leaves(dict: &Dict, above: &str, into: &mut BTreeMap<String, String>) {
    for (key, value) in dict {
        let key = format!("{above}{key}");
        match value {
            Value::Dict(_, below) => leaves(below, &format!("{key}."), into),
            leaf => {
                let json = serde_json::to_string(leaf).expect("plain data");
                into.insert(key, json.replace(',', ", "));
            }
        }
    }
}

/// Key and default of every row of the tables.
fn documented() -> BTreeMap<String, String> {
    let cell = |text: &str| text.trim().trim_matches('`').to_owned();
    REFERENCE
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.split('|').collect();
            (cell(cells[1]), cell(cells[2]))
        })
        .collect()
}

#[test]
fn every_key_is_in_the_reference_with_its_default() {
    let parsed = Toml::string(DEFAULT).data().expect("valid TOML");
    let mut expected = BTreeMap::new();
    for dict in parsed.values() {
        leaves(dict, "", &mut expected);
    }
    let mut found = documented();
    for key in OPTIONAL {
        assert!(
            found.remove(key).is_some(),
            "{key} is missing in docs/configuration.md"
        );
    }
    assert_eq!(
        found, expected,
        "docs/configuration.md and default.toml differ"
    );
}
