//! PostgreSQL servers of a test's own, to be stopped, killed and promoted: a
//! primary, and a standby where one is asked for.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::chown;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::harness::eventually;

/// How a commit of the primary waits for the standby.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Replication {
    /// Not at all: a failover can lose commits.
    Async,
    /// Until it is durable there: a failover loses none.
    Sync,
}

/// Servers in a folder of their own. They end with the value.
pub(crate) struct Cluster {
    binaries: PathBuf,
    servers: Vec<Server>,
    folder: TempDir,
}

struct Server {
    name: String,
    port: u16,
    child: Option<Child>,
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The first server; the standby is the second.
pub(crate) const PRIMARY: usize = 0;

/// The second server.
pub(crate) const STANDBY: usize = 1;

impl Cluster {
    /// One server.
    pub(crate) async fn alone() -> Cluster {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut cluster = Cluster {
            binaries: PathBuf::from(answer(
                concat!(env!("CARGO_MANIFEST_DIR"), "/tests/install/postgres"),
                &[],
            )),
            servers: Vec::new(),
            folder,
        };
        cluster.give_folder_to_postgres();
        cluster.add("primary");
        let arguments = ["--username=postgres", "--auth=trust", "--no-sync"];
        cluster.run("initdb", &[&arguments[..], &["-D", "primary"]].concat());
        cluster.start_server(PRIMARY, &[]).await;
        cluster
    }

    /// A primary and a standby that streams from it.
    pub(crate) async fn with_standby(replication: Replication) -> Cluster {
        let mut cluster = Cluster::alone().await;
        cluster.add("standby");
        let port = cluster.servers[PRIMARY].port.to_string();
        let from = ["-h", "127.0.0.1", "-p", &port, "-U", "postgres"];
        let how = [
            "-R",
            "-X",
            "stream",
            "-c",
            "fast",
            "--no-sync",
            "-D",
            "standby",
        ];
        cluster.run("pg_basebackup", &[&from[..], &how[..]].concat());
        cluster.start_server(STANDBY, &[]).await;
        let streams = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
        cluster.until(PRIMARY, streams, "1").await;
        if replication == Replication::Sync {
            let names = "ALTER SYSTEM SET synchronous_standby_names = '*'";
            cluster.ask(PRIMARY, names).expect("a setting");
            cluster
                .ask(PRIMARY, "SELECT pg_reload_conf()")
                .expect("read again");
            let waits = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
            cluster.until(PRIMARY, waits, "1").await;
        }
        cluster
    }

    /// The address of a server.
    pub(crate) fn url(&self, server: usize) -> String {
        format!("postgres://postgres@{}/postgres", self.socket(server))
    }

    /// All addresses, with commas between them.
    pub(crate) fn urls(&self) -> String {
        let urls: Vec<_> = (0..self.servers.len()).map(|n| self.url(n)).collect();
        urls.join(",")
    }

    /// Where a server listens.
    pub(crate) fn socket(&self, server: usize) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.servers[server].port).into()
    }

    /// A server dies as in a power cut.
    pub(crate) fn kill9(&mut self, server: usize) {
        let mut child = self.servers[server].child.take().expect("a running server");
        child.kill().expect("it runs");
        child.wait().expect("it is ours");
    }

    /// One of the server's sessions dies, which makes the server throw away
    /// its memory and recover from its log.
    pub(crate) fn kill9_a_session(&self, server: usize) {
        let session = "SELECT pid FROM pg_stat_activity WHERE application_name = 'payonce' LIMIT 1";
        let pid = self.ask(server, session).expect("the server answers");
        let killed = Command::new("kill").args(["-9", &pid]).status();
        assert!(
            killed.is_ok_and(|status| status.success()),
            "session {pid:?}"
        );
    }

    /// Stops a server at once, without a checkpoint (SIGQUIT).
    pub(crate) fn stop_immediately(&mut self, server: usize) {
        let mut child = self.servers[server].child.take().expect("a running server");
        let asked = Command::new("kill")
            .args(["-QUIT", &child.id().to_string()])
            .status();
        assert!(asked.is_ok_and(|status| status.success()), "it still runs");
        child.wait().expect("it is ours");
    }

    /// Waits until the standby has all that the primary has written so far,
    /// then stops it: from now on it falls behind.
    pub(crate) async fn let_the_standby_fall_behind(&mut self) {
        let written = self.ask(PRIMARY, "SELECT pg_current_wal_flush_lsn()");
        let written = written.expect("the primary answers");
        let there = format!("SELECT pg_last_wal_replay_lsn() >= '{written}'::pg_lsn");
        self.until(STANDBY, &there, "t").await;
        self.stop_immediately(STANDBY);
    }

    /// Starts a server again. A primary whose standby has taken over does not
    /// know of that, and waits for no standby.
    pub(crate) async fn restart(&mut self, server: usize) {
        self.start_server(server, &["-c", "synchronous_standby_names="])
            .await;
    }

    /// Makes the standby a primary.
    pub(crate) fn promote(&self) {
        self.run("pg_ctl", &["promote", "-w", "-D", "standby"]);
    }

    /// The answer of a server to a statement, as psql prints it.
    pub(crate) fn ask(&self, server: usize, sql: &str) -> Result<String, String> {
        let port = self.servers[server].port.to_string();
        let place = [
            "-h",
            "127.0.0.1",
            "-p",
            &port,
            "-U",
            "postgres",
            "-XAtc",
            sql,
        ];
        let ended = self
            .command("psql")
            .args(place)
            .output()
            .expect("psql runs");
        if ended.status.success() {
            return Ok(String::from_utf8_lossy(&ended.stdout).trim().to_owned());
        }
        Err(String::from_utf8_lossy(&ended.stderr).into_owned())
    }

    async fn until(&self, server: usize, sql: &str, wanted: &str) {
        eventually(sql, async || match self.ask(server, sql) {
            Ok(told) if told == wanted => Ok(()),
            other => Err(format!("{other:?}")),
        })
        .await;
    }

    fn add(&mut self, name: &str) {
        self.servers.push(Server {
            name: name.to_owned(),
            port: free_port(),
            child: None,
        });
    }

    /// A server whose predecessor was killed cannot start before the last of
    /// that one's processes is gone: then it ends, and is started again.
    async fn start_server(&mut self, server: usize, more: &[&str]) {
        self.servers[server].child = Some(self.spawn(server, more));
        eventually("the server answers", async || {
            let child = self.servers[server].child.as_mut().expect("just started");
            if child.try_wait().expect("it is ours").is_some() {
                let again = self.spawn(server, more);
                self.servers[server].child = Some(again);
            }
            self.ask(server, "SELECT 1").map(drop)
        })
        .await;
    }

    fn spawn(&self, server: usize, more: &[&str]) -> Child {
        let Server { name, port, .. } = &self.servers[server];
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(self.folder.path().join(format!("{name}.log")))
            .expect("a file for the log");
        let sockets = format!("unix_socket_directories={}", self.folder.path().display());
        self.command("postgres")
            .args(["-D", name, "-c", &format!("port={port}"), "-c", &sockets])
            .args([
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "max_connections=100",
            ])
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the server starts")
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let ended = self.command(program).args(arguments).output();
        let ended = ended.expect("the program runs");
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.success(), "{program} {arguments:?}: {said}");
    }

    /// As the user postgres, because a server refuses to run as root; ended
    /// when the thread that starts it is.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new("setpriv");
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
            .args(["--pdeathsig", "QUIT", "--"])
            .arg(self.binaries.join(program))
            .current_dir(self.folder.path());
        command
    }

    fn give_folder_to_postgres(&self) {
        if is_root() {
            let number = |flag| answer("id", &[flag, "postgres"]).parse().ok();
            chown(self.folder.path(), number("-u"), number("-g")).expect("root may");
        }
    }
}

/// Below the range from which the system hands out ports of its own accord.
fn free_port() -> u16 {
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    let random = std::iter::repeat_with(|| fastrand::u16(15_000..32_000));
    random.take(100).find(is_free).expect("a free port")
}

fn is_root() -> bool {
    answer("id", &["-u"]) == "0"
}

fn answer(program: &str, arguments: &[&str]) -> String {
    let ended = Command::new(program).args(arguments).output();
    let ended = ended.expect("the program runs");
    assert!(ended.status.success(), "{program} {arguments:?}");
    String::from_utf8_lossy(&ended.stdout).trim().to_owned()
}
