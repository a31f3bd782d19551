use payonce::proto::v1;

use super::desk::{Client, Desk, Setup, charge, fields, recorded};
use crate::lab::database::both_databases;

/// All pages of a list, and how many there were.
async fn all_pages(client: &mut Client, list: v1::ListOperationsRequest) -> (Vec<String>, usize) {
    let mut orders = Vec::new();
    let mut page_token = String::new();
    for pages in 1.. {
        let request = v1::ListOperationsRequest {
            page_token,
            ..list.clone()
        };
        let page = client.list_operations(request).await.unwrap().into_inner();
        orders.extend(page.operations.into_iter().map(|it| it.order_id));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return (orders, pages);
        }
        assert!(pages < 100, "the list does not end");
    }
    unreachable!("the loop has no other end")
}

both_databases!(
    pages_hold_everything_once_the_newest_first,
    |database| async {
        let mut desk = Desk::open(database, Setup::default()).await;
        for order in ["1", "2", "3", "4", "5"] {
            let request = recorded(order, "pm_ok");
            desk.client.create_operation(request).await.unwrap();
        }
        for (page_size, pages) in [(1, 5), (2, 3), (5, 1), (0, 1), (10_000, 1)] {
            let list = v1::ListOperationsRequest {
                page_size,
                ..v1::ListOperationsRequest::default()
            };
            let (orders, seen) = all_pages(&mut desk.client, list).await;
            assert_eq!(orders, ["5", "4", "3", "2", "1"], "{page_size}");
            assert_eq!(seen, pages, "{page_size}");
        }
        desk.close().await;
    }
);

both_databases!(
    filters_choose_and_tokens_belong_to_their_filters,
    |database| async {
        let mut desk = Desk::open(database, Setup::default()).await;
        for order in ["1", "2"] {
            desk.client
                .create_operation(charge(order, "pm_ok"))
                .await
                .unwrap();
            let more = format!("{order}-more");
            let request = recorded(&more, "pm_ok");
            desk.client.create_operation(request).await.unwrap();
        }
        let paid = v1::ListOperationsRequest {
            states: vec![v1::OperationState::Succeeded.into()],
            page_size: 1,
            ..v1::ListOperationsRequest::default()
        };
        let (orders, _) = all_pages(&mut desk.client, paid.clone()).await;
        assert_eq!(orders, ["2", "1"]);
        let one = v1::ListOperationsRequest {
            order_id: "1".to_owned(),
            ..v1::ListOperationsRequest::default()
        };
        assert_eq!(all_pages(&mut desk.client, one).await.0, ["1"]);

        let page = desk
            .client
            .list_operations(paid)
            .await
            .unwrap()
            .into_inner();
        let foreign = v1::ListOperationsRequest {
            page_token: page.next_page_token,
            ..v1::ListOperationsRequest::default()
        };
        let refused = desk.client.list_operations(foreign).await.unwrap_err();
        assert_eq!(fields(&refused), ["page_token"]);
        desk.close().await;
    }
);
