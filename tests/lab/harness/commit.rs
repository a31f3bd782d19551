//! What was built.

/// The commit that was built, where there is a repository.
pub(crate) fn built_commit() -> String {
    let asked = std::process::Command::new("git")
        .args(["rev-parse", "--short", "HEAD"])
        .output();
    match asked {
        Ok(said) if said.status.success() => {
            String::from_utf8_lossy(&said.stdout).trim().to_owned()
        }
        _ => "unknown".to_owned(),
    }
}
