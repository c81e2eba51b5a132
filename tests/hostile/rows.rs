//! The database edited while Vestibule is closed, as a server that can write files would. What was edited has no
//! effect, is shown and is written to the ledger; what was not edited holds.

mod definitions;
mod permissions;
mod refusals;
mod servers;
mod signing;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use vestibule_consent::{Answer, ChangeSubject, QuestionBody};
use vestibule_host::view::{
    CallState, RowFault, RowFinding, RowTable, RowsProtection, ServerState, ToolRule,
};
use vestibule_host::{RowsCheck, SecretName, Secrets, check_rows_of_file};
use vestibule_policy::{Condition, Scope, Test};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_tests::{
    KeychainMood, Model, Opening, Puppet, Scene, Stage, TestKeychain, Turn, records, soon, text_result, tool,
    yes,
};

/// A server with three tools: `read` may always be called, `burn` never, and `send` is asked about.
struct House {
    scene: Scene,
    keychain: Arc<TestKeychain>,
    server: ServerId,
    stage: Stage,
    /// `None` until the server is started in this scene.
    puppet: Option<Puppet>,
}

fn tools() -> Vec<Value> {
    vec![tool("read"), tool("send"), tool("burn")]
}

impl House {
    async fn new() -> Self {
        Self::with(KeychainMood::Answers).await
    }

    async fn with(mood: KeychainMood) -> Self {
        let keychain = Arc::new(TestKeychain::default());
        keychain.turn(mood);
        let scene = Opening::default().keeping(keychain.clone()).open().await;
        let (server, puppet, stage) = scene.puppet("notes", &tools()).await;
        scene.allow(server, "read").await;
        scene
            .host
            .tool_rule(server, "burn", ToolRule::Never)
            .await
            .unwrap();
        let house = Self {
            scene,
            keychain,
            server,
            stage,
            puppet: Some(puppet),
        };
        house.until_rule("read", ToolRule::Allow).await;
        house
    }

    /// Closes Vestibule, runs `attack` on its database, opens it again and starts the server.
    async fn attacked(self, attack: impl FnOnce(&rusqlite::Connection)) -> Self {
        let mut house = self.reopened(async |opening| edit(opening, attack)).await;
        house.start(&tools()).await;
        house
    }

    /// Closes Vestibule, runs `change` on what is on disk and opens it again. The server is not started.
    async fn reopened(self, change: impl AsyncFnOnce(&Opening)) -> Self {
        drop(self.puppet);
        let opening = self.scene.close().await;
        change(&opening).await;
        Self {
            scene: opening.open().await,
            puppet: None,
            ..self
        }
    }

    /// Starts the server, which then has `tools`.
    async fn start(&mut self, tools: &[Value]) {
        let puppet = begin(&self.scene, self.server, &self.stage, tools).await;
        self.puppet = Some(puppet);
    }

    fn puppet(&mut self) -> &mut Puppet {
        self.puppet.as_mut().expect("the server was started")
    }

    /// Lets the model call a tool of the server. Says whether the user was asked; the call is then refused.
    async fn is_asked(&mut self, name: &str, arguments: Value) -> bool {
        let (chat, model) = self.scene.scripted_chat().await;
        self.call(chat, &model, name, arguments).await == Reached::User
    }

    async fn call(&mut self, chat: ChatId, model: &Model, name: &str, arguments: Value) -> Reached {
        model.will(Turn::call("one", &format!("notes__{name}"), arguments));
        model.will(Turn::words("I see."));
        self.scene.say(chat, "Go.").await;
        let puppet = self.puppet.as_mut().expect("the server was started");
        let reached = tokio::select! {
            question = self.scene.person.asked() => {
                assert!(matches!(question.about, QuestionBody::CallTool(_)), "{question:?}");
                self.scene.person.say(&question, Answer::Refuse { reason: None }).await;
                Reached::User
            }
            call = puppet.hear("tools/call") => {
                puppet.answer(&call, text_result("done")).await;
                Reached::Server
            }
        };
        self.scene.finished(chat).await;
        reached
    }

    /// Says yes to each tool whose accepted definition does not count.
    async fn accept_tools(&self) {
        for _ in tools() {
            let question = self.scene.person.asked().await;
            assert!(
                matches!(question.about, QuestionBody::ToolChanged(_)),
                "{question:?}"
            );
            self.scene.person.say(&question, yes(Scope::Once)).await;
        }
        let accepted = async {
            while self
                .scene
                .host
                .server_tools(self.server)
                .iter()
                .any(|tool| tool.held)
            {
                tokio::task::yield_now().await;
            }
        };
        soon("accepted tools", accepted).await;
    }

    async fn until_rule(&self, name: &str, rule: ToolRule) {
        let kept = async {
            while self.rule(name) != rule {
                tokio::task::yield_now().await;
            }
        };
        soon("the rule of a tool", kept).await;
    }

    fn rule(&self, name: &str) -> ToolRule {
        let tools = self.scene.host.server_tools(self.server);
        tools.iter().find(|tool| tool.name == name).unwrap().rule
    }

    fn found(&self) -> Vec<RowFinding> {
        self.scene.host.rows().findings
    }

    fn faults(&self) -> Vec<(RowTable, RowFault)> {
        self.found()
            .iter()
            .map(|found| (found.row.table, found.fault))
            .collect()
    }

    /// How often the ledger says that something was found.
    async fn noted(&self) -> usize {
        let all = records(&self.scene.store).await;
        all.iter()
            .filter(|record| record.action == "rows.quarantine")
            .count()
    }

    async fn close(self) -> Opening {
        drop(self.puppet);
        self.scene.close().await
    }
}

/// Where a call ended up.
#[derive(Debug, PartialEq, Eq)]
enum Reached {
    User,
    Server,
}

async fn begin(scene: &Scene, server: ServerId, stage: &Stage, tools: &[Value]) -> Puppet {
    scene.start(server, Scope::Once).await;
    let mut puppet = stage.puppet().await;
    puppet.greet(tools).await;
    scene.ready(server).await;
    puppet
}

fn edit(opening: &Opening, attack: impl FnOnce(&rusqlite::Connection)) {
    let file = rusqlite::Connection::open(opening.database()).unwrap();
    attack(&file);
    file.close().unwrap();
}

fn run(sql: &str) -> impl FnOnce(&rusqlite::Connection) {
    let sql = sql.to_owned();
    move |file| file.execute_batch(&sql).unwrap()
}

/// Control: without an attack nothing is found and the rules hold.
#[tokio::test]
async fn rows_that_nobody_edited_hold_after_a_restart() {
    let mut house = House::new().await.attacked(|_| {}).await;
    assert_eq!(house.found(), []);
    assert_eq!(house.scene.host.rows().protection, RowsProtection::Signed);
    assert!(!house.is_asked("read", json!({})).await);
    assert!(house.is_asked("send", json!({})).await);
    assert_eq!(house.rule("burn"), ToolRule::Never);
    // A use of the rule changes its row.
    let mut house = house.attacked(|_| {}).await;
    assert_eq!(house.found(), []);
    assert!(!house.is_asked("read", json!({})).await);
    assert_eq!(house.noted().await, 0);
    house.close().await;
}

async fn check(house: &House) -> RowsCheck {
    check_rows_of_file(&house.scene.database(), &*house.keychain)
        .await
        .unwrap()
}

/// A keychain that is locked at one start: nothing is quarantined, permissions ask, refusals hold, and it is said.
#[tokio::test]
async fn a_keychain_that_refuses_at_one_start_makes_permissions_ask_for_that_run() {
    let house = House::new().await;
    let keychain = house.keychain.clone();
    let mut house = house
        .reopened(async |_| keychain.turn(KeychainMood::Refuses))
        .await;
    let protection = house.scene.host.rows().protection;
    assert!(
        matches!(protection, RowsProtection::Unchecked { .. }),
        "{protection:?}"
    );
    // Unlocked later, it gives what a start needs; the rows of this run stay unchecked.
    keychain.turn(KeychainMood::Answers);
    house.start(&tools()).await;
    assert_eq!(house.found(), []);
    assert!(house.is_asked("read", json!({})).await);
    assert_eq!(house.rule("burn"), ToolRule::Never);
    let mut house = house.attacked(|_| {}).await;
    assert_eq!(house.found(), []);
    assert!(!house.is_asked("read", json!({})).await);
    assert_eq!(house.noted().await, 0);
    house.close().await;
}

/// Rows that cannot be read do not keep Vestibule from opening.
#[tokio::test]
async fn rows_that_cannot_be_read_are_shown_and_have_no_effect() {
    let garbage = "INSERT INTO servers (id, name, command, args, env, wanted, created)
            VALUES ('no id', 'x', 'x', 'no list', '[]', 1, 0);
        INSERT INTO rules (id, server, body, created) VALUES ('no id', 'no id', 'no rule', 0);";
    let mut house = House::new().await.attacked(run(garbage)).await;
    assert_eq!(house.found().len(), 2, "{:?}", house.found());
    assert!(!house.is_asked("read", json!({})).await);
    for found in house.found() {
        house.scene.host.row_remove(found.row).await.unwrap();
    }
    assert_eq!(house.found(), []);
    let house = house.attacked(|_| {}).await;
    assert_eq!(house.found(), []);
    house.close().await;
}

/// Removing a server or a chat takes its signatures along; nothing counts as deleted from outside.
#[tokio::test]
async fn what_the_user_removes_is_not_found_missing() {
    let mut house = House::new().await;
    let (chat, model) = house.scene.scripted_chat().await;
    model.will(Turn::call("one", "notes__send", json!({})));
    model.will(Turn::words("Done."));
    house.scene.say(chat, "Go.").await;
    let question = house.scene.person.asked().await;
    house.scene.person.say(&question, yes(Scope::Chat)).await;
    let call = house.puppet().hear("tools/call").await;
    house.puppet().answer(&call, text_result("done")).await;
    house.scene.finished(chat).await;
    let (other, puppet, _stage) = house.scene.puppet("other", &tools()).await;
    drop(puppet);
    house.scene.host.chat_delete(chat).await.unwrap();
    house.scene.host.server_remove(other).await.unwrap();
    let house = house.attacked(|_| {}).await;
    assert_eq!(house.found(), []);
    assert_eq!(check(&house).await, RowsCheck::Checked(vec![]));
    house.close().await;
}
