//! A chat with many tools: its model finds those it needs by words, and can call no other.

use serde_json::{Value, json};
use vestibule_consent::Answer;
use vestibule_host::view::{
    BuiltInOutcome, CallProblem, CallState, EntryBody, Problem, SettingsChange, ToolDiscovery, ToolRule,
};
use vestibule_policy::Scope;
use vestibule_tests::{Scene, Turn, results, text_result, tool, tool_names, yes};

const TOOLS: &str = include_str!("find_tools/tools.txt");
const REQUESTS: &str = include_str!("find_tools/requests.txt");
/// How many requests have to find one of their tools.
const FOUND: usize = 18;
/// What the first request may take, in tokens of four characters.
const FIRST_REQUEST: usize = 8_000;

/// The definition in a line of the file: `name(argument, argument): description`.
fn definition(line: &str) -> Value {
    let (name, rest) = line.split_once('(').unwrap();
    let (arguments, description) = rest.split_once("): ").unwrap();
    let arguments = arguments.split(", ").filter(|name| !name.is_empty());
    let properties = arguments.map(|name| (name.to_owned(), json!({ "type": "string" })));
    let properties: serde_json::Map<String, Value> = properties.collect();
    json!({ "name": name, "description": description, "inputSchema": { "type": "object", "properties": properties } })
}

/// The servers of the file with their tools.
fn servers() -> Vec<(&'static str, Vec<Value>)> {
    let mut servers: Vec<(&str, Vec<Value>)> = vec![];
    for line in TOOLS.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix("## "), servers.last_mut()) {
            (Some(name), _) => servers.push((name, vec![])),
            (None, Some((_, tools))) => tools.push(definition(line)),
            (None, None) => {}
        }
    }
    servers
}

/// The requests of the file with the names of the tools that are right for them.
fn requests() -> Vec<(&'static str, Vec<String>)> {
    let lines = REQUESTS.lines().filter_map(|line| line.split_once(" = "));
    let names = |right: &str| right.split(' ').map(|name| name.replacen('/', "__", 1)).collect();
    lines.map(|(request, right)| (request, names(right))).collect()
}

async fn discovery(scene: &Scene, wanted: ToolDiscovery) {
    let change = SettingsChange {
        tool_discovery: Some(wanted),
        ..SettingsChange::default()
    };
    scene.host.settings_save(change).await.unwrap();
}

fn find(id: &str, query: &str) -> Turn {
    Turn::call(id, "find_tools", json!({ "query": query }))
}

/// The requests were committed before the ranking.
#[tokio::test]
async fn of_560_tools_the_right_one_is_found_and_no_definition_is_sent_before() {
    let scene = Scene::new().await;
    let mut puppets = vec![];
    for (name, tools) in servers() {
        puppets.push(scene.puppet(name, &tools).await);
    }
    let (chat, mut model) = scene.scripted_chat().await;
    let requests = requests();
    let calls: Vec<(String, String)> = (0..)
        .zip(&requests)
        .map(|(at, (request, _))| (format!("find-{at}"), json!({ "query": request }).to_string()))
        .collect();
    let calls: Vec<_> = calls
        .iter()
        .map(|(id, query)| (id.as_str(), "find_tools", query.as_str()))
        .collect();
    model.will(Turn::calls(&calls));
    scene.say(chat, "Help me with these things.").await;
    let first = model.asked().await;
    assert_eq!(tool_names(&first), ["find_tools"]);
    let tokens = first.to_string().len() / 4;
    assert!(tokens <= FIRST_REQUEST, "{tokens}");

    model.will(Turn::words("Done."));
    let second = model.asked().await;
    let mut missed = vec![];
    for ((_, found), (request, right)) in results(&second).iter().zip(&requests) {
        if !right.iter().any(|name| found.contains(&format!("- {name}: "))) {
            missed.push((request, found.clone()));
        }
    }
    assert_eq!(results(&second).len(), 20);
    assert!(missed.len() <= requests.len() - FOUND, "{missed:#?}");
    scene.finished(chat).await;
    assert_eq!(scene.person.shown().len(), 14, "only the starts were asked");
    scene.close().await;
}

/// What was found is appended, so that the beginning of a request stays the same, and is kept over a restart of the turn.
#[tokio::test]
async fn what_is_hidden_is_not_callable_and_what_was_found_stays() {
    let scene = Scene::new().await;
    let mut tools: Vec<Value> = (0..45).map(|n| tool(&format!("number_{n}"))).collect();
    tools.extend([tool("send_letter"), tool("burn_letter"), tool("read_letter")]);
    let (server, mut office, _stage) = scene.puppet("office", &tools).await;
    scene
        .host
        .tool_rule(server, "burn_letter", ToolRule::Never)
        .await
        .unwrap();
    let held = tools
        .iter_mut()
        .find(|tool| tool["name"] == "read_letter")
        .unwrap();
    held["description"] = json!("Reads a letter aloud to everyone.");
    office.change(&tools).await;
    // The changed tool stays held.
    let review = scene.person.asked().await;
    scene.person.say(&review, Answer::Refuse { reason: None }).await;
    let shown = scene.person.shown().len();

    let (chat, mut model) = scene.scripted_chat().await;
    model.will(Turn::call("early", "office__send_letter", json!({})));
    scene.say(chat, "Send my letter.").await;
    assert_eq!(tool_names(&model.asked().await), ["find_tools"]);
    model.will(find("search", "letter"));
    let after_early = model.asked().await;
    assert!(results(&after_early)[0].1.contains("find_tools"), "{after_early}");

    model.will(find("more", "number 7"));
    let after_search = model.asked().await;
    assert_eq!(tool_names(&after_search), ["find_tools", "office__send_letter"]);
    assert!(
        !results(&after_search)[1].1.contains("burn_letter"),
        "a denied tool is not found"
    );
    assert!(
        !results(&after_search)[1].1.contains("read_letter"),
        "a held tool is not found"
    );

    model.will(Turn::call("send", "office__send_letter", json!({})));
    let after_more = model.asked().await;
    let names = tool_names(&after_more);
    assert_eq!(names[..2], ["find_tools", "office__send_letter"]);
    assert!(names.contains(&"office__number_7".to_owned()), "{names:?}");
    assert_eq!(
        after_more["messages"].as_array().unwrap()[..after_search["messages"].as_array().unwrap().len()],
        after_search["messages"].as_array().unwrap()[..]
    );

    let question = scene.person.asked().await;
    assert_eq!(
        scene.person.shown().len(),
        shown + 1,
        "a search is not asked, a call is"
    );
    scene.person.say(&question, yes(Scope::Once)).await;
    let call = office.hear("tools/call").await;
    assert_eq!(call["params"]["name"], "send_letter");
    office.answer(&call, text_result("sent")).await;
    model.will(Turn::words("Sent."));
    model.asked().await;
    let entries = scene.finished(chat).await;
    let searches = entries.iter().filter_map(|entry| match &entry.body {
        EntryBody::BuiltInCall(call) => Some(call.outcome.clone()),
        _ => None,
    });
    let searches: Vec<BuiltInOutcome> = searches.collect();
    assert!(
        matches!(&searches[..], [BuiltInOutcome::Found { tools }, _] if tools.len() == 1),
        "{searches:?}"
    );
    let CallState::Failed { problem } = &Scene::calls(&entries)[0].state else {
        panic!("{entries:?}")
    };
    let name = "office__send_letter".to_owned();
    assert_eq!(*problem, Problem::Call(CallProblem::NotOffered { name }));

    // The next message begins where this one ended; another chat begins with nothing.
    model.will(Turn::words("Yes?"));
    scene.say(chat, "And now?").await;
    assert_eq!(tool_names(&model.asked().await), names);
    scene.finished(chat).await;
    scene.close().await;
}

#[tokio::test]
async fn the_user_decides_whether_tools_are_found() {
    let scene = Scene::new().await;
    let few: Vec<Value> = ["read", "write"].map(tool).to_vec();
    let (_, _puppet, _stage) = scene.puppet("notes", &few).await;
    let many: Vec<Value> = (0..50).map(|n| tool(&format!("number_{n}"))).collect();
    let (chat, mut model) = scene.scripted_chat().await;
    let mut asked = async |wanted| {
        discovery(&scene, wanted).await;
        model.will(Turn::words("Yes?"));
        scene.say(chat, "Hi.").await;
        let names = tool_names(&model.asked().await);
        scene.finished(chat).await;
        names
    };
    let all = ["notes__read", "notes__write"];
    assert_eq!(asked(ToolDiscovery::Automatic).await, all);
    assert_eq!(asked(ToolDiscovery::Find).await, ["find_tools"]);
    assert_eq!(asked(ToolDiscovery::All).await, all);
    let (_, _other, _other_stage) = scene.puppet("other", &many).await;
    assert_eq!(asked(ToolDiscovery::Automatic).await, ["find_tools"]);
    assert_eq!(asked(ToolDiscovery::All).await.len(), 52);
    scene.close().await;
}
