//! A SQLite file when something is wrong with it, its disk, or its
//! neighbours: nothing is acknowledged that is not there afterwards, nothing
//! is sent that was not written down, and work goes on once it can.

mod alone;
mod damaged;
mod disk;
mod locked;
mod log;
mod moved;

use std::path::PathBuf;

use sea_orm::{ConnectionTrait, Database, DatabaseConnection};
use tonic::Code;

use payonce::proto::v1::ErrorEffect;

use crate::lab::harness::{Refusal, World, charge, eventually};

/// The file of a world.
fn file_of(world: &World) -> PathBuf {
    PathBuf::from(world.database_url().trim_start_matches("sqlite://"))
}

/// The file as another process sees it.
async fn neighbour(world: &World) -> DatabaseConnection {
    Database::connect(world.database_url()).await.unwrap()
}

async fn run(neighbour: &DatabaseConnection, sql: &str) {
    neighbour.execute_unprepared(sql).await.expect(sql);
}

/// The store would not: nothing was recorded, and the same call may come
/// again.
#[track_caller]
fn refused_for_now(answer: &Refusal) {
    assert_eq!(answer.code, Code::Unavailable, "{answer:?}");
    assert_eq!(answer.reason, "STORE_UNAVAILABLE", "{answer:?}");
    assert_eq!(answer.effect, ErrorEffect::None, "{answer:?}");
}

/// Pays orders of this name until one is refused; returns its number. The
/// file may have had room for a few.
async fn pay_until_refused(world: &World, name: &str) -> usize {
    for number in 0..100 {
        let request = charge(&format!("{name}-{number}"), "pm_ok");
        if let Err(answer) = world.caller().create(request).await {
            refused_for_now(&answer);
            return number;
        }
    }
    panic!("a hundred payments and no refusal");
}

async fn says(world: &World, what: &str) {
    eventually(&format!("the log says {what:?}"), async || {
        let log = world.logged(0);
        log.contains(what).then_some(()).ok_or(log)
    })
    .await;
}
