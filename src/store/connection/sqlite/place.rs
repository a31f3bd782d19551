//! Where a database file lies, and whether SQLite can keep its word there.
//!
//! Guarantee: a file on a network filesystem is refused before it is opened.
//! There, locks and the shared memory of the WAL do not hold between
//! machines, and sometimes not at all.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use rustix::fs::statfs;
use sea_orm::sqlx::sqlite::SqliteConnectOptions;

use crate::store::StoreError;

/// Filesystems that are refused, by the magic number that statfs(2) gives.
/// FUSE is the number of many, local and remote, and says nothing of whether
/// shared memory works.
const REFUSED: [(u32, &str); 15] = [
    (0x6969, "NFS"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x517b, "SMB"),
    (0x6573_5546, "FUSE"),
    (0x0102_1997, "9P"),
    (0x00c3_6400, "Ceph"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x0116_1970, "GFS2"),
    (0x7461_636f, "OCFS2"),
    (0x786f_4256, "a folder of the VirtualBox host"),
];

/// The path in a `sqlite:` address, as it is written there.
pub(super) fn named(url: &str) -> Result<PathBuf, StoreError> {
    let options = SqliteConnectOptions::from_str(url)
        .map_err(|error| StoreError::Unusable(error.to_string()))?;
    Ok(options.get_filename().to_owned())
}

/// The file itself, however it is called: links are followed, so that two
/// names of one file are one. The file need not exist, its folder must.
pub(super) fn itself(named: &Path) -> Result<PathBuf, StoreError> {
    if let Ok(file) = named.canonicalize() {
        return Ok(file);
    }
    let folder = match named.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let real = folder.canonicalize().map_err(|error| {
        StoreError::Unusable(format!("the folder {} : {error}", folder.display()))
    })?;
    let name = named
        .file_name()
        .ok_or_else(|| StoreError::Unusable("must name a file".to_owned()))?;
    Ok(real.join(name))
}

/// Refuses a place where SQLite cannot keep what it acknowledged.
pub(super) fn check(file: &Path) -> Result<(), StoreError> {
    let existing = if file.exists() {
        file
    } else {
        file.parent().unwrap_or(file)
    };
    // A place that does not say what it is fails when it is opened, if at all.
    let Ok(found) = statfs(existing) else {
        return Ok(());
    };
    // The number has 32 bits; its type differs between machines.
    let magic = found.f_type as u32;
    refused(magic).map_or(Ok(()), |filesystem| {
        Err(StoreError::Unusable(format!(
            "{} lies on {filesystem}, where SQLite cannot rely on locks and shared memory: \
             use a local disk, or PostgreSQL",
            file.display()
        )))
    })
}

fn refused(magic: u32) -> Option<&'static str> {
    let known = REFUSED.iter().find(|(number, _)| *number == magic);
    known.map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_filesystems_are_refused_and_local_ones_are_not() {
        assert_eq!(refused(0x6969), Some("NFS"));
        assert_eq!(refused(0xff53_4d42), Some("CIFS"));
        assert_eq!(refused(0x6573_5546), Some("FUSE"));
        // ext4, xfs, btrfs, tmpfs, overlay, zfs
        for local in [
            0xef53,
            0x5846_5342,
            0x9123_683e,
            0x0102_1994,
            0x794c_7630,
            0x2fc1_2fc1,
        ] {
            assert_eq!(refused(local), None, "{local:x}");
        }
    }

    #[test]
    fn two_names_of_one_file_are_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("payonce.db");
        let before = itself(&file).unwrap();
        std::fs::write(&file, "").unwrap();
        let link = folder.path().join("other.db");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(itself(&file).unwrap(), before);
        assert_eq!(itself(&link).unwrap(), before);
        assert!(itself(Path::new("/no/such/folder/payonce.db")).is_err());
    }
}
