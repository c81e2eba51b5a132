//! What the tests of the store share: a folder of its own for each, and records to put into it.
#![allow(dead_code, reason = "each test program uses its own part")]

pub(crate) mod acknowledged;
pub(crate) mod long_ledger;
pub(crate) mod trace;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::json;
use tempfile::TempDir;
use vestibule_protocol::{ChatId, EraChoice, RuleId, ServerId, WorkspaceId};
use vestibule_store::{
    ChatRecord, LedgerDraft, LedgerKind, Program, RuleRecord, ServerPlace, ServerRecord, Store,
};

pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder can be made"))
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.0.path().join("vestibule.db")
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(&self.database()).expect("the store opens")
    }
}

pub(crate) fn at(millisecond: i64) -> Timestamp {
    Timestamp::from_millisecond(millisecond).expect("a time within range")
}

pub(crate) fn server(name: &str) -> ServerRecord {
    ServerRecord {
        id: ServerId::new(),
        name: name.to_owned(),
        place: ServerPlace::Here(Program {
            command: "/usr/bin/notes-server".to_owned(),
            args: vec!["--root".to_owned(), "my notes".to_owned()],
            env: vec!["NOTES_TOKEN".to_owned()],
            pasted: vec![],
            cwd: Some("/home/person".to_owned()),
        }),
        era: EraChoice::Auto,
        wanted: true,
        created: at(1_700_000_000_123),
    }
}

pub(crate) fn chat(title: &str, updated: i64) -> ChatRecord {
    ChatRecord {
        id: ChatId::new(),
        workspace: WorkspaceId::home(),
        title: title.to_owned(),
        model: None,
        settings: None,
        created: at(1),
        updated: at(updated),
        pinned: false,
        archived: false,
        trashed: None,
    }
}

pub(crate) fn rule(server: ServerId, chat: Option<ChatId>) -> RuleRecord {
    RuleRecord {
        id: RuleId::new(),
        server,
        chat,
        body: json!({ "tool": "read_page", "decision": "allow" }),
        created: at(5),
        last_used: None,
        expires: Some(at(9_999_999)),
    }
}

pub(crate) fn draft(number: i64) -> LedgerDraft {
    LedgerDraft {
        kind: LedgerKind::Intent,
        server: None,
        chat: None,
        action: "tool.call".to_owned(),
        object: format!("tool {number}"),
        decision: Some("allow".to_owned()),
        because: json!(["the user said so"]),
        body: json!({ "number": number, "ratio": 0.1, "text": "line\nbreak \u{1b}[31m \"quoted\"" }),
    }
}

/// A connection behind the store's back, as somebody with an editor for databases would have.
pub(crate) fn intruder(path: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(path).expect("the file opens as a database")
}
