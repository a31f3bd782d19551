//! Takes commits from callers and sees them through.
//!
//! Guarantees:
//! - no transaction lives in a caller's future: a caller that goes away
//!   changes nothing, its commit goes through;
//! - every commit that was taken is answered, also while the store closes;
//! - the queue is bounded: callers wait for room in it.

use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::write::Writer;
use super::{Commit, StoreError, Verdict};

/// How many commits may wait.
const QUEUE: usize = 1024;

struct Handed {
    commit: Commit,
    answer: oneshot::Sender<Result<Verdict, StoreError>>,
}

/// The way in.
#[derive(Clone, Debug)]
pub(super) struct Committer {
    queue: mpsc::Sender<Handed>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Committer {
    /// Starts the task that serves the queue, `lanes` transactions at once.
    pub(super) fn start(writer: Writer, lanes: usize) -> Self {
        let (queue, handed) = mpsc::channel(QUEUE);
        let committer = Self {
            queue,
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        let serve = serve(handed, writer, lanes, committer.stop.clone());
        committer.tasks.spawn(serve);
        committer
    }

    /// Hands a commit over and waits for its verdict.
    pub(super) async fn commit(&self, commit: Commit) -> Result<Verdict, StoreError> {
        let (answer, verdict) = oneshot::channel();
        let handed = Handed { commit, answer };
        let closed = |_| StoreError::Unavailable("the store is closed".to_owned());
        self.queue.send(handed).await.map_err(closed)?;
        // No answer means that its task died: it may have been written.
        verdict.await.unwrap_or(Err(StoreError::Undetermined))
    }

    /// Takes no more, and waits until everything that was taken is answered.
    pub(super) async fn close(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

async fn serve(
    mut queue: mpsc::Receiver<Handed>,
    writer: Writer,
    lanes: usize,
    stop: CancellationToken,
) {
    let free = Arc::new(Semaphore::new(lanes));
    let tasks = TaskTracker::new();
    loop {
        let lane = Arc::clone(&free).acquire_owned().await;
        let lane = lane.expect("this semaphore is never closed");
        let handed = tokio::select! {
            biased;
            handed = queue.recv() => handed,
            () = stop.cancelled(), if !queue.is_closed() => {
                queue.close();
                continue;
            }
        };
        let Some(Handed { commit, answer }) = handed else {
            break;
        };
        let writer = writer.clone();
        tasks.spawn(async move {
            let verdict = writer.commit_group(std::slice::from_ref(&commit)).await;
            drop(lane);
            // The caller may have gone away; the commit stands all the same.
            let _ = answer.send(verdict);
        });
    }
    tasks.close();
    tasks.wait().await;
}
