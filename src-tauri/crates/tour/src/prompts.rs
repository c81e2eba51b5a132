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
    let (description, text) = match params["name"].as_str() {
        Some("plan_trip") => ("A short trip", trip_text(params)?),
        Some("explain_tool") => ("One tool explained", tool_text(params)?),
        _ => return Err(ErrorReply::params("there is no such prompt")),
    };
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    Ok(json!({ "description": description, "messages": [message] }))
}

fn trip_text(params: &Value) -> Result<String, ErrorReply> {
    let city = required(params, "city")?;
    let days = argument(params, "days").unwrap_or("3");
    if !matches!(days.parse(), Ok(1..=7)) {
        return Err(ErrorReply::params("days must be a number from 1 to 7"));
    }
    Ok(format!(
        "Look up the weather in {city} for {days} days and tell me what to pack."
    ))
}

fn tool_text(params: &Value) -> Result<String, ErrorReply> {
    let tool = required(params, "tool")?;
    if !tools::names().contains(&tool) {
        return Err(ErrorReply::params("this server has no tool of that name"));
    }
    Ok(format!(
        "Explain in two sentences what the tool {tool} shows, then offer to call it."
    ))
}

fn argument<'a>(params: &'a Value, name: &str) -> Option<&'a str> {
    let text = params["arguments"][name].as_str();
    text.filter(|text| text.len() <= LONGEST_ARGUMENT)
}

fn required<'a>(params: &'a Value, name: &str) -> Result<&'a str, ErrorReply> {
    let missing = || ErrorReply::params(format!("the argument {name} is missing or too long"));
    argument(params, name).ok_or_else(missing)
}

pub(crate) fn complete(tour: &Tour, params: &Value) -> RpcOutcome {
    let candidates =
        candidates(tour, params).ok_or_else(|| ErrorReply::params("there is nothing to complete here"))?;
    let started = params["argument"]["value"]
        .as_str()
        .unwrap_or_default()
        .to_lowercase();
    let fitting: Vec<_> = candidates
        .into_iter()
        .filter(|text| text.to_lowercase().starts_with(&started))
        .collect();
    let (total, more) = (fitting.len(), fitting.len() > MOST_VALUES);
    let values: Vec<_> = fitting.into_iter().take(MOST_VALUES).collect();
    Ok(json!({ "completion": { "values": values, "total": total, "hasMore": more } }))
}

/// All values of the argument that is asked about; `None` for one that cannot be completed.
fn candidates(tour: &Tour, params: &Value) -> Option<Vec<String>> {
    let reference = &params["ref"];
    let name = reference["name"].as_str().or(reference["uri"].as_str());
    match (
        reference["type"].as_str()?,
        name?,
        params["argument"]["name"].as_str()?,
    ) {
        ("ref/prompt", "plan_trip", "city") => Some(CITIES.map(str::to_owned).to_vec()),
        ("ref/prompt", "plan_trip", "days") => Some((1..=7).map(|day| day.to_string()).collect()),
        ("ref/prompt", "explain_tool", "tool") => {
            Some(tools::names().into_iter().map(str::to_owned).collect())
        }
        ("ref/resource", "tour://notes/{key}", "key") => {
            Some(resources::notes(tour).keys().cloned().collect())
        }
        _ => None,
    }
}
