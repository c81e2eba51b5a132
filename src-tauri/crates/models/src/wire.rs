//! The vendors' interfaces this crate speaks.
//!
//! A connection names its wire; where it does not, the address decides. The names are stored, so they never change.

use url::Url;

/// How a model is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// OpenAI's Chat Completions, which most vendors and local servers share.
    ChatCompletions,
    /// OpenAI's Responses, used without storage at the vendor.
    Responses,
    /// Messages, the interface of Anthropic.
    Anthropic,
    /// Google's `generateContent` of the Gemini API.
    Gemini,
    /// Ollama's own interface: unlike its Chat Completions it can set the context length.
    Ollama,
    /// Chat Completions of a deployment in Azure.
    Azure,
}

impl Wire {
    /// Every wire, in the order they are offered.
    pub const ALL: [Self; 6] = [
        Self::ChatCompletions,
        Self::Responses,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::Azure,
    ];

    /// The name under which the database keeps it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ChatCompletions => "open_ai_compatible",
            Self::Responses => "open_ai_responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::Azure => "azure_open_ai",
        }
    }

    /// The wire with this stored name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wire| wire.name() == name)
    }

    /// The wire an address most likely speaks: the vendors' own hosts are known, and Ollama by its port where the
    /// address does not name another interface in its path.
    #[must_use]
    pub fn for_address(base: &Url) -> Self {
        let host = base.host_str().unwrap_or_default();
        let at_root = matches!(base.path(), "" | "/");
        match host {
            "api.anthropic.com" => Self::Anthropic,
            "generativelanguage.googleapis.com" if !is_google_chat(base) => Self::Gemini,
            _ if host.ends_with(".openai.azure.com") => Self::Azure,
            _ if at_root && base.port() == Some(11434) => Self::Ollama,
            _ => Self::ChatCompletions,
        }
    }

    /// The address the wire's paths are added to: users paste addresses with and without the version.
    pub(crate) fn root(self, base: &Url) -> String {
        let base = base.as_str().trim_end_matches('/');
        let suffixes: &[&str] = match self {
            Self::ChatCompletions | Self::Responses => &[],
            Self::Anthropic => &["/v1/messages", "/v1"],
            Self::Gemini => &["/v1beta/models", "/v1beta"],
            Self::Ollama => &["/api/chat", "/api", "/v1"],
            Self::Azure => &["/openai/deployments", "/openai"],
        };
        let stripped = suffixes.iter().find_map(|suffix| base.strip_suffix(suffix));
        stripped.unwrap_or(base).to_owned()
    }

    /// Whether it is one of the interfaces that OpenAI made and others offer too.
    pub(crate) fn is_open_ai(self) -> bool {
        matches!(self, Self::ChatCompletions | Self::Responses)
    }

    /// The header the key goes in, and what stands before it there.
    pub(crate) fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::ChatCompletions | Self::Responses | Self::Ollama => ("authorization", "Bearer "),
            Self::Anthropic => ("x-api-key", ""),
            Self::Gemini => ("x-goog-api-key", ""),
            Self::Azure => ("api-key", ""),
        }
    }
}

/// Whether an address is Google's Chat Completions, which refuses calls without their signatures.
pub(crate) fn is_google_chat(base: &Url) -> bool {
    let path = base.path().trim_end_matches('/');
    path.ends_with("/v1beta/openai") || path.ends_with("/endpoints/openapi")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_spoken_to_as_its_vendor_expects() {
        let cases = [
            ("https://api.openai.com/v1", Wire::ChatCompletions),
            ("https://api.anthropic.com", Wire::Anthropic),
            ("https://generativelanguage.googleapis.com", Wire::Gemini),
            (
                "https://generativelanguage.googleapis.com/v1beta/openai/",
                Wire::ChatCompletions,
            ),
            ("https://mine.openai.azure.com", Wire::Azure),
            ("http://localhost:11434", Wire::Ollama),
            ("http://localhost:11434/v1", Wire::ChatCompletions),
            ("http://localhost:8080/v1", Wire::ChatCompletions),
        ];
        for (address, wire) in cases {
            assert_eq!(
                Wire::for_address(&Url::parse(address).unwrap()),
                wire,
                "{address}"
            );
        }
    }

    #[test]
    fn a_stored_name_leads_back_to_its_wire() {
        for wire in Wire::ALL {
            assert_eq!(Wire::named(wire.name()), Some(wire));
        }
        assert_eq!(Wire::named("rehearsal"), None);
    }
}
