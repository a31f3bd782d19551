//! Which of the servers is used.

use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection};
use sea_orm::sqlx::{self, Connection};
use tokio::sync::Notify;

use super::{PROBE, session};
use crate::clock::BootTime;
use crate::store::StoreError;

/// All servers that may be used, and what this process knows of them.
#[derive(Debug)]
pub(super) struct Servers {
    addresses: Vec<PgConnectOptions>,
    /// The newest timeline that was seen on a writable server. Every failover
    /// begins a newer one.
    newest: AtomicU32,
    /// When connections were sent to another server, if ever.
    moved: Mutex<Option<BootTime>>,
    trouble: Notify,
}

/// A writable server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Writable {
    index: usize,
    timeline: u32,
}

impl Servers {
    pub(super) fn of(urls: &[String]) -> Result<Self, StoreError> {
        let address = |(index, url): (usize, &String)| {
            let read = PgConnectOptions::from_str(url).map(session);
            let place = format!("url {} of {}", index + 1, urls.len());
            read.map_err(|error| StoreError::Unavailable(format!("{place}: {error}")))
        };
        let addresses = urls.iter().enumerate().map(address);
        Ok(Self {
            addresses: addresses.collect::<Result<_, _>>()?,
            newest: AtomicU32::new(0),
            moved: Mutex::new(None),
            trouble: Notify::new(),
        })
    }

    /// The address of a server.
    pub(super) fn options(&self, index: usize) -> &PgConnectOptions {
        &self.addresses[index]
    }

    /// Whether there is anything to choose from.
    pub(super) fn are_several(&self) -> bool {
        self.addresses.len() > 1
    }

    /// How long ago connections were sent to another server.
    pub(super) fn since_move(&self) -> Duration {
        let moved = *self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        moved.map_or(Duration::MAX, |at| BootTime::now().since(at))
    }

    /// From now on connections that were opened before are not used again.
    pub(super) fn note_move(&self) {
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        *moved = Some(BootTime::now());
    }

    /// Completes when a server that is in use gave trouble.
    pub(super) async fn trouble(&self) {
        self.trouble.notified().await;
    }

    /// Refuses a connection to a server that must not be used.
    pub(super) async fn check(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let checked = match standing(connection).await {
            Ok(standing) => self.fits(standing).map(|_| ()),
            Err(error) => Err(error),
        };
        if checked.is_err() {
            self.trouble.notify_one();
        }
        checked
    }

    /// The timeline of a server that may be used.
    fn fits(&self, standing: Standing) -> Result<u32, sqlx::Error> {
        let refuse = |why: String| Err(sqlx::Error::Configuration(why.into()));
        let Standing::Writable { timeline } = standing else {
            return refuse("it is a standby".to_owned());
        };
        let newest = self.newest.fetch_max(timeline, Ordering::SeqCst);
        if timeline < newest {
            return refuse(format!(
                "it takes writes on timeline {timeline}, and timeline {newest} has begun: \
                 it is a primary that others have left"
            ));
        }
        Ok(timeline)
    }

    /// Asks all servers; the writable one on the newest timeline, of equal
    /// ones the first. `Err` says why there is none.
    pub(super) async fn choose(&self) -> Result<usize, String> {
        let asked = self.addresses.iter().map(probe);
        let standings = join_all(asked).await;
        let mut refused = Vec::new();
        let mut writable = Vec::new();
        for (index, standing) in standings.into_iter().enumerate() {
            match standing.and_then(|standing| self.fits(standing)) {
                Ok(timeline) => writable.push(Writable { index, timeline }),
                Err(error) => refused.push(format!(
                    "url {} of {}: {error}",
                    index + 1,
                    self.addresses.len()
                )),
            }
        }
        let best = newest(&writable).ok_or_else(|| refused.join("; "))?;
        if writable.len() > 1 {
            tracing::error!(
                writable = writable.len(),
                chosen = best.index + 1,
                timeline = best.timeline,
                "several servers of database.urls take writes; they must be one cluster with one \
                 primary: stop the others"
            );
        }
        Ok(best.index)
    }
}

/// The one on the newest timeline, of equal ones the first.
fn newest(writable: &[Writable]) -> Option<Writable> {
    let order = |server: &&Writable| (server.timeline, std::cmp::Reverse(server.index));
    writable.iter().max_by_key(order).copied()
}

/// What a server says of itself.
enum Standing {
    Standby,
    /// Timeline 0 where the server does not tell.
    Writable {
        timeline: u32,
    },
}

async fn probe(address: &PgConnectOptions) -> Result<Standing, sqlx::Error> {
    let asked = async {
        let mut connection = PgConnection::connect_with(address).await?;
        let standing = standing(&mut connection).await;
        // It told; how it takes the farewell changes nothing.
        let _ = connection.close().await;
        standing
    };
    let slow = |_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into());
    tokio::time::timeout(PROBE, asked).await.map_err(slow)?
}

/// The timeline is the first third of the name of the current WAL file
/// (<https://www.postgresql.org/docs/current/functions-admin.html>).
const WITH_TIMELINE: &str = "SELECT pg_is_in_recovery(), \
     CASE WHEN pg_is_in_recovery() THEN NULL \
     ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END";

/// For servers that are PostgreSQL in all but their log.
const WITHOUT_TIMELINE: &str = "SELECT pg_is_in_recovery(), NULL::text";

async fn standing(connection: &mut PgConnection) -> Result<Standing, sqlx::Error> {
    let told = match ask(connection, WITH_TIMELINE).await {
        Err(sqlx::Error::Database(error)) if has_no_timeline(error.code().as_deref()) => {
            ask(connection, WITHOUT_TIMELINE).await?
        }
        told => told?,
    };
    Ok(match told {
        (true, _) => Standing::Standby,
        (false, timeline) => Standing::Writable {
            timeline: timeline
                .and_then(|digits| u32::from_str_radix(&digits, 16).ok())
                .unwrap_or(0),
        },
    })
}

/// No such function, not allowed, not supported.
fn has_no_timeline(code: Option<&str>) -> bool {
    matches!(code, Some("42883" | "42501" | "0A000"))
}

async fn ask(
    connection: &mut PgConnection,
    sql: &'static str,
) -> Result<(bool, Option<String>), sqlx::Error> {
    sqlx::query_as(sql).fetch_one(connection).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Servers {
        let urls = ["postgres://a@127.0.0.1:1/x", "postgres://a@127.0.0.1:2/x"];
        Servers::of(&urls.map(str::to_owned)).expect("two addresses")
    }

    #[test]
    fn a_server_on_an_older_timeline_is_refused_although_it_takes_writes() {
        let servers = two();
        let at = |timeline| servers.fits(Standing::Writable { timeline });
        assert_eq!(at(1).expect("the first"), 1);
        assert_eq!(at(3).expect("a newer one"), 3);
        assert!(at(2).is_err());
        assert!(servers.fits(Standing::Standby).is_err());
        assert_eq!(at(3).expect("still the newest"), 3);
    }

    #[test]
    fn of_several_writable_servers_the_newest_timeline_wins() {
        let server = |index, timeline| Writable { index, timeline };
        assert_eq!(newest(&[]), None);
        let told = [server(0, 1), server(1, 2), server(2, 2)];
        assert_eq!(newest(&told), Some(server(1, 2)));
    }

    #[test]
    fn connections_from_before_a_move_are_older_than_the_move() {
        let servers = two();
        assert_eq!(servers.since_move(), Duration::MAX);
        servers.note_move();
        assert!(servers.since_move() < Duration::from_secs(3600));
    }
}
