//! Servers, tools, rules and settings: what goes with what, and what is refused.

mod support;

use serde_json::{Value, json};
use support::{Folder, at, chat, draft, rule, server};
use vestibule_protocol::{ChatId, EntryId, EraChoice, RuleId, ServerId, TransportChoice};
use vestibule_store::{
    ApprovedTool, Endpoint, LedgerDraft, LedgerFilter, Program, ServerPlace, Store, StoreError,
};

fn tool(server: ServerId, name: &str) -> ApprovedTool {
    ApprovedTool {
        server,
        name: name.to_owned(),
        digest: "sha256:00".to_owned(),
        definition: json!({}),
        approved: at(1),
    }
}

async fn put_chat(store: &Store, title: &str, updated: i64) -> ChatId {
    let chat = chat(title, updated);
    store.create_chat(&chat).await.expect("the chat can be made");
    chat.id
}

#[tokio::test]
async fn removing_a_server_takes_its_rules_and_tools_and_leaves_the_ledger() {
    let store = Store::in_memory().unwrap();
    let (gone, stays) = (server("gone"), server("stays"));
    for server in [&gone, &stays] {
        store.put_server(server).await.unwrap();
        store.put_rule(&rule(server.id, None)).await.unwrap();
        store.approve_tool(&tool(server.id, "read_page")).await.unwrap();
        store
            .append(LedgerDraft {
                server: Some(server.id),
                ..draft(1)
            })
            .await
            .unwrap();
    }
    store.remove_server(gone.id).await.unwrap();
    store.remove_server(gone.id).await.unwrap();

    let servers = store.servers().await.unwrap();
    assert_eq!(
        servers.iter().map(|server| server.id).collect::<Vec<_>>(),
        [stays.id]
    );
    let rules = store.rules().await.unwrap();
    assert_eq!(
        rules.iter().map(|rule| rule.server).collect::<Vec<_>>(),
        [stays.id]
    );
    assert!(store.approved_tools(gone.id).await.unwrap().is_empty());
    assert_eq!(store.approved_tools(stays.id).await.unwrap().len(), 1);
    let of_gone = LedgerFilter {
        server: Some(gone.id),
        ..LedgerFilter::default()
    };
    assert_eq!(store.ledger(of_gone).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_change_of_a_server_that_was_removed_meanwhile_is_refused() {
    let store = Store::in_memory().unwrap();
    let mut notes = server("notes");
    store.put_server(&notes).await.unwrap();
    notes.wanted = false;
    store.update_server(&notes).await.unwrap();
    assert_eq!(store.servers().await.unwrap(), std::slice::from_ref(&notes));
    store.remove_server(notes.id).await.unwrap();
    let refused = store.update_server(&notes).await;
    assert!(matches!(refused, Err(StoreError::Unknown { .. })), "{refused:?}");
    assert_eq!(store.servers().await.unwrap(), []);
}

#[tokio::test]
async fn changing_a_server_keeps_its_rules_and_tools() {
    let store = Store::in_memory().unwrap();
    let mut server = server("notes");
    store.put_server(&server).await.unwrap();
    store.put_rule(&rule(server.id, None)).await.unwrap();
    store.approve_tool(&tool(server.id, "read_page")).await.unwrap();
    server.wanted = false;
    store.put_server(&server).await.unwrap();
    assert_eq!(store.servers().await.unwrap(), [server.clone()]);
    assert_eq!(store.rules().await.unwrap().len(), 1);
    assert_eq!(store.approved_tools(server.id).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_server_at_an_address_is_kept_with_its_choices() {
    let folder = Folder::new();
    let store = folder.open();
    let mut web = server("web");
    web.era = EraChoice::Modern;
    web.place = ServerPlace::Address(Endpoint {
        url: "https://mcp.example.com/mcp".to_owned(),
        transport: TransportChoice::Sse,
        headers: vec!["X-Api-Key".to_owned(), "X-Team".to_owned()],
        pasted: vec!["X-Team".to_owned()],
    });
    store.put_server(&web).await.unwrap();
    store.close().await;
    let store = folder.open();
    assert_eq!(store.servers().await.unwrap(), [web.clone()]);
    // A server that moves leaves nothing of its former place behind.
    web.place = server("web").place;
    store.put_server(&web).await.unwrap();
    assert_eq!(store.servers().await.unwrap(), [web]);
}

/// A file of a version that did not tell typed values from pasted ones has names alone.
#[tokio::test]
async fn whether_a_value_was_pasted_is_kept_with_its_name() {
    let folder = Folder::new();
    let store = folder.open();
    let mut notes = server("notes");
    notes.place = ServerPlace::Here(Program {
        env: vec!["TYPED".to_owned(), "PASTED".to_owned()],
        pasted: vec!["PASTED".to_owned()],
        ..Program::default()
    });
    store.put_server(&notes).await.unwrap();
    assert_eq!(store.servers().await.unwrap(), [notes.clone()]);
    notes.place.set_typed("PASTED");
    assert!(notes.place.pasted().is_empty());
    store.put_server(&notes).await.unwrap();
    assert_eq!(store.servers().await.unwrap(), [notes]);
    store.close().await;
    let file = support::intruder(&folder.database());
    file.execute("UPDATE servers SET env = '[\"OLD\"]'", []).unwrap();
    drop(file);
    let store = folder.open();
    let ServerPlace::Here(program) = store.servers().await.unwrap().remove(0).place else {
        panic!("it is here")
    };
    assert_eq!((program.env, program.pasted), (vec!["OLD".to_owned()], vec![]));
}

#[tokio::test]
async fn of_a_header_only_the_name_is_kept() {
    let store = Store::in_memory().unwrap();
    for slip in ["Authorization: Bearer correct-horse", "X=y", ""] {
        let mut web = server("web");
        web.place = ServerPlace::Address(Endpoint {
            headers: vec![slip.to_owned()],
            ..Endpoint::default()
        });
        let refusal = store.put_server(&web).await.unwrap_err();
        assert!(matches!(refusal, StoreError::Refused { .. }), "{refusal:?}");
        assert!(!refusal.to_string().contains("correct-horse"));
    }
}

#[tokio::test]
async fn definitions_are_accepted_all_together_or_not_at_all() {
    let store = Store::in_memory().unwrap();
    let server = server("notes");
    store.put_server(&server).await.unwrap();
    let many: Vec<_> = (0..512)
        .map(|number| tool(server.id, &format!("tool{number}")))
        .collect();
    store.approve_tools(&many).await.unwrap();
    assert_eq!(store.approved_tools(server.id).await.unwrap().len(), 512);
    let with_a_stranger = [tool(server.id, "new"), tool(ServerId::new(), "stranger")];
    assert!(store.approve_tools(&with_a_stranger).await.is_err());
    assert_eq!(store.approved_tools(server.id).await.unwrap().len(), 512);
}

#[tokio::test]
async fn of_an_environment_only_names_are_kept() {
    let folder = Folder::new();
    let store = folder.open();
    for slip in ["NOTES_TOKEN=correct-horse", "=", ""] {
        let mut server = server("notes");
        server.place = ServerPlace::Here(Program {
            env: vec!["PATH".to_owned(), slip.to_owned()],
            ..Program::default()
        });
        let refusal = store.put_server(&server).await.unwrap_err();
        assert!(matches!(refusal, StoreError::Refused { .. }), "{refusal:?}");
        assert!(!refusal.to_string().contains("correct-horse"));
    }
    assert!(store.servers().await.unwrap().is_empty());
    store.close().await;
    for file in std::fs::read_dir(folder.database().parent().unwrap()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(13).any(|part| part == b"correct-horse"));
    }
}

#[tokio::test]
async fn what_is_not_there_is_named() {
    let store = Store::in_memory().unwrap();
    let (chat, server, entry) = (ChatId::new(), server("notes"), EntryId::new());
    let unknown = |result: Result<(), StoreError>, id: String| match result {
        Err(StoreError::Unknown { id: named, .. }) => assert_eq!(named, id),
        other => panic!("expected an unknown {id}, got {other:?}"),
    };
    let added = store.append_entry(chat, entry, at(1), json!({})).await;
    unknown(added.map(|_| ()), chat.to_string());
    unknown(store.update_entry(entry, json!({})).await, entry.to_string());
    unknown(store.rename_chat(chat, "x").await, chat.to_string());
    unknown(store.set_chat_model(chat, None).await, chat.to_string());
    unknown(
        store.approve_tool(&tool(server.id, "x")).await,
        server.id.to_string(),
    );
    let orphan = rule(server.id, None);
    unknown(store.put_rule(&orphan).await, orphan.id.to_string());
    store.put_server(&server).await.unwrap();
    let orphan = rule(server.id, Some(chat));
    unknown(store.put_rule(&orphan).await, orphan.id.to_string());
    assert!(store.rules().await.unwrap().is_empty());
}

#[tokio::test]
async fn an_id_is_used_once() {
    let store = Store::in_memory().unwrap();
    let first = chat("first", 1);
    store.create_chat(&first).await.unwrap();
    let again = store.create_chat(&first).await;
    assert!(matches!(again, Err(StoreError::Refused { .. })), "{again:?}");
    let entry = EntryId::new();
    store
        .append_entry(first.id, entry, at(1), json!(1))
        .await
        .unwrap();
    let again = store.append_entry(first.id, entry, at(9), json!(2)).await;
    assert!(matches!(again, Err(StoreError::Refused { .. })), "{again:?}");
    assert_eq!(store.entries(first.id).await.unwrap()[0].body, json!(1));
    assert_eq!(
        store.chats().await.unwrap()[0].updated,
        at(1),
        "the refused entry left no trace"
    );
}

#[tokio::test]
async fn a_rule_remembers_its_latest_use_and_can_be_taken_back() {
    let store = Store::in_memory().unwrap();
    let server = server("notes");
    store.put_server(&server).await.unwrap();
    let rule = rule(server.id, None);
    store.put_rule(&rule).await.unwrap();
    store.touch_rule(rule.id, at(50)).await.unwrap();
    store.touch_rule(rule.id, at(40)).await.unwrap();
    store.touch_rule(RuleId::new(), at(60)).await.unwrap();
    assert_eq!(store.rules().await.unwrap()[0].last_used, Some(at(50)));
    store.remove_rule(rule.id).await.unwrap();
    assert!(store.rules().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_forgotten_tool_is_no_longer_approved() {
    let store = Store::in_memory().unwrap();
    let server = server("notes");
    store.put_server(&server).await.unwrap();
    store.approve_tool(&tool(server.id, "read_page")).await.unwrap();
    let changed = ApprovedTool {
        digest: "sha256:11".to_owned(),
        ..tool(server.id, "read_page")
    };
    store.approve_tool(&changed).await.unwrap();
    store.approve_tool(&tool(server.id, "delete_page")).await.unwrap();
    store.forget_tool(server.id, "delete_page").await.unwrap();
    assert_eq!(store.approved_tools(server.id).await.unwrap(), [changed]);
}

#[tokio::test]
async fn a_value_that_could_not_be_read_back_is_not_saved() {
    let store = Store::in_memory().unwrap();
    let chat = put_chat(&store, "deep", 1).await;
    let deep: Value = (0..125).fold(json!(1), |inner, _| json!([inner]));
    let refusal = store
        .append_entry(chat, EntryId::new(), at(1), deep.clone())
        .await;
    assert!(matches!(refusal, Err(StoreError::TooLarge { .. })), "{refusal:?}");
    let refusal = store
        .append(LedgerDraft {
            body: deep,
            ..draft(1)
        })
        .await;
    assert!(matches!(refusal, Err(StoreError::TooLarge { .. })), "{refusal:?}");
    assert!(store.entries(chat).await.unwrap().is_empty());
    assert_eq!(store.ledger_head().await.unwrap().seq, 0);
}
