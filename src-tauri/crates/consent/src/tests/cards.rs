//! Cards for tests, as plain as they can be, and a clock that moves only when a test says so.

use std::cell::Cell;
use std::time::Duration;

use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use vestibule_app_protocol::Currency;
use vestibule_policy::inspect::{KnownDomains, UrlContext, UrlInspection, UrlSource, inspect};
use vestibule_protocol::ModelId;
use vestibule_protocol::mcp::Role;

use crate::{
    ArgumentFindings, BudgetLeft, Call, Claims, Form, IssuerSite, Page, PageSource, PickReason, Relation,
    SampleBlock, SampleMessage, SamplePrompt, SampleToolUse, SignIn, SignInClient, SignInHistory, SignInWay,
    Tool, Visit,
};

thread_local! {
    /// How long after noon it is, in milliseconds.
    static LATER: Cell<i64> = const { Cell::new(0) };
}

pub(crate) fn noon() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

pub(crate) fn clock() -> Timestamp {
    noon() + LATER.get().milliseconds()
}

pub(crate) fn begin() {
    LATER.set(0);
}

pub(crate) fn pass(time: Duration) {
    LATER.set(LATER.get() + i64::try_from(time.as_millis()).unwrap());
}

pub(crate) fn address(url: &str) -> UrlInspection {
    let known = KnownDomains::default();
    inspect(url, &UrlContext::new(UrlSource::RemoteServer, &known))
}

pub(crate) fn page(url: &str) -> Page {
    Page {
        message: "Please pay".into(),
        address: address(url),
        source: PageSource::Server {
            relation: Relation::Unrelated,
        },
    }
}

pub(crate) fn visit(url: &str) -> Visit {
    Visit {
        page: page(url),
        not_opened: None,
        held: true,
    }
}

/// A form with a text for each of these names, none of which is required.
pub(crate) fn form(message: &str, names: &[&str]) -> Form {
    let fields: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| ((*name).to_owned(), json!({"type": "string"})))
        .collect();
    let schema = json!({"type": "object", "properties": fields});
    Form::read(message, &schema.to_string()).unwrap()
}

pub(crate) fn tool(name: &str) -> Tool {
    Tool {
        name: name.into(),
        title: None,
        description: None,
        claims: Claims::default(),
        definition: json!({ "name": name }),
    }
}

pub(crate) fn call(tool: Tool, arguments: &Value) -> Call {
    Call {
        tool,
        arguments: arguments.as_object().cloned().unwrap(),
        last_arguments: None,
        raised: None,
        carried: vec![],
        headers: vec![],
        roots: vec![],
        outside: vec![],
        findings: ArgumentFindings::default(),
    }
}

pub(crate) fn words(text: &str) -> SampleBlock {
    SampleBlock::Text { text: text.into() }
}

pub(crate) fn prompt(picked: ModelId, text: &str) -> SamplePrompt {
    SamplePrompt {
        system: Some("Be brief".into()),
        messages: vec![SampleMessage {
            role: Role::User,
            blocks: vec![words(text)],
        }],
        tools: vec![],
        tool_use: SampleToolUse::Auto,
        models: vec![],
        picked,
        reason: PickReason::Only,
        hints: vec![],
        max_tokens: 100,
        asked_tokens: 100,
        input_tokens: 10,
        budget: BudgetLeft {
            tokens_hour: 1,
            of_tokens_hour: 1,
            tokens_day: 1,
            of_tokens_day: 1,
            cost_hour: None,
            cost_day: None,
            currency: Currency::DOLLAR,
        },
        round: 0,
        most_rounds: 8,
        context_asked: None,
        temperature: None,
        stop: vec![],
    }
}

pub(crate) fn sign_in() -> SignIn {
    SignIn {
        resource: "https://mcp.example.com".into(),
        issuer: address("https://login.example.com"),
        site: IssuerSite::Same,
        history: SignInHistory::First,
        way: SignInWay::Page,
        page: Some(address("https://login.example.com/authorize")),
        token_endpoint: address("https://login.example.com/token"),
        registration: None,
        scopes: vec!["mail".into()],
        new_scopes: vec![],
        client: SignInClient::ToBeRegistered,
        oddities: vec![],
        file: None,
        kept: true,
    }
}
