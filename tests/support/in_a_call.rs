//! Where most questions of servers begin: the model has called a tool of a puppet, which works on it and has not
//! answered yet.

use serde_json::{Value, json};
use vestibule_policy::Scope;
use vestibule_protocol::ChatId;

use crate::{Model, Puppet, Scene, Stage, Turn, text_result, tool, yes};

/// A chat in which the model has called a tool of a puppet.
pub struct InACall {
    pub scene: Scene,
    pub chat: ChatId,
    pub model: Model,
    pub puppet: Puppet,
    /// The call, as the server reads it.
    pub call: Value,
    _stage: Stage,
}

impl InACall {
    /// Of the one tool of a server that is called `server`.
    pub async fn new(server: &str, name: &str) -> Self {
        let scene = Scene::new().await;
        let (_, puppet, stage) = scene.puppet(server, &[tool(name)]).await;
        Self::at(scene, puppet, stage, &format!("{server}__{name}")).await
    }

    /// Of the one tool of a server of the modern era.
    pub async fn modern(server: &str, name: &str) -> Self {
        let scene = Scene::new().await;
        let (_, puppet, stage) = scene.modern_puppet(server, &[tool(name)]).await;
        Self::at(scene, puppet, stage, &format!("{server}__{name}")).await
    }

    async fn at(scene: Scene, mut puppet: Puppet, stage: Stage, tool: &str) -> Self {
        let (chat, model) = scene.scripted_chat().await;
        model.will(Turn::call("one", tool, json!({ "number": 3 })));
        model.will(Turn::words("Done."));
        scene.say(chat, "Do it.").await;
        let question = scene.person.asked().await;
        scene.person.say(&question, yes(Scope::Once)).await;
        let call = puppet.hear("tools/call").await;
        Self {
            scene,
            chat,
            model,
            puppet,
            call,
            _stage: stage,
        }
    }

    /// Waits until no question is open.
    pub async fn nothing_waits(&self) {
        let nothing = |seen: &crate::Projection| seen.waiting.is_empty();
        self.scene.window.until("no question", nothing).await;
    }

    /// The server answers its call, and everything ends.
    pub async fn end(mut self) {
        self.puppet.answer(&self.call, text_result("Never mind.")).await;
        self.scene.finished(self.chat).await;
        self.scene.close().await;
    }
}
