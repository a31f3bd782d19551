//! The harness's databases are real, separate, and gone afterwards.

use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement};

use crate::lab::database::{TestDatabase, both_databases, cluster_url};

async fn connect(url: &str) -> DatabaseConnection {
    Database::connect(url).await.unwrap()
}

async fn count(connection: &DatabaseConnection, from: &str) -> i64 {
    let query = Statement::from_string(
        connection.get_database_backend(),
        format!("SELECT count(*) AS n FROM {from}"),
    );
    let row = connection.query_one_raw(query).await.unwrap().unwrap();
    row.try_get("", "n").unwrap()
}

both_databases!(what_is_written_is_read_back, |database| async move {
    let writer = connect(database.url()).await;
    writer
        .execute_unprepared("CREATE TABLE notes (id INTEGER PRIMARY KEY)")
        .await
        .unwrap();
    writer
        .execute_unprepared("INSERT INTO notes VALUES (1), (2)")
        .await
        .unwrap();

    let reader = connect(database.url()).await;

    assert_eq!(count(&reader, "notes").await, 2);
});

#[test]
fn two_databases_are_never_the_same() {
    let urls = [TestDatabase::sqlite(), TestDatabase::sqlite()].map(|it| it.url().to_owned());
    assert_ne!(urls[0], urls[1]);

    let urls = [TestDatabase::postgres(), TestDatabase::postgres()].map(|it| it.url().to_owned());
    assert_ne!(urls[0], urls[1]);
}

#[tokio::test]
async fn a_dropped_database_is_gone_even_while_somebody_is_connected() {
    let database = TestDatabase::postgres();
    let left_open = connect(database.url()).await;
    let name = database.url().rsplit('/').next().unwrap().to_owned();
    let listed = format!("pg_database WHERE datname = '{name}'");
    let maintenance = connect(&cluster_url()).await;
    assert_eq!(count(&maintenance, &listed).await, 1);

    drop(database);

    assert_eq!(count(&maintenance, &listed).await, 0);
    drop(left_open);
}

#[test]
fn a_dropped_sqlite_database_leaves_no_file() {
    let database = TestDatabase::sqlite();
    let file = database.url().trim_start_matches("sqlite://").to_owned();
    assert!(std::path::Path::new(&file).exists());

    drop(database);

    assert!(!std::path::Path::new(&file).exists());
}
