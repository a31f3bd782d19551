use payonce::api::{self, ServerError};
use tokio_stream::StreamExt;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

use super::desk::{Desk, PATIENCE, Setup, any_port};
use crate::lab::database::TestDatabase;

const SERVICE: &str = "payonce.v1.OperationService";

fn options() -> api::Options {
    api::Options {
        listen: any_port(),
        reflection: true,
        agent_deadline: PATIENCE,
        caller_margin: PATIENCE,
    }
}

#[tokio::test]
async fn only_loopback_is_listened_on_and_a_taken_port_is_said() {
    let open = api::Options {
        listen: "0.0.0.0:0".parse().unwrap(),
        ..options()
    };
    let refused = api::bind(open).await.err();
    assert!(matches!(refused, Some(ServerError::NotLoopback(_))));

    let first = api::bind(options()).await.unwrap();
    assert_ne!(first.local_addr().port(), 0);
    let taken = api::Options {
        listen: first.local_addr(),
        ..options()
    };
    let refused = api::bind(taken).await.err().unwrap().to_string();
    assert!(
        refused.contains(&first.local_addr().to_string()),
        "{refused}"
    );
}

#[tokio::test]
async fn health_is_told_for_the_service_and_the_server() {
    let desk = Desk::open(TestDatabase::sqlite(), Setup::default()).await;
    let mut health = HealthClient::new(desk.channel.clone());
    for service in [SERVICE, ""] {
        let request = HealthCheckRequest {
            service: service.to_owned(),
        };
        let answer = health.check(request).await.unwrap().into_inner();
        assert_eq!(answer.status(), ServingStatus::Serving, "{service}");
    }
    let request = HealthCheckRequest {
        service: SERVICE.to_owned(),
    };
    let mut watched = health.watch(request).await.unwrap().into_inner();
    let serving = watched.message().await.unwrap().unwrap();
    assert_eq!(serving.status(), ServingStatus::Serving);
    desk.stop.cancel();
    let stopping = watched.message().await.unwrap().unwrap();
    assert_eq!(stopping.status(), ServingStatus::NotServing);
    drop((watched, health));
    desk.close().await;
}

#[tokio::test]
async fn reflection_explains_the_contract_where_it_is_switched_on() {
    for switched_on in [true, false] {
        let setup = Setup {
            reflection: switched_on,
            ..Setup::default()
        };
        let desk = Desk::open(TestDatabase::sqlite(), setup).await;
        let mut client = ServerReflectionClient::new(desk.channel.clone());
        let request = ServerReflectionRequest {
            message_request: Some(MessageRequest::ListServices(String::new())),
            ..ServerReflectionRequest::default()
        };
        let asked = client
            .server_reflection_info(tokio_stream::once(request))
            .await;
        if switched_on {
            let answer = asked.unwrap().into_inner().next().await.unwrap().unwrap();
            let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response else {
                panic!("{answer:?}");
            };
            let names: Vec<String> = list.service.into_iter().map(|it| it.name).collect();
            assert!(names.iter().any(|name| name == SERVICE), "{names:?}");
        } else {
            assert_eq!(asked.unwrap_err().code(), Code::Unimplemented);
        }
        drop(client);
        desk.close().await;
    }
}
