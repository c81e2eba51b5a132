//! What a person does in a scenario. Almost everywhere: connect, look at the tools, call each of them with what its
//! schema asks for. The few other things stand in one table.

use std::env;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use vestibule_protocol::mcp::Tool;

use super::Result;
use super::values::value_for;

/// The script of one scenario.
pub(crate) struct Script {
    scenario: String,
    /// What the suite tells beside the name.
    context: Value,
}

/// A call of a tool.
#[derive(Deserialize)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Map<String, Value>,
}

/// What is done with a server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It is connected.
    Connect,
    /// Its tools are listed.
    List,
    /// They are called.
    Call,
    /// They are called, and resources and prompts are listed and read.
    Everything,
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

    /// What is done in this scenario.
    pub(crate) fn uses(&self) -> Use {
        match self.scenario.as_str() {
            // This server answers everything with an empty object.
            "initialize" => Use::Connect,
            // This server can not be called.
            "json-schema-ref-no-deref" => Use::List,
            "http-standard-headers" => Use::Everything,
            _ => Use::Call,
        }
    }

    /// The calls to make, given the tools on offer.
    pub(crate) fn calls(&self, tools: &[Tool]) -> Result<Vec<Call>> {
        if let Some(calls) = self.context.get("toolCalls") {
            return Ok(serde_json::from_value(calls.clone())?);
        }
        if self.scenario == "json-schema-2020-12-preservation" {
            return Ok(vec![echo_of_a_schema(tools)?]);
        }
        Ok(tools.iter().map(with_what_it_asks_for).collect())
    }
}

fn with_what_it_asks_for(tool: &Tool) -> Call {
    let arguments = match value_for(tool.input_schema()) {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    Call {
        name: tool.name.clone(),
        arguments,
    }
}

/// The schema of one tool goes to another as it was received.
fn echo_of_a_schema(tools: &[Tool]) -> Result<Call> {
    let tool = tools.iter().find(|tool| tool.name == "json_schema_2020_12_tool");
    let schema = tool.ok_or("the tool with the schema is missing")?.input_schema();
    match json!({ "schema": schema }) {
        Value::Object(arguments) => Ok(Call {
            name: "json_schema_echo".into(),
            arguments,
        }),
        _ => Err("arguments are an object".into()),
    }
}
