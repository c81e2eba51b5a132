//! Servers that misbehave. For each: what it did is said in the right place, and meanwhile the chat and a healthy
//! server beside it work as always. A private chat beside them says secrets; each test ends with a look for them, and
//! for the tokens of its servers and models, in logs, requests, events of others and files (`support/canaries.rs`).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod canaries;
mod catalog;
mod conditions;
mod data_flow;
mod descendants;
mod exports;
mod floods;
mod instructions;
mod launch;
mod lines;
mod model_keys;
mod model_listings;
mod offered;
mod questions;
mod rows;
mod schemas;
mod sign_in;
mod stored;
mod token_files;
mod tools;
mod widening;

use serde_json::{Value, json};
use vestibule_host::view::{CallBody, CallState, SettingsChange, ToolDiscovery};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_tests::{Model, Puppet, Scene, Stage, Turn, text_result, tool};

/// A scene with two servers: one that will misbehave, and one that does not.
struct Street {
    scene: Scene,
    /// The one that will misbehave; it has the tool `read`.
    server: ServerId,
    puppet: Puppet,
    neighbour: Puppet,
    chat: ChatId,
    model: Model,
    _stages: [Stage; 2],
}

impl Street {
    async fn new() -> Self {
        Self::with(&[tool("read")]).await
    }

    async fn with(tools: &[Value]) -> Self {
        let scene = Scene::new().await;
        let (server, puppet, stage) = scene.puppet("notes", tools).await;
        let (_, neighbour, other) = scene.puppet("other", &[tool("find")]).await;
        scene.agrees();
        scene.private_chat().await;
        let (chat, model) = scene.scripted_chat().await;
        Self {
            scene,
            server,
            puppet,
            neighbour,
            chat,
            model,
            _stages: [stage, other],
        }
    }

    /// Gives the model every definition, however long they are together.
    async fn offers_all_tools(&self) {
        let all = SettingsChange {
            tool_discovery: Some(ToolDiscovery::All),
            ..SettingsChange::default()
        };
        self.scene.host.settings_save(all).await.unwrap();
    }

    /// Lets the model call the misbehaving server; gives back the request as the server reads it.
    async fn call(&mut self) -> Value {
        self.model.will(Turn::call("one", "notes__read", json!({})));
        self.scene.say(self.chat, "Read.").await;
        self.puppet.hear("tools/call").await
    }

    /// Waits for the model to be told, and gives back the call as the chat shows it.
    async fn told(&mut self) -> CallBody {
        self.model.will(Turn::words("I see."));
        let entries = self.scene.finished(self.chat).await;
        Scene::calls(&entries).pop().unwrap()
    }

    /// The neighbour is called in another chat, and answers.
    async fn others_are_unharmed(&mut self) {
        let (chat, model) = self.scene.scripted_chat().await;
        model.will(Turn::call("two", "other__find", json!({})));
        model.will(Turn::words("Found."));
        self.scene.say(chat, "Find.").await;
        let call = self.neighbour.hear("tools/call").await;
        self.neighbour.answer(&call, text_result("found")).await;
        let call = Scene::calls(&self.scene.finished(chat).await).remove(0);
        assert!(matches!(call.state, CallState::Answered { .. }), "{call:?}");
    }

    /// The misbehaving server is still connected, and answers a call.
    async fn it_still_works(&mut self) {
        let call = self.call().await;
        self.puppet.answer(&call, text_result("still here")).await;
        let call = self.told().await;
        let CallState::Answered { result, .. } = &call.state else {
            panic!("{call:?}")
        };
        assert!(format!("{result:?}").contains("still here"), "{result:?}");
    }

    async fn logged(&self, line: &str) {
        self.scene.logged(self.server, &[line]).await;
    }

    async fn close(self) {
        self.scene.close().await;
    }
}
