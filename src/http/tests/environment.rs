//! What the environment of the process may not change. A test must not change
//! its own environment, so each one runs itself again in a child that has it.

use std::{
    env,
    process::{Command, Output},
};

use super::server::{Peer, Server, send};

const IN_CHILD: &str = "PAYONCE_TEST_HTTP_CHILD";

/// Runs the test of this name again with these variables.
fn again_with(test: &str, variables: &[(&str, &str)]) -> Output {
    let this = env::current_exe().expect("the test binary");
    Command::new(this)
        .args(["--exact", &format!("http::tests::environment::{test}")])
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .env(IN_CHILD, "1")
        .envs(variables.iter().copied())
        .output()
        .expect("the test binary runs")
}

fn assert_passed(child: &Output) {
    let text = String::from_utf8_lossy(&child.stdout);
    assert!(
        child.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

async fn assert_plain_http_works() {
    let server = Server::start(|mut peer: Peer| async move {
        peer.request().await;
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            .await;
    })
    .await;
    let answer = send(&server.url, "mark").await.expect("an answer");
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn proxies_of_the_environment_are_ignored() {
    if env::var_os(IN_CHILD).is_some() {
        return assert_plain_http_works().await;
    }
    let nobody = "http://127.0.0.1:1";
    assert_passed(&again_with(
        "proxies_of_the_environment_are_ignored",
        &[
            ("HTTP_PROXY", nobody),
            ("http_proxy", nobody),
            ("ALL_PROXY", nobody),
            ("all_proxy", nobody),
        ],
    ));
}

#[tokio::test]
async fn without_system_certificates_plain_http_still_works() {
    if env::var_os(IN_CHILD).is_some() {
        return assert_plain_http_works().await;
    }
    assert_passed(&again_with(
        "without_system_certificates_plain_http_still_works",
        &[("SSL_CERT_FILE", "/nowhere"), ("SSL_CERT_DIR", "/nowhere")],
    ));
}
