//! P15: what was written is what is replayed, and what was altered is found.

use crate::domain::decide::testing::*;
use crate::domain::ids::{CommitId, OperationId};
use crate::domain::ledger::{Broken, LedgerRow, open, replay};
use crate::domain::reference::TenantId;
use crate::domain::time::Instant;

fn rows() -> Vec<LedgerRow> {
    let scene = Scene::charge().showing(action_until(None));
    scene.kept[&scene.focus].rows.clone()
}

fn altered(change: impl FnOnce(&mut LedgerRow)) -> Option<Broken> {
    let mut rows = rows();
    change(rows.last_mut().expect("rows"));
    replay(&rows).err()
}

#[test]
fn an_empty_ledger_stands_for_no_row() {
    assert_eq!(replay(&[]), Ok(None));
}

#[test]
fn foreign_strings_are_kept_apart_and_come_back() {
    let rows = rows();
    let (mut bodies, mut apart) = (String::new(), String::new());
    for row in &rows {
        bodies.push_str(&row.body);
        apart.push_str(&row.foreign);
        open(row).expect("readable");
    }
    for foreign in ["Grüße", "pm_", "anna", "issuer.example"] {
        assert!(!bodies.contains(foreign), "{foreign}");
        assert!(apart.contains(foreign), "{foreign}");
    }
}

#[test]
fn the_columns_beside_the_body_are_checked() {
    let version = rows().len() as i64;
    let found = Some(Broken::Altered(version));
    let other = uuid::Uuid::from_u128(99);
    assert_eq!(altered(|row| row.at = Instant(1)), found);
    assert_eq!(altered(|row| row.event = "noticed".to_owned()), found);
    assert_eq!(altered(|row| row.commit_id = CommitId(other)), found);
    assert_eq!(altered(|row| row.operation_id = OperationId(other)), found);
    let tenant = TenantId::parse("somebody-else").expect("tenant");
    assert_eq!(altered(|row| row.tenant = tenant), found);
    assert_eq!(
        altered(|row| row.version += 1),
        Some(Broken::Gap(version + 1))
    );
    assert_eq!(altered(|row| row.hash[0] ^= 1), found);
    assert_eq!(
        altered(|row| row.previous[0] ^= 1),
        Some(Broken::Unchained(version))
    );
}

#[test]
fn an_altered_foreign_string_is_found() {
    let mut rows = rows();
    rows[0].foreign = rows[0].foreign.replace("anna", "otto");
    assert_eq!(replay(&rows), Err(Broken::ForeignAltered(1)));
}

#[test]
fn a_foreign_string_that_was_taken_away_is_found() {
    let mut rows = rows();
    let mut kept: serde_json::Value = serde_json::from_str(&rows[0].foreign).expect("JSON");
    let map = kept.as_object_mut().expect("an object");
    let payee = map.keys().find(|path| path.ends_with("/payee")).cloned();
    map.remove(&payee.expect("the payee is kept apart"));
    rows[0].foreign = kept.to_string();
    assert_eq!(replay(&rows), Err(Broken::ForeignAltered(1)));
}
