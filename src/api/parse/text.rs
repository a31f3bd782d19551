//! Text that people and programs choose freely, and what no text may hold.

use std::collections::{BTreeMap, HashMap};

use crate::domain::card_number::holds_card_number;

use super::Faults;

const CARD_RULE: &str = "must not hold a card number; send the provider's token instead";

/// Longest description, in bytes.
const MAX_DESCRIPTION: usize = 512;
/// Most labels of one operation.
const MAX_LABELS: usize = 16;
/// Longest key of a label, in bytes.
const MAX_KEY: usize = 40;
/// Longest value of a label, in bytes.
const MAX_VALUE: usize = 256;

impl Faults {
    /// Whether the text holds no card number.
    pub(super) fn free_of_cards(&mut self, field: &'static str, text: &str) -> bool {
        let found = holds_card_number(text);
        if found {
            self.card_number = true;
            self.add(field, CARD_RULE);
        }
        !found
    }

    /// `description`: `None` when it is empty.
    pub(super) fn description(&mut self, text: String) -> Option<String> {
        self.free_of_cards("description", &text);
        if text.len() > MAX_DESCRIPTION {
            self.add("description", "must be at most 512 bytes");
        }
        if text.chars().any(char::is_control) {
            self.add("description", "must not hold control characters");
        }
        (!text.is_empty()).then_some(text)
    }

    /// `labels`. A fault names no key: it may be what must not be repeated.
    pub(super) fn labels(&mut self, labels: HashMap<String, String>) -> BTreeMap<String, String> {
        if labels.len() > MAX_LABELS {
            self.add("labels", "must be at most 16");
        }
        for (key, value) in &labels {
            self.free_of_cards("labels", key);
            self.free_of_cards("labels", value);
            if !(1..=MAX_KEY).contains(&key.len()) {
                self.add("labels", "must have keys of 1 to 40 bytes");
            }
            if value.len() > MAX_VALUE {
                self.add("labels", "must have values of at most 256 bytes");
            }
            if key.chars().chain(value.chars()).any(char::is_control) {
                self.add("labels", "must not hold control characters");
            }
        }
        labels.into_iter().collect()
    }
}
