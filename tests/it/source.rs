//! Reads our own source as tokens, so that comments and strings never count
//! and the bodies of macros do.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

/// A path as it is written somewhere, `crate::store::claims::Claim` for
/// instance; each leaf of a `use` tree is one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WrittenPath {
    pub(crate) segments: Vec<String>,
    pub(crate) line: usize,
    /// The module it stands in, from the root of the crate.
    pub(crate) module: Vec<String>,
    /// Whether only tests are built from it.
    pub(crate) in_tests: bool,
}

impl WrittenPath {
    /// The path from the root of the crate, if it is written relative to the
    /// crate or to a module above.
    pub(crate) fn relative_to_root(&self) -> Option<Vec<String>> {
        let first = self.segments.first()?.as_str();
        let ups = self.segments.iter().take_while(|it| *it == "super").count();
        let (base, rest) = match first {
            "crate" | "payonce" => (&self.module[..0], &self.segments[1..]),
            "self" => (&self.module[..], &self.segments[1..]),
            "super" => (
                &self.module[..self.module.len().saturating_sub(ups)],
                &self.segments[ups..],
            ),
            _ => return None,
        };
        Some(base.iter().chain(rest).cloned().collect())
    }
}

/// All files under `folder` of the package whose names end in `.rs`, with
/// their paths from the root of the package, in order.
pub(crate) fn files(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    collect(&root.join(folder), &mut found);
    found.sort();
    found
        .into_iter()
        .map(|file| {
            let text = fs::read_to_string(&file).unwrap();
            let name = file.strip_prefix(root).unwrap();
            (name.to_str().unwrap().to_owned(), text)
        })
        .collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
}

/// The tokens of a file.
pub(crate) fn tokens(name: &str, text: &str) -> TokenStream {
    text.parse()
        .unwrap_or_else(|error| panic!("{name} is not Rust: {error}"))
}

/// The module that a file under `src/` is: `src/store/mod.rs` is `store`,
/// `src/store/claims.rs` is `store::claims`, `src/lib.rs` is the root.
pub(crate) fn module_of(name: &str) -> Vec<String> {
    let mut module: Vec<String> = name
        .trim_start_matches("src/")
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    if matches!(
        module.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        module.pop();
    }
    module
}

/// All paths of two or more segments in a file under `src/`, and all that are
/// imported.
pub(crate) fn written_paths(name: &str, text: &str) -> Vec<WrittenPath> {
    let module = module_of(name);
    let mut reader = Reader {
        in_tests: module.iter().any(|it| it == "tests"),
        module,
        found: Vec::new(),
    };
    let tokens: Vec<_> = tokens(name, text).into_iter().collect();
    reader.read(&tokens);
    reader.found
}

struct Reader {
    module: Vec<String>,
    in_tests: bool,
    found: Vec<WrittenPath>,
}

impl Reader {
    fn read(&mut self, mut tokens: &[TokenTree]) {
        while !tokens.is_empty() {
            let taken = self.read_one(tokens);
            tokens = &tokens[taken..];
        }
    }

    /// Reads what the tokens begin with; answers how many tokens that was.
    fn read_one(&mut self, tokens: &[TokenTree]) -> usize {
        if let Some(attribute) = test_attribute(tokens) {
            return attribute + self.read_tests(&tokens[attribute..]);
        }
        match tokens {
            [
                TokenTree::Ident(keyword),
                TokenTree::Ident(name),
                TokenTree::Group(body),
                ..,
            ] if keyword == "mod" && body.delimiter() == Delimiter::Brace => {
                self.module.push(text_of(name));
                self.read(&tokens_of(body.stream()));
                self.module.pop();
                3
            }
            // Not the "use<'a>" of a return type.
            [TokenTree::Ident(keyword), rest @ ..]
                if keyword == "use" && !rest.first().is_some_and(|it| is_punct(it, '<')) =>
            {
                let length = rest.iter().take_while(|it| !is_punct(it, ';')).count();
                self.read_use(Vec::new(), &rest[..length]);
                1 + length
            }
            [TokenTree::Ident(first), ..] => self.read_path(first, tokens),
            [TokenTree::Group(group), ..] => {
                self.read(&tokens_of(group.stream()));
                1
            }
            _ => 1,
        }
    }

    /// Reads one item that is built for tests only.
    fn read_tests(&mut self, tokens: &[TokenTree]) -> usize {
        let length = match tokens.iter().position(ends_item) {
            Some(last) => last + 1,
            None => tokens.len(),
        };
        let outside = std::mem::replace(&mut self.in_tests, true);
        self.read(&tokens[..length]);
        self.in_tests = outside;
        length
    }

    fn read_path(&mut self, first: &Ident, tokens: &[TokenTree]) -> usize {
        let mut segments = vec![text_of(first)];
        let mut taken = 1;
        while let [a, b, TokenTree::Ident(next), ..] = &tokens[taken..]
            && is_colons(a, b)
        {
            segments.push(text_of(next));
            taken += 3;
        }
        if segments.len() > 1 {
            self.add(segments, first);
        }
        taken
    }

    /// Reads the tree of a `use`: `prefix` has been read already.
    fn read_use(&mut self, prefix: Vec<String>, tokens: &[TokenTree]) {
        for branch in tokens.split(|it| is_punct(it, ',')) {
            let mut segments = prefix.clone();
            for token in branch {
                match token {
                    TokenTree::Ident(alias) if alias == "as" => break,
                    TokenTree::Ident(segment) => segments.push(text_of(segment)),
                    TokenTree::Group(group) => {
                        self.read_use(segments.clone(), &tokens_of(group.stream()));
                        segments.clear();
                    }
                    TokenTree::Punct(star) if star.as_char() == '*' => segments.push("*".into()),
                    TokenTree::Punct(_) | TokenTree::Literal(_) => {}
                }
            }
            if let (false, Some(token)) = (segments.is_empty(), branch.first()) {
                self.add(segments, token);
            }
        }
    }

    fn add(&mut self, segments: Vec<String>, at: &impl Located) {
        self.found.push(WrittenPath {
            segments,
            line: at.line(),
            module: self.module.clone(),
            in_tests: self.in_tests,
        });
    }
}

trait Located {
    fn line(&self) -> usize;
}

impl Located for Ident {
    fn line(&self) -> usize {
        self.span().start().line
    }
}

impl Located for TokenTree {
    fn line(&self) -> usize {
        self.span().start().line
    }
}

/// How many tokens `#[cfg(test)]`, `#[cfg(all(test, …))]` or their inner forms
/// take, if the tokens begin with one. `any(test, …)` is not one: the product
/// may be built from it too.
fn test_attribute(tokens: &[TokenTree]) -> Option<usize> {
    let (length, body) = match tokens {
        [hash, TokenTree::Group(body), ..] if is_punct(hash, '#') => (2, body),
        [hash, bang, TokenTree::Group(body), ..] if is_punct(hash, '#') && is_punct(bang, '!') => {
            (3, body)
        }
        _ => return None,
    };
    let text: String = body.stream().to_string().split_whitespace().collect();
    (text == "cfg(test)" || text.starts_with("cfg(all(test,")).then_some(length)
}

fn ends_item(token: &TokenTree) -> bool {
    match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        other => is_punct(other, ';'),
    }
}

fn is_colons(a: &TokenTree, b: &TokenTree) -> bool {
    is_punct(a, ':') && is_punct(b, ':')
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

fn tokens_of(stream: TokenStream) -> Vec<TokenTree> {
    stream.into_iter().collect()
}

fn text_of(ident: &Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(name: &str, text: &str) -> Vec<String> {
        written_paths(name, text)
            .iter()
            .map(|it| it.segments.join("::"))
            .collect()
    }

    #[test]
    fn every_leaf_of_a_use_tree_is_a_path() {
        let text = "use crate::{domain::{Money, r#type as kind}, store::claims::*};\nuse tonic;";
        assert_eq!(
            paths("src/x.rs", text),
            [
                "crate::domain::Money",
                "crate::domain::type",
                "crate::store::claims::*",
                "tonic"
            ]
        );
    }

    #[test]
    fn what_a_return_type_captures_is_no_import() {
        let text = "fn f<'a>(a: &'a A) -> impl B + use<'a> { crate::c::d(); crate::e::f() }";
        assert_eq!(paths("src/x.rs", text), ["crate::c::d", "crate::e::f"]);
    }

    #[test]
    fn comments_and_strings_are_no_paths() {
        let text = r#"
            //! See crate::store::Row.
            /// Like crate::store::Row.
            const TEXT: &str = "crate::store::Row"; // crate::store::Row
        "#;
        assert_eq!(paths("src/x.rs", text), Vec::<String>::new());
    }

    #[test]
    fn attributes_and_bodies_of_macros_are_read() {
        let text = "#[derive(sea_orm::DeriveModel)] struct A;\nfn f() { select! { a = crate::store::b() => {} } }";
        assert_eq!(
            paths("src/x.rs", text),
            ["sea_orm::DeriveModel", "crate::store::b"]
        );
    }

    #[test]
    fn a_path_is_followed_from_the_module_it_stands_in() {
        let text = "use super::super::domain::Money; mod inner { fn f() { super::g::h() } } use self::a::B;";
        let found: Vec<_> = written_paths("src/store/claims.rs", text)
            .iter()
            .map(|it| it.relative_to_root().unwrap().join("::"))
            .collect();
        assert_eq!(
            found,
            [
                "domain::Money",
                "store::claims::g::h",
                "store::claims::a::B"
            ]
        );
    }

    #[test]
    fn only_what_is_built_for_tests_alone_counts_as_tests() {
        let in_tests = |text: &str| written_paths("src/x.rs", text)[0].in_tests;
        assert!(in_tests("#[cfg(test)] mod tests { use a::b; }"));
        assert!(in_tests("#[cfg(test)] #[allow(dead)] use a::b;"));
        assert!(in_tests("#[cfg(all(test, unix))] fn f() { a::b() }"));
        assert!(in_tests("#![cfg(test)] use a::b;"));
        assert!(!in_tests("#[cfg(any(test, unix))] fn f() { a::b() }"));
        assert!(!in_tests("#[cfg(not(test))] fn f() { a::b() }"));
        assert!(!in_tests("#[cfg(test)] mod tests {} use a::b;"));
        assert!(written_paths("src/x/tests.rs", "use a::b;")[0].in_tests);
    }
}
