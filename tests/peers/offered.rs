//! What the everything server offers besides tools, as a user uses it: picked for a chat, filled in with proposals,
//! sent along, marked when it changes; and the level of its log. All of it through the whole host.

use std::collections::BTreeMap;

use serde_json::json;
use vestibule_host::view::{
    AttachmentView, CompletionAsk, CompletionOf, ContentView, EntryBody, InputProblem, OffersView, Problem,
    ProgramDraft, ResourcePick, ServerDraft,
};
use vestibule_policy::Scope;
use vestibule_protocol::mcp::LogLevel;
use vestibule_protocol::{ChatId, ServerId};
use vestibule_tests::{Model, Projection, Scene, Turn, ended, records};

use crate::from_npm;

const NUMBERED: &str = "demo://resource/dynamic/text/{resourceId}";

/// A chat, and the server beside it.
struct Desk {
    scene: Scene,
    server: ServerId,
    offers: OffersView,
    chat: ChatId,
    model: Model,
}

impl Desk {
    async fn new() -> Self {
        let scene = Scene::new().await;
        let peer = from_npm("server-everything", &["stdio"]);
        let program = ProgramDraft {
            command: peer.command,
            args: peer.args,
            ..ProgramDraft::default()
        };
        let draft = ServerDraft::here("everything", program);
        let server = scene.host.server_add(draft).await.unwrap();
        scene.start(server, Scope::Once).await;
        scene.ready(server).await;
        let all = |offers: &OffersView| !offers.prompts.is_empty() && !offers.templates.is_empty();
        let offers = scene.offers(server, all).await;
        let (chat, model) = scene.scripted_chat().await;
        Self {
            scene,
            server,
            offers,
            chat,
            model,
        }
    }

    async fn read(&self, pick: ResourcePick) -> Result<AttachmentView, Problem> {
        self.scene.host.resource_read(self.chat, self.server, pick).await
    }

    async fn numbered(&self, number: &str) -> AttachmentView {
        let pick = ResourcePick::Pattern {
            pattern: NUMBERED.into(),
            values: values(&[("resourceId", number)]),
        };
        self.read(pick).await.unwrap()
    }

    async fn proposed(
        &self,
        of: CompletionOf,
        field: &str,
        value: &str,
        others: &[(&str, &str)],
    ) -> Vec<String> {
        let ask = CompletionAsk {
            of,
            field: field.into(),
            value: value.into(),
            others: values(others),
        };
        self.scene.host.complete(self.server, ask).await.unwrap().values
    }

    async fn expand(&self, prompt: &str, arguments: &[(&str, &str)]) -> AttachmentView {
        let host = &self.scene.host;
        let expanded = host.prompt_get(self.chat, self.server, prompt.into(), values(arguments));
        expanded.await.unwrap()
    }

    /// Sends this along; gives back what the model was told.
    async fn send(&mut self, attached: &[&AttachmentView]) -> String {
        self.model.will(Turn::words("I have read it."));
        let ids: Vec<_> = attached.iter().map(|one| one.id).collect();
        self.scene.say_with(self.chat, "Read this.", &ids).await;
        let told = self.model.asked().await.to_string();
        self.scene.finished(self.chat).await;
        told
    }
}

fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(pair).collect()
}

fn words(attachment: &AttachmentView) -> String {
    format!("{:?}", attachment.parts)
}

/// RS-001, RS-002, RS-004, RS-013: what is listed and what a pattern names is read, shown whole and sent to the model;
/// what is neither is not asked for.
#[tokio::test]
async fn its_resources_are_read_when_they_are_picked_and_sent_along() {
    let mut desk = Desk::new().await;
    let patterns: Vec<&str> = desk.offers.templates.iter().map(|it| &*it.pattern).collect();
    assert!(
        desk.offers.resources.len() >= 7 && patterns.len() == 2,
        "{patterns:?}"
    );
    assert!(desk.offers.watches && desk.offers.completes && desk.offers.logs);
    let listed = desk.offers.resources[0].uri.clone();
    let document = desk
        .read(ResourcePick::Listed { uri: listed.clone() })
        .await
        .unwrap();
    let numbered = desk.numbered("7").await;
    assert!(
        words(&numbered).contains("demo://resource/dynamic/text/7"),
        "{numbered:?}"
    );
    let elsewhere = ResourcePick::Listed {
        uri: "file:///etc/passwd".into(),
    };
    assert!(desk.read(elsewhere).await.is_err());
    let ContentView::Resource { text: Some(text), .. } = &document.parts[0].content else {
        panic!("{document:?}")
    };
    let told = desk.send(&[&document, &numbered]).await;
    let begins = json!(text.lines().next().unwrap()).to_string();
    assert!(told.contains(begins.trim_matches('"')), "{told}");
    assert!(told.contains("demo://resource/dynamic/text/7"), "{told}");
    let ends = ended(&records(&desk.scene.store).await);
    let reads: Vec<_> = ends
        .iter()
        .filter(|(action, ..)| action == "resource.read")
        .collect();
    assert!(reads.len() == 2 && reads[0].1 == listed, "{ends:?}");
    desk.scene.close().await;
}

/// PR-002, CP-001, CP-006: proposals go by what was chosen before; the prompt is filled in, shown and sent.
#[tokio::test]
async fn its_prompts_are_filled_in_with_what_it_proposes() {
    let mut desk = Desk::new().await;
    let name = "completable-prompt";
    let of = || CompletionOf::Prompt(name.into());
    assert_eq!(desk.proposed(of(), "department", "Mar", &[]).await, ["Marketing"]);
    let chosen = [("department", "Marketing")];
    assert_eq!(desk.proposed(of(), "name", "G", &chosen).await, ["Grace"]);
    let pattern = || CompletionOf::Pattern(NUMBERED.into());
    assert_eq!(desk.proposed(pattern(), "resourceId", "12", &[]).await, ["12"]);

    let missing = desk
        .scene
        .host
        .prompt_get(desk.chat, desk.server, name.into(), values(&chosen));
    assert!(
        matches!(missing.await, Err(Problem::Input(InputProblem::VariablesMissing { names })) if names == ["name"])
    );
    let promotion = desk
        .expand(name, &[("department", "Marketing"), ("name", "Grace")])
        .await;
    assert!(words(&promotion).contains("promote Grace to the head of the Marketing team"));
    let inside = desk
        .expand(
            "resource-prompt",
            &[("resourceType", "Text"), ("resourceId", "3")],
        )
        .await;
    assert!(
        words(&inside).contains("demo://resource/dynamic/text/3"),
        "{inside:?}"
    );
    let told = desk.send(&[&promotion, &inside]).await;
    assert!(
        told.contains("promote Grace") && told.contains("dynamic/text/3"),
        "{told}"
    );
    desk.scene.close().await;
}

/// RS-006, LG-002: what was read is marked when its server says that it changed, and its log says as much as the user
/// wants to hear.
#[tokio::test]
async fn what_it_changes_is_marked_and_its_log_keeps_to_the_level() {
    let mut desk = Desk::new().await;
    let level = |level| desk.scene.host.server_log_level(desk.server, level);
    level(LogLevel::Error).await.unwrap();
    let quiet = desk.numbered("7").await;
    level(LogLevel::Debug).await.unwrap();
    let loud = desk.numbered("8").await;
    desk.scene
        .logged(desk.server, &["demo://resource/dynamic/text/8"])
        .await;
    assert!(
        !desk
            .scene
            .log(desk.server)
            .contains("demo://resource/dynamic/text/7")
    );

    desk.scene.agrees();
    desk.model.will(Turn::call(
        "one",
        "everything__toggle-subscriber-updates",
        json!({}),
    ));
    desk.model.will(Turn::words("It tells of changes now."));
    desk.scene.say(desk.chat, "Tell of changes.").await;
    desk.scene.finished(desk.chat).await;
    let changed = |seen: &Projection| seen.changed.contains(&loud.id);
    desk.scene.window.until("what is another now", changed).await;
    desk.send(&[&quiet, &loud]).await;
    let entries = desk.scene.finished(desk.chat).await;
    let sent = entries.iter().find_map(|entry| match &entry.body {
        EntryBody::User { attachments, .. } if !attachments.is_empty() => Some(attachments),
        _ => None,
    });
    let marked = sent.unwrap().iter().find(|one| one.id == loud.id);
    assert!(marked.unwrap().changed, "{sent:?}");
    desk.scene.close().await;
}
