//! What an operator does with a database and its recovery.

use serde_json::Value;

use super::World;
use super::process::payonce;

impl World {
    /// Keeps a copy of the database; no replica may run.
    pub(crate) fn keep_copy(&self) {
        self.database.keep_copy();
    }

    /// Puts the copy in the database's place; no replica may run.
    pub(crate) fn restore_copy(&self) {
        self.database.restore_copy();
    }

    /// Runs `payonce recovery`; returns what it says stands, or its error.
    pub(crate) fn recovery(&self, arguments: &[&str]) -> Result<Value, Value> {
        let environment = self
            .options
            .environment(self.database.url(), self.judge.address());
        let ended = payonce()
            .args(["recovery", "--json"])
            .args(arguments)
            .args(["--log-filter", "off"])
            .envs(environment)
            .current_dir(self.folder.path())
            .output()
            .expect("the program runs");
        let read = |bytes| serde_json::from_slice::<Value>(bytes).expect("it prints JSON");
        if ended.status.success() {
            Ok(read(&ended.stdout)["recovery"].take())
        } else {
            Err(read(&ended.stderr)["error"].take())
        }
    }

    /// The recovery that stands.
    pub(crate) fn standing(&self) -> Value {
        self.recovery(&["show"]).expect("it can be shown")
    }

    /// A person says `confirm` or `end` to the recovery that stands.
    pub(crate) fn say(&self, word: &str) {
        let epoch = self.standing()["epoch"].to_string();
        self.recovery(&[word, "--epoch", &epoch, "--by", "anna"])
            .expect("it is the epoch that stands");
    }
}
