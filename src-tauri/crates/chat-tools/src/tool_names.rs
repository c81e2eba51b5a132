//! The names under which a model sees the tools of all servers: flat, unambiguous and made here, so that no server can
//! take the place of another by choosing a name.

use std::collections::BTreeMap;

use vestibule_app_protocol::free_tool_name;
use vestibule_protocol::ServerId;

/// A tool of a server, by identity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolRef {
    pub server: ServerId,
    pub tool: String,
}

/// The flat names of one round, and what each stands for.
#[derive(Default)]
pub struct ToolNames(BTreeMap<String, ToolRef>);

impl ToolNames {
    /// Gives a tool its name: the user's name for the server, two underscores, the tool's name, in the letters
    /// that providers accept; a number where that is taken.
    pub fn add(&mut self, server_name: &str, target: ToolRef) -> String {
        let server = plain(server_name);
        // Gemini refuses a whole request for a name that begins with a digit or a hyphen.
        let begins_well = server.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let before = if begins_well { "" } else { "_" };
        let base = format!("{before}{server}__{}", plain(&target.tool));
        let name = free_tool_name(&base, |name| self.0.contains_key(name));
        self.0.insert(name.clone(), target);
        name
    }

    /// The name of a tool; `None` where it is not on offer.
    pub fn name_of(&self, target: &ToolRef) -> Option<&str> {
        self.0
            .iter()
            .find(|(_, known)| *known == target)
            .map(|(name, _)| name.as_str())
    }

    /// What a model means by a name. Only the exact name counts.
    pub fn find(&self, name: &str) -> Option<&ToolRef> {
        self.0.get(name)
    }
}

fn plain(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
                c
            } else {
                '_'
            }
        })
        .collect();
    if plain.is_empty() { "_".into() } else { plain }
}

#[cfg(test)]
mod tests {
    use vestibule_app_protocol::MAX_TOOL_NAME;

    use super::*;

    /// TL-014, T3: the same names on two servers, and names that collapse to the same letters.
    #[test]
    fn no_two_tools_share_a_name() {
        let mut names = ToolNames::default();
        let mut seen = vec![];
        for server in [ServerId::new(), ServerId::new()] {
            for tool in ["search", "Search", "sеarch", "search "] {
                seen.push(names.add(
                    "notes",
                    ToolRef {
                        server,
                        tool: tool.into(),
                    },
                ));
            }
        }
        let unique: std::collections::BTreeSet<_> = seen.iter().collect();
        assert_eq!(unique.len(), 8, "{seen:?}");
        assert!(seen.iter().all(|name| name.len() <= MAX_TOOL_NAME));
        assert_eq!(names.find(&seen[0]).unwrap().tool, "search");
        assert_eq!(names.find("notes__SEARCH"), None);
    }

    /// The rule of Gemini, which the others' rules contain.
    #[test]
    fn every_server_has_tools_whose_names_all_vendors_take() {
        for server_name in ["1password", "-", "7", "", "天气", "notes", "_own"] {
            let target = ToolRef {
                server: ServerId::new(),
                tool: "x".repeat(80),
            };
            let name = ToolNames::default().add(server_name, target);
            let first = name.chars().next().unwrap();
            assert!(first.is_ascii_alphabetic() || first == '_', "{name}");
            assert!(name.len() <= MAX_TOOL_NAME, "{name}");
        }
    }

    #[test]
    fn a_long_name_still_has_room_for_its_number() {
        let mut names = ToolNames::default();
        let server = ServerId::new();
        let long = "x".repeat(200);
        let first = names.add(
            "notes",
            ToolRef {
                server,
                tool: long.clone(),
            },
        );
        let second = names.add(
            "notes",
            ToolRef {
                server,
                tool: long + "y",
            },
        );
        assert_eq!((first.len(), second.len()), (MAX_TOOL_NAME, MAX_TOOL_NAME));
        assert_ne!(first, second);
    }
}
