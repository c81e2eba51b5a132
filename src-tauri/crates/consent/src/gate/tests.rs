//! What the gate promises: a permit only after a yes or a rule, and only after the ledger says so.

use std::sync::Arc;

use super::call::call_scopes;
use super::*;
use crate::{Call, CallTool, Claims, Permit, Question, Reply, Tool};
use vestibule_policy::Definition;
use vestibule_protocol::{ChatId, ServerId, WorkspaceId};

fn noon() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn server_record(id: ServerId) -> vestibule_store::ServerRecord {
    vestibule_store::ServerRecord {
        id,
        name: "notes".into(),
        place: vestibule_store::Place::Here(vestibule_store::Program::default()),
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
        created: noon(),
        updated: noon(),
    }
}

struct Scene {
    gate: Arc<Gate>,
    inbox: Inbox,
    store: Store,
    server: ServerFace,
    chat: ChatId,
}

async fn scene() -> Scene {
    let store = Store::in_memory().unwrap();
    let inbox = Inbox::default();
    let gate = Arc::new(Gate::open(store.clone(), inbox.clone(), noon).await.unwrap());
    let server = ServerFace {
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

fn definition() -> Definition {
    Definition::Accepted(Digest::of_tool(&json!({"name": "delete_page"})))
}

impl Scene {
    fn call(&self, arguments: Value, claims: Claims, definition: Definition) -> CallRequest {
        let tool = Tool {
            name: "delete_page".into(),
            title: None,
            description: None,
            claims,
            definition: json!({"name": "delete_page"}),
        };
        let arguments = arguments.as_object().cloned().unwrap();
        let cause = Cause {
            chat: self.chat,
            chat_title: "Oslo".into(),
            entry: None,
        };
        CallRequest {
            server: self.server.clone(),
            cause: Some(cause),
            workspace: WorkspaceId::home(),
            call: Call {
                tool,
                arguments,
                last_arguments: None,
                raised: None,
                carried: vec![],
                roots: vec![],
                outside: vec![],
            },
            definition,
            fits: Arc::new(|_| Ok(())),
        }
    }

    /// Asks for a call and lets the person give `answer` when the question comes, as the consent window would.
    async fn person_says(&self, request: CallRequest, answer: Answer) -> Result<Permit<CallTool>, NoPermit> {
        let (tell, told) = tokio::sync::oneshot::channel();
        let mut tell = Some(tell);
        let asked = move |id| assert!(tell.take().is_none_or(|tell| tell.send(id).is_ok()));
        let person = async {
            let Ok(id) = told.await else { return };
            let question = self.inbox.questions().into_iter().find(|q| q.id == id).unwrap();
            self.inbox.presented(id);
            tokio::time::advance(Duration::from_millis(question.guard_ms.into())).await;
            let Question { nonce, digest, .. } = question;
            self.inbox
                .answer(Reply {
                    question: id,
                    nonce,
                    digest,
                    answer,
                    also: vec![],
                })
                .unwrap();
        };
        tokio::join!(self.gate.call_tool(request, asked), person).0
    }

    async fn kinds(&self) -> Vec<(LedgerKind, Option<String>)> {
        let filter = vestibule_store::LedgerFilter {
            limit: 100,
            ..Default::default()
        };
        let mut all = self.store.ledger(filter).await.unwrap();
        all.sort_by_key(|record| record.seq);
        all.into_iter()
            .map(|record| (record.kind, record.decision))
            .collect()
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
mod ending;
mod opening;
mod standing;
