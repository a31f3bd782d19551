//! Two real PostgreSQL servers: a primary, and a standby that can fall
//! behind and take over.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::harness::eventually;

/// A primary and its standby, in a folder of their own.
pub(crate) struct Pair {
    binaries: PathBuf,
    primary: Option<Server>,
    standby: Option<Server>,
    folder: TempDir,
}

/// A running server, which dies with the test.
struct Server {
    child: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const PRIMARY: &str = "primary";
const STANDBY: &str = "standby";

impl Pair {
    /// Starts both, the standby streaming from the primary.
    pub(crate) async fn start() -> Pair {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut pair = Pair {
            binaries: binaries(),
            primary: None,
            standby: None,
            folder,
        };
        give_to_postgres(pair.folder.path());
        pair.run(
            "initdb",
            &[
                "--username=postgres",
                "--auth=trust",
                "--no-sync",
                "-D",
                PRIMARY,
            ],
        );
        pair.primary = Some(pair.serve(PRIMARY));
        pair.answers(PRIMARY).await;
        let host = pair.folder.path().display().to_string();
        let from = ["-h", &host, "-p", &port(PRIMARY), "-U", "postgres"];
        let copy = [
            &from[..],
            &["-R", "-X", "stream", "-c", "fast", "-D", STANDBY],
        ]
        .concat();
        pair.run("pg_basebackup", &copy);
        pair.standby = Some(pair.serve(STANDBY));
        pair.answers(STANDBY).await;
        pair
    }

    /// Both addresses, the primary's first.
    pub(crate) fn urls(&self) -> String {
        let url = |name| {
            let host = self.folder.path().display().to_string().replace('/', "%2F");
            format!("postgres://postgres@{host}:{}/postgres", port(name))
        };
        format!("{},{}", url(PRIMARY), url(STANDBY))
    }

    /// Waits until the standby has all that the primary has written so far,
    /// then stops it: from now on it falls behind.
    pub(crate) async fn let_the_standby_fall_behind(&mut self) {
        let written = self
            .ask(PRIMARY, "SELECT pg_current_wal_flush_lsn()")
            .expect("the primary answers");
        let there = format!("SELECT pg_last_wal_replay_lsn() >= '{written}'::pg_lsn");
        eventually("the standby has replayed", async || {
            match self.ask(STANDBY, &there) {
                Ok(answer) if answer == "t" => Ok(()),
                other => Err(format!("{other:?}")),
            }
        })
        .await;
        self.run("pg_ctl", &["stop", "-m", "fast", "-w", "-D", STANDBY]);
        self.standby = None;
    }

    /// The primary dies as in a power cut and the standby takes over.
    pub(crate) async fn fail_over(&mut self) {
        self.primary = None;
        self.standby = Some(self.serve(STANDBY));
        self.answers(STANDBY).await;
        self.run("pg_ctl", &["promote", "-w", "-D", STANDBY]);
    }

    async fn answers(&self, name: &str) {
        eventually("the server answers", async || {
            self.ask(name, "SELECT 1").map(drop)
        })
        .await;
    }

    fn ask(&self, name: &str, sql: &str) -> Result<String, String> {
        let host = self.folder.path().display().to_string();
        let mut psql = self.command("psql");
        psql.args([
            "-h",
            &host,
            "-p",
            &port(name),
            "-U",
            "postgres",
            "-XAtc",
            sql,
        ]);
        let ended = psql.output().expect("psql runs");
        if ended.status.success() {
            return Ok(String::from_utf8_lossy(&ended.stdout).trim().to_owned());
        }
        Err(String::from_utf8_lossy(&ended.stderr).into_owned())
    }

    fn serve(&self, name: &str) -> Server {
        let log = fs::File::create(self.folder.path().join(format!("{name}.log")));
        let sockets = format!("unix_socket_directories={}", self.folder.path().display());
        let port = format!("port={}", port(name));
        let mut server = self.command("postgres");
        server
            .args([
                "-D",
                name,
                "-c",
                "listen_addresses=",
                "-c",
                &sockets,
                "-c",
                &port,
            ])
            .args(["-c", "hot_standby=on", "-c", "max_wal_senders=4"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log.expect("a file for the log"));
        let child = tokio::task::block_in_place(|| server.spawn());
        Server {
            child: child.expect("the server starts"),
        }
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let ended = self.command(program).args(arguments).output();
        let ended = ended.expect("the program runs");
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.success(), "{program} {arguments:?}: {said}");
    }

    /// As the user postgres, since a server refuses to run as root.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL"]);
        if is_root() {
            command.args([
                "--reuid",
                "postgres",
                "--regid",
                "postgres",
                "--init-groups",
            ]);
        }
        command
            .arg("--")
            .arg(self.binaries.join(program))
            .current_dir(self.folder.path());
        command
    }
}

/// Sockets in a folder of their own: the number only has to be another one.
fn port(name: &str) -> String {
    match name {
        PRIMARY => "5432".to_owned(),
        _ => "5433".to_owned(),
    }
}

fn is_root() -> bool {
    answer("id", &["-u"]) == "0"
}

fn give_to_postgres(folder: &Path) {
    if is_root() {
        let number = |flag| answer("id", &[flag, "postgres"]).parse().ok();
        chown(folder, number("-u"), number("-g")).expect("root may give it away");
    }
}

fn binaries() -> PathBuf {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/install/postgres");
    PathBuf::from(answer(script, &[]))
}

fn answer(program: &str, arguments: &[&str]) -> String {
    let ended = Command::new(program).args(arguments).output();
    let ended = ended.expect("the program runs");
    assert!(ended.status.success(), "{program} {arguments:?}");
    String::from_utf8_lossy(&ended.stdout).trim().to_owned()
}
