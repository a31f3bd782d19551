//! Whether the database is still the one that was opened.
//!
//! Guarantees, for SQLite:
//! - once the file, or one of the two that SQLite keeps beside it, was moved,
//!   replaced or removed, nothing is acknowledged any more: what is written
//!   then can be lost with the process;
//! - no connection ever opens another file than the first one did;
//! - once the file was found damaged, nothing is written any more.
//!
//! The files stay open meanwhile: what was removed by mistake can still be
//! read under `/proc/PID/fd`. A file that is put back is used again.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::store::StoreError;
use crate::store::trouble::Trouble;

/// What SQLite keeps in files: the database, its log, its shared memory.
const ENDINGS: [&str; 3] = ["", "-wal", "-shm"];

/// What the store stands on. Cheap to clone; clones share what was found.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct SameFile(Option<Arc<Files>>);

#[derive(Debug)]
struct Files {
    /// As they are named in the configuration: a link that points elsewhere
    /// later is another file.
    named: [PathBuf; 3],
    opened: OnceLock<[Option<Identity>; 3]>,
    damage: OnceLock<String>,
    said: AtomicBool,
}

/// Which file of the machine it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self {
            device: found.dev(),
            inode: found.ino(),
        })
    }
}

impl SameFile {
    /// A file that is going to be opened.
    pub(super) fn on_file(named: &Path) -> Self {
        let named = ENDINGS.map(|ending| {
            let mut name = named.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        });
        Self(Some(Arc::new(Files {
            named,
            opened: OnceLock::new(),
            damage: OnceLock::new(),
            said: AtomicBool::new(false),
        })))
    }

    /// From here on the files are the ones that are there now: call it while
    /// a connection has them open.
    pub(super) fn settle(&self) {
        if let Some(files) = &self.0 {
            files.opened.get_or_init(|| files.present());
        }
    }

    /// Whether what is written here is written for good. A few microseconds
    /// on SQLite, nothing elsewhere.
    pub(in crate::store) fn check(&self) -> Result<(), StoreError> {
        let Some(files) = &self.0 else {
            return Ok(());
        };
        let found = files.trouble();
        let said = files.said.swap(found.is_some(), Ordering::Relaxed);
        match found {
            None if said => {
                tracing::warn!("the database files are back, work goes on");
                Ok(())
            }
            None => Ok(()),
            Some(trouble) => {
                if !said {
                    tracing::error!(%trouble, "nothing is written or sent any more");
                }
                Err(StoreError::Unavailable(trouble))
            }
        }
    }

    /// Notes what a statement ran into: after damage nothing is written.
    pub(in crate::store) fn note(&self, trouble: &Trouble) {
        if let (Some(files), Trouble::Damaged(said)) = (&self.0, trouble) {
            files.damage.get_or_init(|| said.clone());
        }
    }
}

impl Files {
    fn present(&self) -> [Option<Identity>; 3] {
        [0, 1, 2].map(|index| Identity::of(&self.named[index]))
    }

    fn trouble(&self) -> Option<String> {
        if let Some(said) = self.damage.get() {
            return Some(format!("the database file is damaged: {said}"));
        }
        let opened = self.opened.get()?;
        let present = self.present();
        let changed = (0..ENDINGS.len()).find(|index| opened[*index] != present[*index])?;
        Some(format!(
            "{} was moved, replaced or removed while it was in use: put it back, or end this \
             process once what it has open is saved",
            self.named[changed].display()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_three_files(folder: &tempfile::TempDir) -> (PathBuf, SameFile) {
        let file = folder.path().join("payonce.db");
        for ending in ENDINGS {
            fs::write(folder.path().join(format!("payonce.db{ending}")), "").unwrap();
        }
        let same_file = SameFile::on_file(&file);
        same_file.settle();
        (file, same_file)
    }

    #[test]
    fn each_file_is_missed_and_welcome_back() {
        let folder = tempfile::tempdir().unwrap();
        let (_, same_file) = on_three_files(&folder);
        let away = folder.path().join("away");
        for ending in ENDINGS {
            let file = folder.path().join(format!("payonce.db{ending}"));
            assert!(same_file.check().is_ok(), "{ending}");
            fs::rename(&file, &away).unwrap();
            assert!(same_file.check().is_err(), "{ending} moved");
            fs::write(&file, "").unwrap();
            assert!(same_file.check().is_err(), "{ending} replaced");
            fs::rename(&away, &file).unwrap();
        }
        assert!(same_file.check().is_ok());
    }

    #[test]
    fn damage_lasts() {
        let folder = tempfile::tempdir().unwrap();
        let (_, same_file) = on_three_files(&folder);
        same_file.note(&Trouble::Lasting("the disk is full".to_owned()));
        assert!(same_file.check().is_ok());
        same_file.note(&Trouble::Damaged("malformed".to_owned()));
        assert!(same_file.check().is_err());
    }

    #[test]
    fn a_server_has_no_files() {
        let same_file = SameFile::default();
        same_file.settle();
        same_file.note(&Trouble::Damaged("malformed".to_owned()));
        assert!(same_file.check().is_ok());
    }
}
