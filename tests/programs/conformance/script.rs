//! What a user does in a scenario. Almost everywhere: connect, look at the tools, call each of them with what its
//! schema asks for. The few other things stand in one table.

use std::env;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Result;
use super::values::value_for;

/// The script of one scenario.
pub(crate) struct Script {
    scenario: String,
    /// What the suite tells beside the name.
    context: Value,
}

/// A tool on offer.
pub(crate) struct Offer<'a> {
    pub(crate) name: &'a str,
    pub(crate) schema: &'a Value,
}

/// A call of a tool.
#[derive(Deserialize)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Map<String, Value>,
}

impl Script {
    pub(crate) fn from_environment() -> Result<Self> {
        let context = match env::var("MCP_CONFORMANCE_CONTEXT") {
            Ok(context) => serde_json::from_str(&context)?,
            Err(_) => Value::Null,
        };
        Ok(Self {
            scenario: env::var("MCP_CONFORMANCE_SCENARIO")?,
            context,
        })
    }

    /// Whether its server answers everything with an empty object, also when it is asked for its tools.
    pub(crate) fn has_no_tools(&self) -> bool {
        self.scenario == "initialize"
    }

    /// Whether resources and prompts are read as well.
    pub(crate) fn reads_everything(&self) -> bool {
        self.scenario == "http-standard-headers"
    }

    /// Whether signing in takes credentials the suite hands out, or a document.
    pub(crate) fn is_handed_credentials(&self) -> bool {
        let handed_out = ["client_id", "idp_id_token", "valid_jwt"];
        handed_out.iter().any(|name| self.told(name).is_some())
            // It is about the document about the client.
            || self.scenario == "auth/basic-cimd"
    }

    /// Whether the suite itself says what is called, with which arguments.
    pub(crate) fn dictates(&self) -> bool {
        self.context.get("toolCalls").is_some()
    }

    /// What the suite tells under a name: credentials, mostly.
    pub(crate) fn told(&self, name: &str) -> Option<String> {
        Some(self.context.get(name)?.as_str()?.to_owned())
    }

    /// The calls to make, given the tools on offer.
    pub(crate) fn calls(&self, tools: &[Offer<'_>]) -> Result<Vec<Call>> {
        if let Some(calls) = self.context.get("toolCalls") {
            return Ok(serde_json::from_value(calls.clone())?);
        }
        match self.scenario.as_str() {
            "json-schema-2020-12-preservation" => return Ok(vec![echo_of_a_schema(tools)?]),
            // Its server can not be called.
            "json-schema-ref-no-deref" => return Ok(Vec::new()),
            _ => {}
        }
        Ok(tools.iter().map(with_what_it_asks_for).collect())
    }
}

fn with_what_it_asks_for(tool: &Offer<'_>) -> Call {
    let arguments = match value_for(tool.schema) {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    Call {
        name: tool.name.to_owned(),
        arguments,
    }
}

/// The schema of one tool goes to another as it was received.
fn echo_of_a_schema(tools: &[Offer<'_>]) -> Result<Call> {
    let tool = tools.iter().find(|tool| tool.name == "json_schema_2020_12_tool");
    let schema = tool.ok_or("the tool with the schema is missing")?.schema;
    match json!({ "schema": schema }) {
        Value::Object(arguments) => Ok(Call {
            name: "json_schema_echo".into(),
            arguments,
        }),
        _ => Err("arguments are an object".into()),
    }
}
