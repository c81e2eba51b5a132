//! The names of a server's tools for a model that samples for it. Tools keep the server's names towards the server, and
//! have names towards the model that every vendor takes.

use std::collections::BTreeMap;

use vestibule_app_protocol::{free_tool_name, sendable_tool_name};
use vestibule_consent::SampleTool;

/// The server's names of its tools, by the names that every vendor's models take.
pub(crate) struct SamplingToolNames(BTreeMap<String, String>);

impl SamplingToolNames {
    /// Names for these tools; a number follows where a name is taken.
    pub(super) fn from_tools(tools: &[SampleTool]) -> Self {
        let mut names = BTreeMap::new();
        for tool in tools {
            let base = sendable_tool_name(&tool.name);
            let name = free_tool_name(&base, |name| names.contains_key(name));
            names.insert(name, tool.name.clone());
        }
        Self(names)
    }

    /// The model's name for a tool, also for one that is not offered.
    pub(super) fn model_name_of(&self, tool: &str) -> String {
        let found = self.0.iter().find(|(_, server_name)| *server_name == tool);
        found.map_or_else(|| sendable_tool_name(tool).into_owned(), |(name, _)| name.clone())
    }

    /// The server's name for what the model asked for.
    pub(super) fn server_name_of(&self, model_name: &str) -> Option<&String> {
        self.0.get(model_name)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    /// A tool of a server that takes any arguments.
    pub(in crate::sampling) fn tool(name: &str) -> SampleTool {
        SampleTool {
            name: name.into(),
            description: None,
            input_schema: json!({ "type": "object" }),
        }
    }

    /// Gemini refuses a whole request for a name that begins with a digit or a hyphen.
    #[test]
    fn a_tool_has_a_name_that_every_vendor_takes() {
        let (long, longer) = ("x".repeat(80), "x".repeat(81));
        let offered = ["7zip", "-x", &long, &longer];
        let names = SamplingToolNames::from_tools(&offered.map(tool));
        assert_eq!(names.model_name_of("-x"), "_-x");
        assert_eq!(names.model_name_of("8ball"), "_8ball", "not offered");
        assert_eq!(names.server_name_of("_7zip").unwrap(), "7zip");
        for own in offered {
            let name = names.model_name_of(own);
            assert_eq!(sendable_tool_name(&name), name);
            assert_eq!(names.server_name_of(&name).unwrap(), own);
        }
    }

    #[test]
    fn tools_with_like_names_are_told_apart() {
        let names = SamplingToolNames::from_tools(&["wx.now", "wx/now"].map(tool));
        assert_eq!(names.model_name_of("wx.now"), "wx_now");
        assert_eq!(names.server_name_of("wx_now_2").unwrap(), "wx/now");
    }
}
