//! Finds card numbers in text, so that the edge can refuse them (P16).
//!
//! A number counts when it stands in whole groups of digits with nothing but
//! spaces and dashes between them, has the beginning and the length of an
//! issuer's numbers (ISO/IEC 7812), and its last digit checks (Luhn). All
//! three together, so that order numbers are rarely taken for cards.

/// Fewest digits of a card number.
const SHORTEST: usize = 13;

/// Most digits of a card number.
const LONGEST: usize = 19;

/// Whether the text holds a card number. A text that is a UUID as a whole
/// never does, however many digits it has.
pub fn holds_card_number(text: &str) -> bool {
    let is_uuid = text.len() == 36 && uuid::Uuid::try_parse(text).is_ok();
    !is_uuid && runs(text).iter().any(|groups| holds_card(groups))
}

/// Groups of digits that only spaces and dashes part, together.
fn runs(text: &str) -> Vec<Vec<String>> {
    let mut runs = vec![Vec::new()];
    let mut group = String::new();
    for char in text.chars().chain(['.']) {
        if char.is_ascii_digit() {
            group.push(char);
            continue;
        }
        let run = runs.last_mut().expect("there is always one");
        if !group.is_empty() {
            run.push(std::mem::take(&mut group));
        }
        if !is_separator(char) && !run.is_empty() {
            runs.push(Vec::new());
        }
    }
    runs
}

/// Spaces and dashes of any kind: numbers are pasted from printed pages.
fn is_separator(char: char) -> bool {
    char == '-' || char.is_whitespace() || ('\u{2010}'..='\u{2015}').contains(&char)
}

/// Whether neighbouring groups make a card number. Groups are taken whole: a
/// longer number that merely contains one is something else.
fn holds_card(groups: &[String]) -> bool {
    (0..groups.len()).any(|first| {
        let mut digits = String::new();
        groups[first..].iter().any(|group| {
            digits.push_str(group);
            is_card(&digits)
        })
    })
}

fn is_card(digits: &str) -> bool {
    (SHORTEST..=LONGEST).contains(&digits.len()) && is_issued(digits) && keeps_luhn(digits)
}

/// The ranges of the large issuers, by their first four digits.
fn is_issued(digits: &str) -> bool {
    let Ok(prefix) = digits[..4].parse::<u16>() else {
        return false;
    };
    match prefix {
        4000..=4999 => matches!(digits.len(), 13 | 16 | 19),
        2221..=2720 | 5100..=5599 => digits.len() == 16,
        3400..=3499 | 3700..=3799 => digits.len() == 15,
        3000..=3059 | 3600..=3699 | 3800..=3999 => (14..=19).contains(&digits.len()),
        3528..=3589 | 6011 | 6200..=6299 | 6440..=6599 => digits.len() >= 16,
        5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761..=6763 => true,
        _ => false,
    }
}

/// The check digit of ISO/IEC 7812-1, annex B.
fn keeps_luhn(digits: &str) -> bool {
    let weighed = digits.bytes().rev().enumerate().map(|(place, byte)| {
        let digit = u32::from(byte - b'0');
        match place % 2 {
            0 => digit,
            _ if digit > 4 => digit * 2 - 9,
            _ => digit * 2,
        }
    });
    weighed.sum::<u32>() % 10 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn card_numbers_are_found_however_they_are_written() {
        for text in [
            "4111111111111111",
            "4222222222222",
            "4000000000000000006",
            "5555555555554444",
            "2223003122003222",
            "378282246310005",
            "6011111111111117",
            "30569309025904",
            "3530111333300000",
            "6200000000000005",
            "6759649826438453",
            "4111 1111 1111 1111",
            "4111-1111-1111-1111",
            "4111 - 1111 - 1111 - 1111",
            "4111\u{a0}1111\u{2013}1111 1111",
            "card:4111111111111111",
            "tok_4242424242424242",
            "for 4111 1111 1111 1111 12/29",
            "order 17 4111111111111111",
            "é4111111111111111é",
        ] {
            assert!(holds_card_number(text), "{text:?}");
        }
    }

    #[test]
    fn other_numbers_are_not_taken_for_cards() {
        for text in [
            "",
            "8472",
            "order-8472",
            "4111111111111112",
            "411111111111",
            "41111111111111111111111",
            "99999999999999999",
            "1111111111111117",
            "2026-11-30 12:00:00",
            "41111111.11111111",
            "41111111/11111111",
            "tok_visa",
            "41111111-1111-4111-8111-111111111111",
            "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
        ] {
            assert!(!holds_card_number(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "\\PC*") {
            let _ = holds_card_number(&text);
        }

        #[test]
        fn one_wrong_digit_is_no_card(place in 0_usize..16, by in 1_u8..10) {
            let mut digits = *b"4111111111111111";
            digits[place] = b'0' + (digits[place] - b'0' + by) % 10;
            let text = std::str::from_utf8(&digits).expect("digits");
            prop_assert!(!holds_card_number(text));
        }
    }
}
