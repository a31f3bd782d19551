//! A file that remembers how far the database had come, where a restore of
//! the database does not reach.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::app::StartError;
use crate::domain::recovery::Standing;
use crate::store::recovery::Present;

/// The file.
#[derive(Clone, Debug)]
pub(super) struct Witness {
    path: PathBuf,
    deployment: String,
}

/// What it holds, as JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Testimony {
    deployment: String,
    epoch: i64,
    beat: i64,
    /// Microseconds since 1970 by the database's clock, for people.
    beat_at: i64,
}

impl Witness {
    pub(super) fn at(path: PathBuf, deployment: &str) -> Self {
        Self {
            path,
            deployment: deployment.to_owned(),
        }
    }

    /// What the database must have reached; nothing where there is no file.
    pub(super) async fn read(&self) -> Result<Standing, StartError> {
        let path = self.path.clone();
        let read = tokio::task::spawn_blocking(move || std::fs::read(path)).await;
        let bytes = match read.map_err(io::Error::other).flatten() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Standing::default());
            }
            Err(error) => return Err(self.refusal(&error.to_string())),
        };
        let testimony: Testimony =
            serde_json::from_slice(&bytes).map_err(|error| self.refusal(&error.to_string()))?;
        if testimony.deployment != self.deployment {
            return Err(self.refusal("it is about another deployment"));
        }
        Ok(Standing {
            epoch: testimony.epoch,
            beat: testimony.beat,
            recovery: None,
        })
    }

    /// Writes the newest beat down. A failure is logged: only a restore that
    /// follows it would go unnoticed.
    pub(super) async fn write(&self, present: &Present) {
        let testimony = Testimony {
            deployment: self.deployment.clone(),
            epoch: present.epoch,
            beat: present.beat,
            beat_at: present.beat_at.unwrap_or_default().0,
        };
        let path = self.path.clone();
        let written = tokio::task::spawn_blocking(move || replace(&path, &testimony)).await;
        if let Err(error) = written.map_err(io::Error::other).flatten() {
            tracing::warn!(%error, file = %self.path.display(), "the witness could not be written");
        }
    }

    fn refusal(&self, rule: &str) -> StartError {
        StartError::Setting {
            key: "recovery.witness",
            rule: format!("{} cannot be used: {rule}", self.path.display()),
        }
    }
}

/// The whole new file or the whole old one, whenever the power goes.
fn replace(path: &Path, testimony: &Testimony) -> io::Result<()> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, testimony)?;
    file.flush()?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    std::fs::File::open(folder)?.sync_all()
}
