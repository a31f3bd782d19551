//! Which crashes there are.

use payonce::failpoint::Point;

/// Where, in which step, on which database, and who goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    pub(crate) point: Point,
    /// The step that dies: a refund, or the charge.
    pub(crate) refund: bool,
    pub(crate) postgres: bool,
    /// Another replica takes over, instead of the same starting again.
    pub(crate) another: bool,
}

impl Cell {
    /// Every cell of the matrix.
    pub(crate) fn all() -> Vec<Cell> {
        let steps = Point::ALL
            .iter()
            .flat_map(|point| steps(*point).iter().map(|refund| (*point, *refund)));
        let mut cells = Vec::new();
        for (point, refund) in steps {
            for (postgres, another) in [(false, false), (false, true), (true, false), (true, true)]
            {
                cells.push(Cell {
                    point,
                    refund,
                    postgres,
                    another,
                });
            }
        }
        cells
    }

    /// What the payment is made with, so that it comes to the point.
    pub(super) fn method(self) -> &'static str {
        match self.point {
            // There must be something to look up.
            Point::Claimed | Point::LookedUp => "pm_drop_response",
            // The answer comes after the crash.
            Point::B4Sent if !self.refund => "pm_slow",
            _ => "pm_ok",
        }
    }

    /// At which time of coming by it dies.
    pub(super) fn nth(self) -> u32 {
        let passed_by_the_charge =
            !matches!(self.point, Point::InsideRefund | Point::B12RefundReserved);
        if self.refund && passed_by_the_charge {
            2
        } else {
            1
        }
    }

    /// Whether the processor has the request at the time of the crash.
    pub(super) fn has_arrived(self) -> bool {
        match self.point {
            Point::InsideMigration
            | Point::BeforeReserve
            | Point::InsideReserve
            | Point::B1Reserved
            | Point::InsideIntent
            | Point::B2Intended
            | Point::B3PartSent
            | Point::InsideRefund
            | Point::B12RefundReserved => false,
            Point::B4Sent
            | Point::B5Executed
            | Point::B6Answered
            | Point::InsideFinish
            | Point::B7Finished
            | Point::Claimed
            | Point::LookedUp => true,
        }
    }
}

/// In which steps a point lies: refunds (true), charges (false).
fn steps(point: Point) -> &'static [bool] {
    match point {
        Point::InsideMigration
        | Point::BeforeReserve
        | Point::InsideReserve
        | Point::B1Reserved
        | Point::Claimed
        | Point::LookedUp => &[false],
        Point::InsideIntent
        | Point::B2Intended
        | Point::B3PartSent
        | Point::B4Sent
        | Point::B5Executed
        | Point::B6Answered
        | Point::InsideFinish
        | Point::B7Finished => &[false, true],
        Point::InsideRefund | Point::B12RefundReserved => &[true],
    }
}
