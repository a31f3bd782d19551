//! Places where a debug build can be told to die, so that tests can show what
//! a crash at each of them leads to.
//!
//! Guarantees:
//! - only debug builds have any of this; it is not a feature that a release
//!   could be built with;
//! - unarmed, a place costs one look at a variable and changes nothing;
//! - [`Point::ALL`] is complete, so that a test can prove that it visits each.
//!
//! The boundaries B1 to B12 are those of one operation's life: T1 reserves it,
//! T2 makes an attempt durable, T3 stores what came of it.
//!
//! ```text
//! T1 ─B1─ T2 ─B2─ first byte ─B3─ last byte ─B4─ executed ─B5─ answer ─B6─ T3 ─B7─ told
//!                                                        a refund: T1 ─B12─ T2 …
//! ```
//!
//! B8 to B11 lie in parts that do not exist yet: delivery of events, and
//! webhooks.

use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

macro_rules! points {
    ($($(#[$meaning:meta])* $point:ident = $name:literal,)*) => {
        /// A place where the process can be told to die.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Point {
            $($(#[$meaning])* $point,)*
        }

        impl Point {
            /// Every point, in the order of an operation's life.
            pub const ALL: &[Self] = &[$(Self::$point,)*];

            /// The name in the configuration.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$point => $name,)*
                }
            }
        }
    };
}

points! {
    /// The tables are made, and their transaction is not committed.
    InsideMigration = "inside-migration",
    /// `CreateOperation` was read and checked; nothing is written.
    BeforeReserve = "before-reserve",
    /// In T1: the operation's row is written, its ledger row is not.
    InsideReserve = "inside-reserve",
    /// B1: T1 is committed, the caller has no answer.
    B1Reserved = "b1-reserved",
    /// In T2: the operation is changed, its attempt is not written.
    InsideIntent = "inside-intent",
    /// B2: T2 is committed, nothing was sent; one instruction before dispatch.
    B2Intended = "b2-intended",
    /// B3: half of the request's body was written.
    B3PartSent = "b3-part-sent",
    /// B4: the request is complete, there is no answer.
    B4Sent = "b4-sent",
    /// B5: the provider answered, the answer was not read.
    B5Executed = "b5-executed",
    /// B6: the answer is in memory, and not stored.
    B6Answered = "b6-answered",
    /// In T3: the operation is changed, its attempt, ledger and outbox are not.
    InsideFinish = "inside-finish",
    /// B7: T3 is committed, nobody was told.
    B7Finished = "b7-finished",
    /// Due work was claimed, nothing was done about it: recovery dies.
    Claimed = "claimed",
    /// The provider was asked, what it said is not stored.
    LookedUp = "looked-up",
    /// In T1 of a refund: its row is written, the reservation is not.
    InsideRefund = "inside-refund",
    /// B12: a refund and its reservation are committed, nothing was sent.
    B12RefundReserved = "b12-refund-reserved",
}

impl FromStr for Point {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|point| point.name() == name);
        found.copied().ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|point| point.name()).collect();
            format!("must be one of: {}", names.join(", "))
        })
    }
}

/// What happens at an armed point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Death {
    /// The process ends at once, as by a power cut.
    Abort,
    /// The task panics, every time it comes by.
    Panic,
}

struct Armed {
    point: Point,
    death: Death,
    /// At which time of coming by it strikes.
    nth: u32,
    /// How often it was passed.
    passed: AtomicU32,
}

static ARMED: OnceLock<Armed> = OnceLock::new();

/// From now on, `point` strikes when it is reached for the `nth` time. A
/// process can be armed once.
pub fn arm(point: Point, death: Death, nth: u32) {
    let passed = AtomicU32::new(0);
    // The first order stands: a second one in the same process is a test's
    // mistake that it would notice by the missing crash.
    let _ = ARMED.set(Armed {
        point,
        death,
        nth,
        passed,
    });
}

/// Whether it will strike here sooner or later.
pub fn is_armed(point: Point) -> bool {
    ARMED.get().is_some_and(|armed| armed.point == point)
}

/// The process is at `point`.
pub fn pass(point: Point) {
    let Some(armed) = ARMED.get().filter(|armed| armed.point == point) else {
        return;
    };
    if armed.passed.fetch_add(1, Ordering::SeqCst) + 1 < armed.nth {
        return;
    }
    let name = point.name();
    match armed.death {
        Death::Abort => {
            use std::io::Write;
            // Whether it can be written does not change what follows.
            let _ = writeln!(std::io::stderr(), "failure point {name}: abort");
            std::process::abort()
        }
        Death::Panic => panic!("failure point {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_and_belongs_to_one_point() {
        for point in Point::ALL {
            assert_eq!(point.name().parse(), Ok(*point));
        }
        let unknown = "b0".parse::<Point>().expect_err("no such point");
        assert!(unknown.contains("b12-refund-reserved"), "{unknown}");
    }

    #[test]
    fn what_is_not_armed_passes() {
        for point in Point::ALL {
            pass(*point);
            assert!(!is_armed(*point));
        }
    }
}
