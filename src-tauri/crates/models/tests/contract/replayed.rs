//! What a vendor signed goes back to it as it was, and to nobody else.

use super::vendors::Vendor;
use super::*;

/// A conversation as a host keeps it.
struct Talk {
    messages: Vec<ModelMessage>,
}

/// How a host changes what it sends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeping {
    /// Everything, as it came.
    Whole,
    /// Everything but the vendor's form.
    WordsOnly,
}

impl Talk {
    fn new() -> Self {
        let user = ModelMessage::User {
            text: "Add.".to_owned(),
        };
        Self { messages: vec![user] }
    }

    /// Lets the model speak until it asks for nothing more or fails; says how many rounds of calls there were.
    async fn go_on(&mut self, model: &RemoteModel, keeping: Keeping) -> Result<usize, ModelError> {
        for round in 0..20 {
            let request = ModelRequest {
                messages: self.messages.clone(),
                tools: vec![ToolSpec {
                    name: "add".to_owned(),
                    description: "Adds".to_owned(),
                    input_schema: json!({ "type": "object" }),
                }],
                ..ModelRequest::default()
            };
            let (events, error) = read(model, request).await;
            if let Some(error) = error {
                return Err(error);
            }
            let calls = self.take(events, keeping);
            if calls == 0 {
                return Ok(round);
            }
        }
        panic!("the model does not come to an end")
    }

    fn take(&mut self, events: Vec<ModelEvent>, keeping: Keeping) -> usize {
        let (mut said, mut calls, mut native) = (String::new(), vec![], None);
        for event in events {
            match event {
                ModelEvent::Text(text) => said.push_str(&text),
                ModelEvent::Call(call) => calls.push(call),
                // Through its stored form, as over a restart.
                ModelEvent::Native(reply) => native = NativeReply::from_json(reply.to_json()),
                _ => {}
            }
        }
        let results: Vec<_> = calls.iter().map(|call| result(&call.id)).collect();
        let count = calls.len();
        self.messages.push(ModelMessage::Assistant {
            text: said,
            calls,
            native: native.filter(|_| keeping == Keeping::Whole),
        });
        self.messages.extend(results);
        count
    }

    /// Another model answers from here on: what the earlier one signed is dropped.
    fn drop_native(&mut self) {
        for message in &mut self.messages {
            if let ModelMessage::Assistant { native, .. } = message {
                *native = None;
            }
        }
    }

    fn say(&mut self, text: &str) {
        self.messages.push(ModelMessage::User {
            text: text.to_owned(),
        });
    }
}

fn result(call: &str) -> ModelMessage {
    ModelMessage::ToolResult {
        call: call.to_owned(),
        name: "add".to_owned(),
        parts: vec![ResultPart::Text("3".to_owned())],
        failed: false,
    }
}

#[tokio::test]
async fn ten_rounds_of_parallel_calls_keep_their_thoughts() {
    for vendor in Vendor::ALL {
        let endpoint = vendor.start(10).await;
        let rounds = Talk::new()
            .go_on(&vendor.model(&endpoint.base), Keeping::Whole)
            .await;
        assert_eq!(rounds, Ok(10), "{vendor:?}");
    }
}

/// The fakes are worth something only if they refuse.
#[tokio::test]
async fn a_reply_without_its_thoughts_is_refused_by_those_who_signed_it() {
    for vendor in Vendor::ALL {
        let endpoint = vendor.start(10).await;
        let refused = Talk::new()
            .go_on(&vendor.model(&endpoint.base), Keeping::WordsOnly)
            .await;
        assert!(
            matches!(refused, Err(ModelError::Refused { status: 400, .. })),
            "{vendor:?}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn another_model_takes_over_in_the_middle() {
    for from in Vendor::ALL {
        for to in Vendor::ALL {
            let mut talk = Talk::new();
            let first = from.start(2).await;
            assert_eq!(
                talk.go_on(&from.model(&first.base), Keeping::Whole).await,
                Ok(2),
                "{from:?}"
            );
            talk.drop_native();
            talk.say("And again.");
            let mut second = to.start(2).await;
            let rounds = talk.go_on(&to.model(&second.base), Keeping::Whole).await;
            assert_eq!(rounds, Ok(2), "{from:?} to {to:?}");
            let told = second.requests.recv().await.unwrap().body.to_string();
            assert!(
                !told.contains("c2lnbmVk") && !told.contains("Round 1."),
                "{to:?} hears what {from:?} thought: {told}"
            );
        }
    }
}

/// A model that takes over while calls wait for it meets calls it did not sign.
#[tokio::test]
async fn another_model_takes_over_between_a_call_and_its_answer() {
    for to in Vendor::ALL {
        let mut talk = Talk::new();
        let call = ModelCall {
            id: "call_1".to_owned(),
            name: "add".to_owned(),
            arguments: CallArguments::Parsed(serde_json::Map::new()),
        };
        talk.messages.push(ModelMessage::Assistant {
            text: String::new(),
            calls: vec![call],
            native: None,
        });
        talk.messages.push(result("call_1"));
        let endpoint = to.start(2).await;
        let rounds = talk.go_on(&to.model(&endpoint.base), Keeping::Whole).await;
        assert_eq!(rounds, Ok(2), "{to:?}");
    }
}

/// The user may change a call before it is sent. The model reads the call it made, and in the result what was changed.
#[tokio::test]
async fn changed_arguments_pass() {
    for vendor in Vendor::ALL {
        let mut endpoint = vendor.start(1).await;
        let model = vendor.model(&endpoint.base);
        let mut talk = Talk::new();
        let request = ModelRequest {
            messages: talk.messages.clone(),
            ..ModelRequest::default()
        };
        let (events, error) = read(&model, request).await;
        assert_eq!(error, None, "{vendor:?}");
        talk.take(events, Keeping::Whole);
        for message in &mut talk.messages {
            if let ModelMessage::Assistant { calls, .. } = message {
                for call in calls {
                    let changed = json!({ "a": 99 });
                    call.arguments = CallArguments::Parsed(changed.as_object().unwrap().clone());
                }
            }
        }
        assert_eq!(talk.go_on(&model, Keeping::Whole).await, Ok(0), "{vendor:?}");
        endpoint.requests.recv().await.unwrap();
        let told = endpoint.requests.recv().await.unwrap().body.to_string();
        assert!(!told.contains("99"), "{vendor:?}: {told}");
    }
}

#[tokio::test]
async fn what_a_vendor_signed_is_in_no_log_line() {
    let endpoint = Vendor::Anthropic.start(1).await;
    let (events, _) = read(&Vendor::Anthropic.model(&endpoint.base), hello()).await;
    assert!(events.iter().any(|event| matches!(event, ModelEvent::Native(_))));
    assert!(!format!("{events:?}").contains("c2lnbmVk"));
}
