//! One process on one file.
//!
//! Guarantees:
//! - who holds a file is its only dispatcher: SQLite would let two processes
//!   write in turn, and each would believe that it alone has the leases;
//! - the kernel lets go when the process ends, however it ends;
//! - a file that was there before is never made anew: an empty database in
//!   its place would know nothing of the payments that are under way.
//!
//! The lock is on a file beside the database. On the database itself it could
//! undo SQLite's own: closing any descriptor of a file drops all its POSIX
//! locks.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::place;
use crate::store::StoreError;

/// Written into the lock file once there is a database beside it.
const THERE_IS_A_DATABASE: &[u8] = b"payonce: the database beside this file is in use or was\n";

/// A database file that is ours alone, until this is dropped.
#[derive(Debug)]
pub(in crate::store) struct Held {
    lock: File,
    file: PathBuf,
}

impl Held {
    /// Takes the file that `url` names, which need not exist yet.
    ///
    /// # Errors
    /// [`StoreError::Held`] if another process has it, and
    /// [`StoreError::Unusable`] if the file is gone or cannot be locked.
    pub(in crate::store) fn take(url: &str) -> Result<Self, StoreError> {
        let file = place::itself(&place::named(url)?)?;
        place::check(&file)?;
        let beside = beside(&file);
        let failed = |error: std::io::Error| {
            StoreError::Unusable(format!("the lock file {}: {error}", beside.display()))
        };
        let lock = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&beside)
            .map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Held(file)),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut held = Self { lock, file };
        held.refuse_if_gone().map_err(failed)??;
        Ok(held)
    }

    fn refuse_if_gone(&mut self) -> std::io::Result<Result<(), StoreError>> {
        let mut said = Vec::new();
        self.lock.read_to_end(&mut said)?;
        if said.is_empty() || self.file.exists() {
            return Ok(Ok(()));
        }
        let (file, lock) = (self.file.display(), beside(&self.file));
        Ok(Err(StoreError::Unusable(format!(
            "{file} is gone, and {lock} says that there was one: put it back, with the file \
             that ends in -wal; only if nothing in it matters, remove {lock} to begin anew",
            lock = lock.display()
        ))))
    }

    /// Remembers that there is a database now, so that its absence will be
    /// noticed.
    pub(in crate::store) fn remember(&mut self) -> Result<(), StoreError> {
        let written = self
            .lock
            .rewind()
            .and_then(|()| self.lock.write_all(THERE_IS_A_DATABASE))
            .and_then(|()| self.lock.sync_all());
        written.map_err(|error| StoreError::Unavailable(format!("the lock file: {error}")))
    }
}

fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(folder: &tempfile::TempDir) -> (PathBuf, String) {
        let file = folder.path().join("payonce.db");
        let url = format!("sqlite://{}", file.display());
        (file, url)
    }

    #[test]
    fn one_holds_it_until_it_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let (_, url) = url(&folder);
        let first = Held::take(&url).unwrap();
        let second = Held::take(&url);
        assert!(matches!(second, Err(StoreError::Held(_))), "{second:?}");
        drop(first);
        Held::take(&url).unwrap();
    }

    #[test]
    fn a_database_that_is_gone_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, url) = url(&folder);
        // Nothing was there when the first try ended: it may begin again.
        drop(Held::take(&url).unwrap());
        let mut held = Held::take(&url).unwrap();
        std::fs::write(&file, "a database").unwrap();
        held.remember().unwrap();
        drop(held);
        drop(Held::take(&url).unwrap());
        std::fs::remove_file(&file).unwrap();
        let gone = Held::take(&url).unwrap_err();
        assert!(
            matches!(&gone, StoreError::Unusable(said) if said.contains("is gone")),
            "{gone}"
        );
    }
}
