//! What the gate promises: a permit only after a yes or a rule, and only after the ledger says so.

use std::sync::Arc;

use super::call::call_scopes;
use super::*;
use crate::tests::cards;
use crate::tests::cards::{begin, clock, noon, pass};
use crate::{CallTool, Cause, Claims, Permit, Question, QuestionBody, Reply, ServerSummary, Tool, Validate};
use serde_json::json;
use vestibule_policy::{ContentDigest, Decision, DefinitionState, Places, Request, Rule};
use vestibule_protocol::{ChatId, QuestionId, ServerId, WorkspaceId};
use vestibule_store::{LedgerFilter, LedgerKind, LedgerRecord};

fn server_record(id: ServerId) -> vestibule_store::ServerRecord {
    vestibule_store::ServerRecord {
        id,
        name: "notes".into(),
        place: vestibule_store::ServerPlace::Here(vestibule_store::Program::default()),
        era: vestibule_protocol::EraChoice::Auto,
        wanted: false,
        created: noon(),
    }
}

fn chat_record(id: ChatId) -> vestibule_store::ChatRecord {
    let workspace = WorkspaceId::home();
    vestibule_store::ChatRecord {
        id,
        workspace,
        title: "Oslo".into(),
        model: None,
        settings: None,
        created: noon(),
        updated: noon(),
        pinned: false,
        archived: false,
        trashed: None,
    }
}

struct Scene {
    gate: Arc<Gate>,
    inbox: Inbox,
    store: Store,
    server: ServerSummary,
    chat: ChatId,
}

async fn scene() -> Scene {
    begin();
    let store = Store::in_memory().unwrap();
    let inbox = Inbox::new(clock);
    let gate = Arc::new(Gate::open(store.clone(), inbox.clone(), clock).await.unwrap());
    let server = ServerSummary {
        id: ServerId::new(),
        name: "notes".into(),
        provenance: "npx notes".into(),
    };
    let chat = ChatId::new();
    store.put_server(&server_record(server.id)).await.unwrap();
    store.create_chat(&chat_record(chat)).await.unwrap();
    Scene {
        gate,
        inbox,
        store,
        server,
        chat,
    }
}

fn definition() -> DefinitionState {
    DefinitionState::Accepted(Digest::of_tool(&json!({"name": "delete_page"})))
}

/// Paths that lead to these places, with nothing to say of them.
fn leading_to(places: Places) -> ArgumentPaths {
    ArgumentPaths {
        places,
        ..ArgumentPaths::default()
    }
}

impl Scene {
    fn cause(&self) -> Cause {
        Cause {
            chat: self.chat,
            chat_title: "Oslo".into(),
            entry: None,
            task_of: None,
        }
    }

    fn call(&self, arguments: Value, claims: Claims, definition: DefinitionState) -> CallRequest {
        let tool = Tool {
            claims,
            ..cards::tool("delete_page")
        };
        CallRequest {
            server: self.server.clone(),
            cause: Some(self.cause()),
            workspace: WorkspaceId::home(),
            call: cards::call(tool, &arguments),
            definition,
            places: Places::as_written(&arguments),
            find_paths: Arc::new(|arguments| {
                let places = Places::as_written(&Value::Object(arguments));
                Box::pin(async move { leading_to(places) })
            }),
            validate: Validate::now(|_| Ok(())),
        }
    }

    /// Asks for a call and lets the user give `answer` when the question comes, as the consent window would.
    async fn person_says(&self, request: CallRequest, answer: Answer) -> Result<Permit<CallTool>, Denied> {
        let (tell, told) = tokio::sync::oneshot::channel();
        let mut tell = Some(tell);
        let asked = move |id| assert!(tell.take().is_none_or(|tell| tell.send(id).is_ok()));
        let person = async {
            let Ok(id) = told.await else { return };
            let question = self.inbox.questions().into_iter().find(|q| q.id == id).unwrap();
            self.inbox.presented(id);
            tokio::time::advance(Duration::from_millis(question.guard_ms.into())).await;
            self.inbox.answer(reply(question, answer)).unwrap();
        };
        tokio::join!(request.approve(&self.gate, asked), person).0
    }

    /// Answers the next question, as the consent window would.
    fn person(&self, answer: Answer) -> impl FnMut(QuestionId) + use<> {
        let inbox = self.inbox.clone();
        move |id| {
            let (inbox, answer) = (inbox.clone(), answer.clone());
            tokio::spawn(async move {
                let question = inbox.questions().into_iter().find(|q| q.id == id).unwrap();
                inbox.presented(id);
                tokio::time::advance(CLICK_DELAY_FOR_CODE).await;
                inbox.answer(reply(question, answer)).unwrap();
            });
        }
    }

    /// Everything in the ledger, oldest first.
    async fn ledger(&self) -> Vec<LedgerRecord> {
        let filter = LedgerFilter {
            limit: 100,
            ..LedgerFilter::default()
        };
        let mut all = self.store.ledger(filter).await.unwrap();
        all.sort_by_key(|record| record.seq);
        all
    }

    /// A digest in a record is of this content, as whoever has its salt can show.
    async fn assert_stands_for(&self, record: &LedgerRecord, name: &str, content: ContentDigest) {
        let salt = self.store.ledger_salt(record.seq).await.unwrap();
        let salted = content.salted(&salt.expect("its chat and server are there"));
        assert_eq!(record.body[name], json!(salted), "{name}");
    }

    /// The only record of this kind.
    async fn only(&self, kind: LedgerKind) -> LedgerRecord {
        let all = self.ledger().await;
        let mut found = all.into_iter().filter(|record| record.kind == kind);
        let only = found.next().unwrap();
        assert_eq!(found.next(), None);
        only
    }

    async fn kinds(&self) -> Vec<(LedgerKind, Option<String>)> {
        let all = self.ledger().await;
        all.into_iter()
            .map(|record| (record.kind, record.decision))
            .collect()
    }
}

fn reply(question: Question, answer: Answer) -> Reply {
    Reply {
        question: question.id,
        nonce: question.nonce,
        digest: question.digest,
        answer,
        also: vec![],
    }
}

fn nobody(id: QuestionId) {
    panic!("{id} was asked")
}

fn no() -> Answer {
    Answer::Refuse {
        reason: Some("not for them".into()),
    }
}

fn yes(scope: Scope) -> Answer {
    Answer::Accept {
        scope,
        arguments: None,
        when: vec![],
    }
}

mod answers;
mod arguments;
mod ending;
mod folders;
mod forms;
mod guardrails;
mod mute;
mod opening;
mod pages;
mod picked;
mod programs;
mod quarantined;
mod rule_changes;
mod rules;
mod sampling;
mod signing_in;
mod stopping;
mod tools;
mod widen;
