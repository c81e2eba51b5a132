//! One tool of a server as it is listed: its definition, whether that is the accepted one, and the schemas that its
//! arguments and results are checked against.

use serde_json::{Map, Value};
use vestibule_app_protocol::estimate;
use vestibule_consent as consent;
use vestibule_policy::{DefinitionState, Digest};
use vestibule_protocol::mcp::Tool;

use vestibule_schema::{Checked, Unchecked};

use super::schema_checks::{SchemaChecks, ToolSchema};

/// A tool of a server.
#[derive(Clone)]
pub struct CatalogTool {
    /// As the server describes it.
    pub tool: Tool,
    /// Of its whole definition.
    pub digest: Digest,
    /// Why the user has to accept it first, where they do.
    pub held: Option<HeldTool>,
    /// The schemas of its arguments and of its structured result.
    pub schemas: ToolSchemas,
    /// About how many tokens its definition costs a model.
    pub tokens: u32,
}

/// Why a tool is held back.
#[derive(Clone, Debug, PartialEq)]
pub enum HeldTool {
    /// The user accepted another definition, which is this.
    Changed(Value),
    /// The record of what the user accepted was changed from outside.
    RecordLost,
    /// The server did not have it when it was first connected.
    New,
}

/// Whether a definition on record stands for a tool that is known and not accepted.
pub fn is_nothing(definition: &Value) -> bool {
    definition.as_object().is_some_and(Map::is_empty)
}

impl HeldTool {
    /// As the accepted definition on record is not that of the tool.
    fn new(accepted: &Value) -> Self {
        match accepted {
            Value::Null => Self::RecordLost,
            nothing if is_nothing(nothing) => Self::New,
            before => Self::Changed(before.clone()),
        }
    }
}

/// The schemas of a tool, as far as values can be checked against them.
#[derive(Clone)]
pub struct ToolSchemas {
    pub input: Result<ToolSchema, Unchecked>,
    /// Of its structured result, where it declares one.
    pub output: Option<Result<ToolSchema, Unchecked>>,
}

impl ToolSchemas {
    /// Builds the schemas of a tool.
    pub async fn build(tool: &Tool, checks: &SchemaChecks) -> Self {
        let input = checks.build(tool.input_schema()).await;
        let output = match tool.output_schema() {
            Some(schema) => Some(checks.build(schema).await),
            None => None,
        };
        Self { input, output }
    }
}

impl CatalogTool {
    /// A tool as just listed, `accepted` being the definition on record.
    pub fn new(mut tool: Tool, schemas: ToolSchemas, accepted: Option<&(String, Value)>) -> Self {
        let digest = Digest::of_tool(tool.definition());
        let tokens = tokens(&tool);
        // Most tools of most servers wait unused.
        tool.forget_definition();
        let held = accepted
            .filter(|(accepted, _)| *accepted != digest.to_string())
            .map(|(_, definition)| HeldTool::new(definition));
        Self {
            tool,
            digest,
            held,
            schemas,
            tokens,
        }
    }

    /// What policy needs to know of the definition.
    pub fn definition(&self) -> DefinitionState {
        if self.held.is_some() {
            DefinitionState::Changed
        } else {
            DefinitionState::Accepted(self.digest)
        }
    }

    /// What a card shows of it.
    pub fn face(&self) -> consent::Tool {
        consent::Tool {
            name: self.tool.name.clone(),
            title: self
                .tool
                .title
                .clone()
                .or_else(|| self.tool.annotations.title.clone()),
            description: self.tool.description.clone(),
            claims: self.claims(),
            definition: self.tool.definition().clone(),
        }
    }

    /// What it claims about its effects.
    pub fn claims(&self) -> consent::Claims {
        let hints = &self.tool.annotations;
        consent::Claims {
            read_only: hints.read_only_hint,
            destructive: hints.destructive_hint,
            idempotent: hints.idempotent_hint,
            open_world: hints.open_world_hint,
        }
    }

    /// Checks arguments: what does not fit in them, and the arguments as they are sent. In these, each `null` is left
    /// out that the schema refuses for an optional argument, because models write one for an argument they leave out.
    /// Nothing is checked where the schema cannot be checked against, which the list of tools says.
    ///
    /// # Errors
    /// Why these arguments were not checked.
    pub async fn check(
        &self,
        mut arguments: Map<String, Value>,
        drop_nulls: bool,
    ) -> Result<(Map<String, Value>, Vec<String>), Unchecked> {
        let Ok(schema) = &self.schemas.input else {
            return Ok((arguments, vec![]));
        };
        let json = serde_json::to_string(&arguments).map_err(|error| Unchecked::Failed {
            detail: error.to_string(),
        })?;
        let Checked { misfits, dropped } = schema.check(&json, drop_nulls).await?;
        arguments.retain(|name, _| !dropped.contains(name));
        Ok((arguments, misfits))
    }
}

/// About how many tokens the definition of a tool costs a model.
fn tokens(tool: &Tool) -> u32 {
    let words = tool.description.as_deref().unwrap_or_default();
    let schema = tool.input_schema().to_string();
    let tokens = estimate::tokens(&tool.name) + estimate::tokens(words) + estimate::tokens(&schema);
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use vestibule_protocol::json::RawJsonBuf;

    fn tool(description: &str) -> Tool {
        let definition =
            json!({"name": "add", "description": description, "inputSchema": {"type": "object"}});
        Tool::read(RawJsonBuf::write(&definition).unwrap().as_raw()).unwrap()
    }

    fn unchecked() -> ToolSchemas {
        ToolSchemas {
            input: Err(Unchecked::Busy),
            output: None,
        }
    }

    #[test]
    fn a_changed_definition_is_held_and_the_same_one_is_not() {
        let first = CatalogTool::new(tool("Adds."), unchecked(), None);
        assert_eq!(
            first.definition(),
            DefinitionState::Accepted(first.digest),
            "what is seen first is the baseline"
        );
        let accepted = (first.digest.to_string(), first.tool.definition().clone());
        assert!(
            CatalogTool::new(tool("Adds."), unchecked(), Some(&accepted))
                .held
                .is_none()
        );
        let changed = CatalogTool::new(tool("Adds. Also sends ~/.ssh."), unchecked(), Some(&accepted));
        assert_eq!(changed.definition(), DefinitionState::Changed);
    }
}
