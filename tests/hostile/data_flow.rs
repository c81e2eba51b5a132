//! A server that wants what another one returned: whatever it returns itself, and wherever the value stands, the call
//! that would carry it is asked, although both tools may be called without a question (C6, M1).

use serde_json::{Value, json};
use vestibule_consent::{Answer, Call, QuestionBody};
use vestibule_host::view::ToolRule;
use vestibule_policy::Scope;
use vestibule_protocol::ChatId;
use vestibule_tests::{Model, Puppet, Scene, Stage, Turn, text_result, tool, yes};

const SECRET: &str = "KX-4471-99";

/// Two servers whose tools may be called without a question: `mail` has the secret, `web` wants it.
struct Pair {
    scene: Scene,
    mail: Puppet,
    web: Puppet,
    chat: ChatId,
    model: Model,
    _stages: [Stage; 2],
}

impl Pair {
    async fn new() -> Self {
        let scene = Scene::new().await;
        let (mail_id, mail, mail_stage) = scene.puppet("mail", &[tool("read")]).await;
        let (web_id, web, web_stage) = scene.puppet("web", &[tool("search")]).await;
        for (server, name) in [(mail_id, "read"), (web_id, "search")] {
            scene.host.tool_rule(server, name, ToolRule::Allow).await.unwrap();
            let question = scene.person.asked().await;
            scene.person.say(&question, yes(Scope::Always)).await;
            scene.server_tool_is(server, ToolRule::Allow).await;
        }
        let (chat, model) = scene.scripted_chat().await;
        Self {
            scene,
            mail,
            web,
            chat,
            model,
            _stages: [mail_stage, web_stage],
        }
    }

    async fn begin(&mut self, tool: &str, arguments: Value) {
        self.model.will(Turn::call("one", tool, arguments));
        self.scene.say(self.chat, "Go on.").await;
        self.model.asked().await;
    }

    async fn end(&mut self) {
        self.model.will(Turn::words("Done."));
        self.model.asked().await;
        self.scene.finished(self.chat).await;
    }

    /// The mail server answers a call with this message.
    async fn mail_answers(&mut self, mut message: Value) {
        self.begin("mail__read", json!({})).await;
        let call = self.mail.hear("tools/call").await;
        message["jsonrpc"] = json!("2.0");
        message["id"] = call["id"].clone();
        self.mail.say(message).await;
        self.end().await;
    }

    /// The web server returns this without a question.
    async fn web_returns(&mut self, arguments: Value, text: &str) {
        self.begin("web__search", arguments).await;
        let call = self.web.hear("tools/call").await;
        self.web.answer(&call, text_result(text)).await;
        self.end().await;
    }

    /// A call of the web server is asked; gives back what the card shows, and refuses.
    async fn asked(&mut self, arguments: Value) -> Call {
        self.begin("web__search", arguments).await;
        let question = self.scene.person.asked().await;
        let QuestionBody::CallTool(call) = question.about.clone() else {
            panic!("{question:?}")
        };
        let refuse = Answer::Refuse { reason: None };
        self.scene.person.say(&question, refuse).await;
        self.end().await;
        call
    }

    /// A call of the web server is asked because it carries this value.
    async fn carries(&mut self, arguments: Value, at: &str, value: &str) {
        let call = self.asked(arguments).await;
        let found: Vec<(&str, &str)> = call
            .carried
            .iter()
            .map(|found| (found.at.as_str(), found.value.as_str()))
            .collect();
        assert_eq!(found, [(at, value)]);
        assert_eq!(call.carried[0].server, "mail");
        assert!(!call.findings.flow_unchecked);
    }
}

fn words(count: usize, of: &str) -> String {
    let words: Vec<String> = (0..count).map(|number| format!("{of}-{number:05}")).collect();
    words.join(" ")
}

#[tokio::test]
async fn a_template_of_the_receiver_does_not_hide_the_secret_behind_it() {
    let mut pair = Pair::new().await;
    pair.mail_answers(json!({ "result": text_result("Your code is KX-4471-99, dear Ann.") }))
        .await;
    let template = words(80, "FIELD");
    pair.web_returns(json!({"q": "form"}), &template).await;
    pair.web_returns(json!({ "q": template }), "thanks").await;
    pair.carries(json!({ "q": format!("{template} {SECRET}") }), "/q", SECRET)
        .await;
    pair.scene.close().await;
}

#[tokio::test]
async fn results_of_the_receiver_do_not_push_the_secret_out() {
    let mut pair = Pair::new().await;
    pair.mail_answers(json!({ "result": text_result("Your code is KX-4471-99, dear Ann.") }))
        .await;
    for round in 0..3 {
        pair.web_returns(json!({"q": "news"}), &words(4_300, &format!("N{round}")))
            .await;
    }
    pair.carries(json!({ "q": SECRET }), "/q", SECRET).await;
    pair.scene.close().await;
}

#[tokio::test]
async fn keys_numbers_and_error_texts_are_no_way_out() {
    let mut pair = Pair::new().await;
    pair.mail_answers(json!({ "error": { "code": -32000, "message": format!("no mail with {SECRET}") } }))
        .await;
    pair.carries(json!({ "q": SECRET }), "/q", SECRET).await;
    pair.carries(json!({ SECRET: true }), "/KX-4471-99", SECRET).await;
    let result = json!({
        "content": [{ "type": "text", "text": "see there" }],
        "structuredContent": { "NO-93-8601": { "balance": 448_120_977 } },
    });
    pair.mail_answers(json!({ "result": result })).await;
    pair.carries(json!({ "q": "NO-93-8601" }), "/q", "NO-93-8601")
        .await;
    pair.carries(json!({ "q": 448_120_977 }), "/q", "448120977").await;
    pair.carries(json!({ "q": "448120977" }), "/q", "448120977").await;
    pair.scene.close().await;
}

/// A model is given both ends of a long result, of the structured form too where there is no content.
#[tokio::test]
async fn the_beginning_of_a_long_structured_result_is_no_way_out() {
    let mut pair = Pair::new().await;
    let structured = json!({ "code": SECRET, "more": words(26_000, "R") });
    assert!((200_000..256_000).contains(&structured.to_string().len()));
    let result = json!({ "content": [], "structuredContent": structured });
    pair.mail_answers(json!({ "result": result })).await;
    pair.carries(json!({ "q": SECRET }), "/q", SECRET).await;
    pair.scene.close().await;
}

#[tokio::test]
async fn what_is_too_much_to_compare_is_asked_with_that_reason() {
    let mut pair = Pair::new().await;
    let long = words(30_000, "LONG");
    pair.web_returns(json!({ "q": long }), "fine: there is nothing to carry yet")
        .await;
    pair.mail_answers(json!({ "result": text_result("Your code is KX-4471-99, dear Ann.") }))
        .await;
    let call = pair.asked(json!({ "q": format!("{long} {SECRET}") })).await;
    assert!(
        call.findings.flow_unchecked && call.carried.is_empty(),
        "{:?}",
        call.findings
    );
    pair.web_returns(json!({"q": "weather"}), "sunny").await;
    pair.scene.close().await;
}
