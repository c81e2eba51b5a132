//! Permission to ask a model, and to tell a server what it said: both as the user left them, and both theirs to change.

use super::*;
use crate::tests::cards::words;
use crate::{
    PromptEdit, ReplyEdit, ReplyRequest, RunSample, SamplePrompt, SampleReply, SampleRequest, SendReply,
};
use vestibule_protocol::ModelId;

fn anything() -> Validate {
    Validate::now(|_| Ok(()))
}

fn edit(prompt: &SamplePrompt) -> PromptEdit {
    PromptEdit {
        system: prompt.system.clone(),
        messages: prompt.messages.clone(),
        model: prompt.picked,
        max_tokens: prompt.max_tokens,
    }
}

fn changed(arguments: impl serde::Serialize) -> Answer {
    Answer::Accept {
        scope: Scope::Once,
        arguments: json!(arguments).as_object().cloned(),
        when: vec![],
    }
}

impl Scene {
    async fn sample(&self, prompt: &SamplePrompt, answer: Answer) -> Result<Permit<RunSample>, Denied> {
        let request = SampleRequest {
            server: self.server.clone(),
            cause: Some(self.cause()),
            prompt: prompt.clone(),
            validate: anything(),
        };
        request.approve(&self.gate, self.person(answer)).await
    }

    async fn reply(&self, text: &str, answer: Answer) -> Result<Permit<SendReply>, Denied> {
        let reply = SampleReply {
            model: "small".into(),
            scripted: false,
            blocks: vec![words(text)],
            stop_reason: "endTurn".into(),
            input_tokens: 1,
            output_tokens: 1,
            estimated: false,
            cost: None,
            currency: vestibule_app_protocol::Currency::DOLLAR,
        };
        let request = ReplyRequest {
            server: self.server.clone(),
            cause: Some(self.cause()),
            reply,
            validate: anything(),
        };
        request.approve(&self.gate, self.person(answer)).await
    }
}

/// SA-002, SA-004.
#[tokio::test(start_paused = true)]
async fn a_model_hears_what_was_shown_and_the_ledger_keeps_no_word_of_it() {
    let scene = scene().await;
    let prompt = cards::prompt(ModelId::new(), "What is in the mail?");
    let permit = scene.sample(&prompt, yes(Scope::Once)).await.unwrap();
    let (what, _effect) = permit.begin().split();
    assert_eq!((what.server, what.prompt), (scene.server.id, edit(&prompt)));
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(
        (intent.action.as_str(), intent.object, intent.chat),
        ("sampling.run", prompt.picked.to_string(), Some(scene.chat))
    );
    assert_eq!(intent.body["edited"], json!(false));
    assert!(!intent.body.to_string().contains("mail"), "{}", intent.body);
}

/// SA-004.
#[tokio::test(start_paused = true)]
async fn a_model_hears_what_the_person_made_of_it() {
    let scene = scene().await;
    let prompt = cards::prompt(ModelId::new(), "What is in the mail?");
    let other = PromptEdit {
        system: None,
        model: ModelId::new(),
        ..edit(&prompt)
    };
    let permit = scene.sample(&prompt, changed(&other)).await.unwrap();
    assert_eq!(permit.effect().prompt, other);
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(intent.body["edited"], json!(true));
    assert_eq!(
        intent.object,
        other.model.to_string(),
        "the model that was asked in the end"
    );
}

#[tokio::test(start_paused = true)]
async fn what_was_left_as_it_was_is_not_called_edited() {
    let scene = scene().await;
    let prompt = cards::prompt(ModelId::new(), "What is in the mail?");
    let permit = scene.sample(&prompt, changed(edit(&prompt))).await.unwrap();
    assert_eq!(permit.effect().prompt, edit(&prompt));
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(intent.body["edited"], json!(false));
}

/// SA-005.
#[tokio::test(start_paused = true)]
async fn a_server_hears_what_the_person_left_of_a_reply() {
    let scene = scene().await;
    let as_it_was = scene.reply("Two bills", yes(Scope::Once)).await.unwrap();
    assert_eq!(as_it_was.effect().server, scene.server.id);
    assert_eq!(as_it_was.effect().blocks, [words("Two bills")]);
    let intent = scene.only(LedgerKind::Intent).await;
    assert_eq!(
        (intent.action.as_str(), intent.object.as_str(), intent.chat),
        ("sampling.reply", "small", Some(scene.chat))
    );
    assert!(!intent.body.to_string().contains("bills"), "{}", intent.body);
    let less = ReplyEdit {
        blocks: vec![words("Nothing")],
    };
    let shorter = scene.reply("Two bills", changed(less)).await.unwrap();
    assert_eq!(shorter.effect().blocks, [words("Nothing")]);
}

/// SA-002: without a yes no model is asked and no server is told.
#[tokio::test(start_paused = true)]
async fn without_a_yes_no_model_is_asked_and_no_server_hears_a_reply() {
    let scene = scene().await;
    let prompt = cards::prompt(ModelId::new(), "What is in the mail?");
    let refused = scene.sample(&prompt, no()).await;
    assert!(matches!(refused, Err(Denied::ByUser { .. })), "{refused:?}");
    let kept = scene.reply("Two bills", no()).await;
    assert!(matches!(kept, Err(Denied::ByUser { .. })), "{kept:?}");
    let unreadable = scene.sample(&prompt, changed(json!({"model": 1}))).await;
    assert!(matches!(unreadable, Err(Denied::Dismissed)), "{unreadable:?}");
    let said = (LedgerKind::Decision, Some("refused".to_owned()));
    assert_eq!(scene.kinds().await, [said.clone(), said]);
}
