//! Workspaces, shares and budgets: what goes with what, and what is added up.

mod support;

use jiff::{SignedDuration, Timestamp};
use support::{Folder, at, chat, server};
use vestibule_app_protocol::{Budget, Cost, Currency};
use vestibule_protocol::WorkspaceId;
use vestibule_store::{FolderRecord, Spent, Store, StoreError, WorkspaceRecord};

fn workspace(name: &str) -> WorkspaceRecord {
    WorkspaceRecord {
        id: WorkspaceId::new(),
        name: name.to_owned(),
        created: at(5),
    }
}

fn folder(workspace: WorkspaceId, path: &str) -> FolderRecord {
    FolderRecord {
        workspace,
        path: path.to_owned(),
        added: at(6),
    }
}

async fn paths(store: &Store) -> Vec<String> {
    let shares = store.shares().await.expect("an open store reads its shares");
    shares.into_iter().map(|share| share.path).collect()
}

#[tokio::test]
async fn there_is_a_workspace_to_begin_in_and_it_stays() {
    let store = Store::in_memory().unwrap();
    assert_eq!(store.workspaces().await.unwrap()[0].id, WorkspaceId::home());
    let refusal = store.remove_workspace(WorkspaceId::home()).await;
    assert!(matches!(refusal, Err(StoreError::Refused { .. })), "{refusal:?}");
    assert_eq!(store.workspaces().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_workspace_survives_reopening_and_its_chats_its_removal() {
    let place = Folder::new();
    let store = place.open();
    let trip = workspace("Trip");
    store.put_workspace(&trip).await.unwrap();
    store
        .add_folder(&folder(trip.id, "/home/ada/Travel"))
        .await
        .unwrap();
    let chat = chat("Oslo", 1);
    store.create_chat(&chat).await.unwrap();
    store.set_chat_workspace(chat.id, trip.id).await.unwrap();
    store.close().await;

    let store = place.open();
    assert_eq!(store.workspaces().await.unwrap()[1], trip);
    assert_eq!(
        store.folders().await.unwrap(),
        [folder(trip.id, "/home/ada/Travel")]
    );
    assert_eq!(store.chats().await.unwrap()[0].workspace, trip.id);
    store.remove_workspace(trip.id).await.unwrap();
    assert_eq!(store.chats().await.unwrap()[0].workspace, WorkspaceId::home());
    assert_eq!(store.folders().await.unwrap(), []);
}

/// RO-008: what is shared ends with the last workspace that holds the folder.
#[tokio::test]
async fn a_folder_no_workspace_holds_is_shared_with_nobody() {
    let store = Store::in_memory().unwrap();
    let (notes, trip) = (server("notes"), workspace("Trip"));
    store.put_server(&notes).await.unwrap();
    store.put_workspace(&trip).await.unwrap();
    for home in [trip.id, WorkspaceId::home()] {
        store.add_folder(&folder(home, "/a")).await.unwrap();
    }
    store.add_folder(&folder(trip.id, "/b")).await.unwrap();
    store
        .share(notes.id, vec!["/a".into(), "/b".into()], at(7))
        .await
        .unwrap();
    assert_eq!(paths(&store).await, ["/a", "/b"]);
    store.remove_folder(trip.id, "/a").await.unwrap();
    assert_eq!(paths(&store).await, ["/a", "/b"]);
    store.remove_folder(WorkspaceId::home(), "/a").await.unwrap();
    assert_eq!(paths(&store).await, ["/b"]);
    store.remove_workspace(trip.id).await.unwrap();
    assert_eq!(paths(&store).await, Vec::<String>::new());

    store
        .add_folder(&folder(WorkspaceId::home(), "/b"))
        .await
        .unwrap();
    let both = store.share(notes.id, vec!["/a".into(), "/b".into()], at(8));
    assert_eq!(both.await.unwrap(), ["/a"], "it says what it left out");
    assert_eq!(paths(&store).await, ["/b"]);
}

#[tokio::test]
async fn one_folder_is_taken_back_from_one_server() {
    let store = Store::in_memory().unwrap();
    let (notes, mail) = (server("notes"), server("mail"));
    for path in ["/a", "/b"] {
        store
            .add_folder(&folder(WorkspaceId::home(), path))
            .await
            .unwrap();
    }
    for server in [&notes, &mail] {
        store.put_server(server).await.unwrap();
        let share = store.share(server.id, vec!["/a".into(), "/b".into()], at(7));
        assert_eq!(share.await.unwrap(), [] as [&str; 0]);
    }
    store.unshare(notes.id, "/a").await.unwrap();
    store.unshare(notes.id, "/none").await.unwrap();
    let left = store.shares().await.unwrap();
    let mut left: Vec<_> = left
        .iter()
        .map(|share| (share.server, share.path.as_str()))
        .collect();
    left.sort_by_key(|(server, path)| (*server != notes.id, *path));
    assert_eq!(left, [(notes.id, "/b"), (mail.id, "/a"), (mail.id, "/b")]);
}

#[tokio::test]
async fn sharing_again_keeps_what_stays_and_takes_back_the_rest() {
    let store = Store::in_memory().unwrap();
    let notes = server("notes");
    store.put_server(&notes).await.unwrap();
    for path in ["/a", "/b", "/c"] {
        store
            .add_folder(&folder(WorkspaceId::home(), path))
            .await
            .unwrap();
    }
    store
        .share(notes.id, vec!["/a".into(), "/b".into()], at(7))
        .await
        .unwrap();
    store
        .record_shared_roots(notes.id, vec!["/a".into()], at(8))
        .await
        .unwrap();
    store
        .share(notes.id, vec!["/a".into(), "/c".into()], at(9))
        .await
        .unwrap();
    let shares = store.shares().await.unwrap();
    assert_eq!((shares[0].shared, shares[0].told), (at(7), Some(at(8))));
    assert_eq!((shares[1].path.as_str(), shares[1].told), ("/c", None));
    assert_eq!(shares.len(), 2);
    store.remove_server(notes.id).await.unwrap();
    assert_eq!(paths(&store).await, Vec::<String>::new());
}

/// SA-023: what a server spent is added up over a time, corrected once it is known, and not forgotten by a restart.
#[tokio::test]
async fn spending_is_added_up_for_each_server() {
    let place = Folder::new();
    let store = place.open();
    let (notes, other) = (server("notes"), server("other"));
    store.put_server(&notes).await.unwrap();
    store.put_server(&other).await.unwrap();
    let now = Timestamp::now();
    let ago = |hours| now.checked_sub(SignedDuration::from_hours(hours)).unwrap();
    let euro: Currency = "EUR".parse().unwrap();
    let spent = |tokens, cost, currency| Spent {
        tokens,
        cost,
        currency,
    };
    let dollars = |tokens, cost| spent(tokens, cost, Currency::DOLLAR);
    store.spend(notes.id, ago(3), dollars(100, 10)).await.unwrap();
    let row = store.spend(notes.id, now, dollars(900, 90)).await.unwrap();
    store.spend(other.id, now, dollars(5, 5)).await.unwrap();
    store.spend(notes.id, ago(3), spent(7, 3, euro)).await.unwrap();
    store.spend(notes.id, ago(3), spent(9, 0, euro)).await.unwrap();
    store.correct_spending(row, dollars(40, 4)).await.unwrap();
    store.close().await;

    let store = place.open();
    let cost = |currency, amount| Cost { currency, amount };
    let hour = store.spent_since(notes.id, ago(1)).await.unwrap();
    assert_eq!(
        (hour.tokens, &hour.costs[..]),
        (40, &[cost(Currency::DOLLAR, 4)][..])
    );
    let day = store.spent_since(notes.id, ago(24)).await.unwrap();
    assert_eq!(day.tokens, 156);
    assert_eq!(day.costs, [cost(euro, 3), cost(Currency::DOLLAR, 14)]);
    assert_eq!((day.cost_in(euro), hour.cost_in(euro)), (3, 0));
}

#[tokio::test]
async fn a_budget_is_what_was_last_said() {
    let store = Store::in_memory().unwrap();
    let notes = server("notes");
    store.put_server(&notes).await.unwrap();
    assert_eq!(store.budget(notes.id).await.unwrap(), None);
    let budget = Budget {
        tokens_hour: 1000,
        tokens_day: 5000,
        cost_hour: None,
        cost_day: Some(2_000_000),
        currency: "EUR".parse().unwrap(),
    };
    store.put_budget(notes.id, budget).await.unwrap();
    let lower = Budget {
        tokens_hour: 0,
        ..budget
    };
    store.put_budget(notes.id, lower).await.unwrap();
    assert_eq!(store.budget(notes.id).await.unwrap(), Some(lower));
}
