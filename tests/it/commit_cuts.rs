//! Every kind of commit survives a connection that is cut at its COMMIT.

use crate::lab::commit_cuts::{Kind, cut_all};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cut_at_commit_is_never_taken_for_the_other_outcome() {
    let report = cut_all(2, 1, 2, |_| {}).await;
    assert!(report.is_clean(), "{report:#?}");
    assert_eq!(report.kinds.len(), Kind::ALL.len());
    for kind in &report.kinds {
        assert_eq!((kind.before, kind.after), (2, 2), "{kind:?}");
        // What was cut before COMMIT takes another one; what was cut after
        // it is found.
        assert_eq!((kind.retried, kind.applied), (2, 2), "{kind:?}");
    }
}
