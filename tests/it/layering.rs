//! The import table of `src/lib.rs` holds: each module uses only what its row
//! allows, and each library that has one home is used nowhere else.

use std::collections::BTreeMap;
use std::fmt;

use crate::source::{self, WrittenPath};

/// Libraries that live in some modules only. A name covers the crates whose
/// names it begins.
const HOMES: [(&str, &[&str]); 3] = [
    ("tonic", &["api", "app", "client", "proto"]),
    ("sea_orm", &["store"]),
    ("reqwest", &["http"]),
];

/// Who may ask a clock of this machine. The simulator is another computer.
const CLOCK_HOMES: [&str; 2] = ["clock", "simulator"];

/// The types whose `now` reads a clock of this machine.
const CLOCKS: [&str; 5] = ["SystemTime", "Instant", "OffsetDateTime", "Utc", "Local"];

/// Rows of the table, by module: what each may import.
struct Table(BTreeMap<String, Vec<String>>);

impl Table {
    /// Reads the rows `//! | module | may import |` of a file.
    fn read(text: &str) -> Table {
        let rows = text.lines().filter_map(|line| {
            let cells = line.strip_prefix("//! |")?.strip_suffix('|')?;
            let (module, imports) = cells.split_once('|')?;
            let module = module.trim();
            (module != "module" && !module.starts_with('-')).then(|| {
                let imports = imports.split(',').map(|it| it.trim().to_owned());
                let imports = imports.filter(|it| !it.is_empty()).collect();
                (module.to_owned(), imports)
            })
        });
        Table(rows.collect())
    }

    fn row(&self, module: &str) -> String {
        let imports = self.0.get(module).map(|it| it.join(", "));
        format!("| {module} | {} |", imports.unwrap_or_default())
    }

    /// Whether `module` may use `path`, which starts at the root of the crate.
    fn allows(&self, module: &str, path: &[String]) -> bool {
        if path.first().is_some_and(|first| first == module) {
            return true;
        }
        self.0.get(module).is_some_and(|imports| {
            imports.iter().any(|import| {
                let import: Vec<_> = import.split("::").collect();
                import == ["*"] || path.iter().take(import.len()).eq(import.iter())
            })
        })
    }
}

/// A use that the table or the list of homes forbids.
#[derive(Debug)]
struct Violation {
    file: String,
    line: usize,
    path: String,
    rule: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation {
            file,
            line,
            path,
            rule,
        } = self;
        write!(f, "{file}:{line}: {path} is forbidden by {rule}")
    }
}

/// What one file does that it may not.
fn violations(table: &Table, file: &str, text: &str) -> Vec<Violation> {
    let module = source::module_of(file);
    // The root of the crate and of the program: the map and the entry.
    let home = module.first().map_or("", String::as_str);
    source::written_paths(file, text)
        .iter()
        .filter_map(|path| {
            let rule = broken_rule(table, home, path)?;
            Some(Violation {
                file: file.to_owned(),
                line: path.line,
                path: path.segments.join("::"),
                rule,
            })
        })
        .collect()
}

fn broken_rule(table: &Table, home: &str, path: &WrittenPath) -> Option<String> {
    if let Some(from_root) = path.relative_to_root() {
        return (!home.is_empty() && !table.allows(home, &from_root))
            .then(|| format!("the row {}", table.row(home)));
    }
    if path.in_tests {
        return None;
    }
    if reads_clock(path) && !CLOCK_HOMES.contains(&home) {
        return Some(format!(
            "the rule: wall clocks in {}",
            CLOCK_HOMES.join(", ")
        ));
    }
    let (library, homes) = HOMES
        .iter()
        .find(|(library, _)| belongs_to(library, &path.segments[0]))?;
    (!homes.contains(&home)).then(|| format!("the rule: {library} in {}", homes.join(", ")))
}

fn belongs_to(library: &str, name: &str) -> bool {
    name.strip_prefix(library)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

fn reads_clock(path: &WrittenPath) -> bool {
    path.segments
        .windows(2)
        .any(|pair| CLOCKS.contains(&pair[0].as_str()) && pair[1].starts_with("now"))
        || path.segments.iter().any(|it| it == "clock_gettime")
}

fn table_of_the_crate() -> (Table, String) {
    let (_, text) = source::files("src")
        .into_iter()
        .find(|(name, _)| name == "src/lib.rs")
        .unwrap();
    (Table::read(&text), text)
}

#[test]
fn every_module_keeps_to_its_row() {
    let (table, _) = table_of_the_crate();
    let found: Vec<String> = source::files("src")
        .iter()
        .flat_map(|(file, text)| violations(&table, file, text))
        .map(|violation| violation.to_string())
        .collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn every_module_has_a_row_and_every_row_names_modules() {
    let (Table(rows), text) = table_of_the_crate();
    let declared: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            let line = line
                .strip_prefix("pub mod ")
                .or(line.strip_prefix("mod "))?;
            line.strip_suffix(';')
        })
        .collect();
    let mut with_row: Vec<&str> = rows.keys().map(String::as_str).collect();
    with_row.sort_unstable();
    let mut sorted = declared.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, with_row);

    for import in rows.values().flatten().filter(|it| *it != "*") {
        let module = import.split("::").next().unwrap();
        assert!(declared.contains(&module), "{import} is no module");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
//! | module | may import            |
//! |--------|-----------------------|
//! | domain |                       |
//! | store  | domain                |
//! | worker | domain, store::claims |
//! | app    | *                     |
";

    fn found(file: &str, text: &str) -> Vec<String> {
        violations(&Table::read(TABLE), file, text)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[track_caller]
    fn forbidden(file: &str, text: &str) {
        assert_eq!(found(file, text).len(), 1, "{file}: {text}");
    }

    #[track_caller]
    fn allowed(file: &str, text: &str) {
        assert_eq!(found(file, text), Vec::<String>::new(), "{file}: {text}");
    }

    #[test]
    fn a_violation_names_the_place_the_path_and_the_row() {
        assert_eq!(
            found("src/domain/money.rs", "\nuse crate::store::Row;"),
            ["src/domain/money.rs:2: crate::store::Row is forbidden by the row | domain |  |"]
        );
    }

    #[test]
    fn a_row_allows_what_it_names_and_the_module_itself() {
        allowed("src/store/mod.rs", "use crate::domain::Money;");
        allowed("src/store/claims.rs", "use crate::store::Row;");
        allowed("src/store/claims.rs", "use super::Row;");
        allowed("src/app.rs", "use crate::{domain, store::*};");
        forbidden("src/store/mod.rs", "use crate::worker::Pool;");
        forbidden("src/store/mod.rs", "fn f() { crate::worker::run() }");
        forbidden("src/store/mod.rs", "use payonce::worker::Pool;");
        forbidden("src/store/mod.rs", "use crate::*;");
    }

    #[test]
    fn a_module_cannot_be_reached_by_the_back_stairs() {
        forbidden("src/store/claims.rs", "use super::super::worker::Pool;");
        forbidden("src/store.rs", "use super::worker::Pool;");
        forbidden("src/store.rs", "use crate as root;");
        forbidden("src/store.rs", "mod a { use super::super::worker::Pool; }");
        allowed("src/store.rs", "mod a { use super::worker::Pool; }");
    }

    #[test]
    fn a_row_may_name_one_part_of_a_module() {
        allowed("src/worker/pool.rs", "use crate::store::claims::Claim;");
        forbidden("src/worker/pool.rs", "use crate::store::Commit;");
        forbidden("src/worker/pool.rs", "use crate::store;");
    }

    #[test]
    fn tests_keep_to_the_row_too() {
        forbidden(
            "src/store/mod.rs",
            "#[cfg(test)] mod tests { use crate::worker::Pool; }",
        );
    }

    #[test]
    fn a_file_outside_the_table_may_use_nothing() {
        forbidden("src/desk.rs", "use crate::domain::Money;");
    }

    #[test]
    fn a_library_stays_at_home() {
        allowed("src/store/mod.rs", "use sea_orm::Database;");
        forbidden("src/worker/mod.rs", "use sea_orm::Database;");
        forbidden("src/worker/mod.rs", "fn f() { sea_orm_migration::up() }");
        forbidden("src/main.rs", "use reqwest;");
        forbidden("src/store/mod.rs", "#[tonic::async_trait] trait A {}");
        allowed("src/store/mod.rs", "use tonically::sound;");
        allowed(
            "src/worker/mod.rs",
            "#[cfg(test)] mod tests { use reqwest::Client; }",
        );
    }

    #[test]
    fn clocks_are_read_at_home() {
        allowed("src/clock.rs", "fn f() { std::time::Instant::now(); }");
        forbidden("src/store/mod.rs", "fn f() { Instant::now(); }");
        forbidden(
            "src/store/mod.rs",
            "fn f() { tokio::time::Instant::now(); }",
        );
        forbidden("src/store/mod.rs", "fn f() { OffsetDateTime::now_utc(); }");
        forbidden("src/store/mod.rs", "use rustix::time::clock_gettime;");
        allowed("src/store/mod.rs", "use std::time::{Duration, Instant};");
        allowed(
            "src/store/mod.rs",
            "async fn f() { tokio::time::sleep(D).await }",
        );
    }
}
