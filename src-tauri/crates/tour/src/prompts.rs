//! The prompts, and completion for their arguments and for the resource template.

use serde_json::{Value, json};

use crate::rpc::{ErrorReply, RpcOutcome};
use crate::server::Tour;
use crate::session::TourRevision;
use crate::{resources, tools};

const CITIES: [&str; 12] = [
    "Bergen",
    "Berlin",
    "Chengdu",
    "Kyoto",
    "Lagos",
    "Lima",
    "Lisbon",
    "Montréal",
    "Nairobi",
    "Oslo",
    "Shanghai",
    "Wellington",
];
const MOST_VALUES: usize = 100;
const LONGEST_ARGUMENT: usize = 200;

pub(crate) fn list(tour: &Tour) -> Value {
    let titled = |name: &str, title: &str, description: &str, arguments: Value| {
        let mut prompt = json!({ "name": name, "description": description, "arguments": arguments });
        if tour.revision() >= TourRevision::V2025_06_18 {
            prompt["title"] = json!(title);
        }
        prompt
    };
    let argument = |name: &str, description: &str, required: bool| json!({ "name": name, "description": description, "required": required });
    json!({ "prompts": [
        titled("plan_trip", "Plan a trip", "Plans a short trip with the invented weather.", json!([
            argument("city", "Where to go.", true),
            argument("days", "How many days, 1 to 7; 3 when left out.", false),
        ])),
        titled("explain_tool", "Explain a tool", "Explains what one tool of this server shows.", json!([
            argument("tool", "The name of the tool.", true),
        ])),
    ] })
}

pub(crate) fn get(params: &Value) -> RpcOutcome {
    let argument = |name: &str| {
        params["arguments"][name]
            .as_str()
            .filter(|text| text.len() <= LONGEST_ARGUMENT)
    };
    let missing = |name: &str| ErrorReply::params(format!("the argument {name} is missing or too long"));
    let (description, text) = match params["name"].as_str() {
        Some("plan_trip") => {
            let city = argument("city").ok_or_else(|| missing("city"))?;
            let days = argument("days").unwrap_or("3");
            if !matches!(days.parse(), Ok(1..=7)) {
                return Err(ErrorReply::params("days must be a number from 1 to 7"));
            }
            let text = format!("Look up the weather in {city} for {days} days and tell me what to pack.");
            ("A short trip", text)
        }
        Some("explain_tool") => {
            let tool = argument("tool").ok_or_else(|| missing("tool"))?;
            if !tools::names().contains(&tool) {
                return Err(ErrorReply::params("this server has no tool of that name"));
            }
            (
                "One tool explained",
                format!("Explain in two sentences what the tool {tool} shows, then offer to call it."),
            )
        }
        _ => return Err(ErrorReply::params("there is no such prompt")),
    };
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    Ok(json!({ "description": description, "messages": [message] }))
}

pub(crate) fn complete(tour: &Tour, params: &Value) -> RpcOutcome {
    let reference = &params["ref"];
    let started = params["argument"]["value"]
        .as_str()
        .unwrap_or_default()
        .to_lowercase();
    let kind = (
        reference["type"].as_str(),
        reference["name"].as_str().or(reference["uri"].as_str()),
    );
    let candidates: Vec<String> = match (kind, params["argument"]["name"].as_str()) {
        ((Some("ref/prompt"), Some("plan_trip")), Some("city")) => CITIES.map(str::to_owned).to_vec(),
        ((Some("ref/prompt"), Some("plan_trip")), Some("days")) => {
            (1..=7).map(|day| day.to_string()).collect()
        }
        ((Some("ref/prompt"), Some("explain_tool")), Some("tool")) => {
            tools::names().into_iter().map(str::to_owned).collect()
        }
        ((Some("ref/resource"), Some("tour://notes/{key}")), Some("key")) => {
            resources::notes(tour).keys().cloned().collect()
        }
        _ => return Err(ErrorReply::params("there is nothing to complete here")),
    };
    let fitting: Vec<_> = candidates
        .into_iter()
        .filter(|text| text.to_lowercase().starts_with(&started))
        .collect();
    let (total, more) = (fitting.len(), fitting.len() > MOST_VALUES);
    let values: Vec<_> = fitting.into_iter().take(MOST_VALUES).collect();
    Ok(json!({ "completion": { "values": values, "total": total, "hasMore": more } }))
}
