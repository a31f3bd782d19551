use super::super::create;
use super::create::good;
use super::fields;

fn description(text: &str) -> Result<Option<String>, Vec<&'static str>> {
    let mut request = good();
    request.description = text.to_owned();
    match create(request) {
        Ok(read) => Ok(read.request.description),
        Err(malformed) => Err(fields(Err::<(), _>(malformed))),
    }
}

fn labels<const N: usize>(pairs: [(&str, &str); N]) -> Result<usize, Vec<&'static str>> {
    let mut request = good();
    let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
    request.labels = pairs.into();
    match create(request) {
        Ok(read) => Ok(read.request.labels.len()),
        Err(malformed) => Err(fields(Err::<(), _>(malformed))),
    }
}

#[test]
fn descriptions_are_bounded_in_bytes_and_free_of_control_characters() {
    let full = "x".repeat(512);
    assert_eq!(description(&full), Ok(Some(full.clone())));
    assert_eq!(description(&"é".repeat(256)), Ok(Some("é".repeat(256))));
    for bad in [
        "x".repeat(513).as_str(),
        &"é".repeat(257),
        "a\0b",
        "a\nb",
        "a\tb",
        "\u{1b}[31m",
        "\u{7f}",
        "\u{85}",
    ] {
        assert_eq!(description(bad), Err(vec!["description"]), "{bad:?}");
    }
}

#[test]
fn labels_are_bounded_in_number_and_size() {
    assert_eq!(labels([(&"k".repeat(40), &"v".repeat(256))]), Ok(1));
    assert_eq!(labels([("k", "")]), Ok(1));
    for (key, value) in [
        ("", "v"),
        (&*"k".repeat(41), "v"),
        ("k", &*"v".repeat(257)),
        ("k\0", "v"),
        ("k", "v\r\n"),
    ] {
        assert_eq!(labels([(key, value)]), Err(vec!["labels"]), "{key:?}");
    }
    let names: Vec<String> = (0..17).map(|number| number.to_string()).collect();
    let seventeen: [(&str, &str); 17] = std::array::from_fn(|at| (names[at].as_str(), "v"));
    assert_eq!(labels(seventeen), Err(vec!["labels"]));
    let sixteen: [(&str, &str); 16] = std::array::from_fn(|at| (names[at].as_str(), "v"));
    assert_eq!(labels(sixteen), Ok(16));
}
