//! The names in the checks are the names of the domain.

use payonce_migrations::schema;
use sea_orm::DbBackend;

use crate::domain::attempt::{AttemptResult, Step};
use crate::domain::effect::Role;
use crate::domain::evidence::DeclineCategory;
use crate::domain::kind::Kind;
use crate::domain::money::MAX_MINOR_UNITS;
use crate::domain::operation::ReviewReason;
use crate::domain::recovery::RecoveryState;
use crate::domain::request::CompensationReason;
use crate::domain::state::State;
use crate::store::read::{IS_COMPENSATION, IS_PAYMENT};

fn check<T: Copy>(column: &str, all: &[T], name: impl Fn(T) -> &'static str) -> String {
    let names: Vec<_> = all.iter().map(|one| format!("'{}'", name(*one))).collect();
    format!("CHECK ({column} IN ({}))", names.join(", "))
}

#[test]
fn every_name_of_the_domain_is_allowed_and_no_other() {
    let checks = [
        check("kind", &Kind::ALL, Kind::name),
        check("state", &State::ALL, State::name),
        check("reason", &CompensationReason::ALL, CompensationReason::name),
        check(
            "decline_category",
            &DeclineCategory::ALL,
            DeclineCategory::name,
        ),
        check("review_reason", &ReviewReason::ALL, ReviewReason::name),
        check("reason", &ReviewReason::ALL, ReviewReason::name),
        check("role", &Role::ALL, Role::name),
        check("step", &Step::ALL, Step::name),
        check("result", &AttemptResult::ALL, AttemptResult::name),
        check("recovery_state", &RecoveryState::ALL, RecoveryState::name),
        format!("CHECK (amount BETWEEN 1 AND {MAX_MINOR_UNITS})"),
    ];
    for backend in [DbBackend::Sqlite, DbBackend::Postgres] {
        let text = schema(backend);
        assert!(!text.contains('{'), "a word was left untranslated");
        for check in &checks {
            assert!(text.contains(check), "{check}");
        }
    }
}

fn family(belongs: fn(Kind) -> bool) -> String {
    let kinds = Kind::ALL.into_iter().filter(|kind| belongs(*kind));
    let names: Vec<_> = kinds.map(|kind| format!("'{kind}'")).collect();
    format!("kind IN ({})", names.join(", "))
}

#[test]
fn the_kinds_in_the_indexes_and_in_the_queries_are_the_domains() {
    assert_eq!(IS_PAYMENT, family(Kind::is_payment));
    assert_eq!(IS_COMPENSATION, family(Kind::is_compensation));
    for words in [IS_PAYMENT, IS_COMPENSATION] {
        assert!(schema(DbBackend::Sqlite).contains(&format!("WHERE {words}")));
    }
}

#[test]
fn the_states_in_the_indexes_are_the_domains() {
    let unresolved: Vec<_> = State::ALL
        .into_iter()
        .filter(|s| s.is_unresolved())
        .collect();
    let names = unresolved.iter().map(|state| format!("'{state}'"));
    let list = format!("state IN ({})", names.collect::<Vec<_>>().join(", "));
    assert_eq!(schema(DbBackend::Sqlite).matches(&list).count(), 2);
}
