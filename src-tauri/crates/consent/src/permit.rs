//! A permit is the proof that an effect was agreed to and that the agreement is on disk. Only the gate of this
//! crate makes one, it cannot be copied, and the code that performs the effect consumes it.

use std::collections::BTreeMap;

use vestibule_policy::{Because, Digest};
use vestibule_protocol::{ChatId, ServerId};

use crate::effect::{Effect, Intent};

/// Permission to do `T` once. There is no public way to make one.
///
/// It is neither `Clone` nor `Copy`, so one agreement cannot be used twice.
#[derive(Debug)]
#[must_use = "an agreement that is not used should be dropped on purpose"]
pub struct Permit<T> {
    effect: T,
    because: Vec<Because>,
    /// Where the agreement stands in the ledger. Dropped with an unused permit, it writes that it was not used.
    intent: Intent,
}

impl<T> Permit<T> {
    pub(crate) fn mint(effect: T, because: Vec<Because>, intent: Intent) -> Self {
        Self {
            effect,
            because,
            intent,
        }
    }

    /// What was agreed to, to look at before it is done.
    pub fn effect(&self) -> &T {
        &self.effect
    }

    /// Why it was agreed to.
    pub fn because(&self) -> &[Because] {
        &self.because
    }

    /// Gives up the permit for its effect, which begins now.
    pub fn begin(self) -> Effect<T> {
        Effect::begin(self.effect, self.intent)
    }
}

/// Starting a server's program.
#[derive(Debug)]
pub struct StartServer {
    pub server: ServerId,
    /// Exactly this launch and no other.
    pub launch: Digest,
}

/// Starting the program that serves a model of the user, once.
#[derive(Debug)]
pub struct StartModelServer {
    /// Exactly this launch and no other.
    pub launch: Digest,
}

/// Connecting to a server at an address.
#[derive(Debug)]
pub struct ConnectServer {
    pub server: ServerId,
    /// Exactly this connection and no other.
    pub connection: Digest,
}

#[derive(Debug)]
pub struct CallTool {
    pub server: ServerId,
    pub tool: String,
    /// Under exactly this definition.
    pub definition: Digest,
    /// Exactly these arguments: the ones that were shown, as the user left them.
    pub arguments: serde_json::Map<String, serde_json::Value>,
}

/// Sending the filled form a server asked for.
#[derive(Debug)]
pub struct SendForm {
    pub server: ServerId,
    /// Exactly what the user left in the fields.
    pub content: serde_json::Map<String, serde_json::Value>,
}

/// Asking one of the user's models in the name of a server, once.
#[derive(Debug)]
pub struct RunSample {
    /// The server that asks.
    pub server: ServerId,
    /// Exactly what is said to which model: what was shown, as the user left it.
    pub prompt: crate::PromptEdit,
}

/// Telling a server what a model said.
#[derive(Debug)]
pub struct SendReply {
    pub server: ServerId,
    /// Exactly what was shown, as the user left it.
    pub blocks: Vec<crate::SampleBlock>,
}

/// Telling a server which folders the user works in, once.
#[derive(Debug)]
pub struct TellRoots {
    pub server: ServerId,
    /// The canonical paths, all of them shared with it.
    pub folders: Vec<String>,
}

/// Opening a page in the user's browser, once.
#[derive(Debug)]
pub struct OpenPage {
    pub server: ServerId,
    /// Exactly the address that was shown.
    pub url: String,
}

/// Asking a server for proposals while the user fills in a prompt or a resource template.
#[derive(Debug)]
pub struct CompleteFields {
    pub server: ServerId,
    /// The name of the prompt, or the template.
    pub of: String,
}

/// Being told of changes of a resource that the user attached.
#[derive(Debug)]
pub struct WatchResource {
    pub server: ServerId,
    pub uri: String,
}

/// Setting from which level up a server logs.
#[derive(Debug)]
pub struct SetLogLevel {
    pub server: ServerId,
    /// The level by its name in MCP.
    pub level: String,
}

/// Asking a sign-in provider how it signs users in.
#[derive(Debug)]
pub struct LookUpIssuer {
    pub server: ServerId,
    /// This one and no other.
    pub issuer: String,
}

/// Signing in to a server: registering where it has to be, opening the page, sending the code.
#[derive(Debug)]
pub struct SignInServer {
    pub server: ServerId,
    /// The page that was shown, without what a sign-in adds to it. `None` where none may be opened.
    pub page: Option<String>,
}

impl SignInServer {
    /// Whether this address is the page that was shown, with nothing changed but what is asked of it.
    #[must_use]
    pub fn covers(&self, address: &str) -> bool {
        let Some(page) = self.page.as_deref() else {
            return false;
        };
        let more = address.strip_prefix(page);
        more.is_some_and(|more| more.starts_with(if page.contains('?') { '&' } else { '?' }))
    }
}

/// Making a change of the main window that lets more happen, once.
#[derive(Debug)]
pub struct Widen {
    /// Exactly the change that was shown.
    pub widening: crate::Widening,
}

/// Reading a resource the user picked.
#[derive(Debug)]
pub struct ReadResource {
    pub server: ServerId,
    /// The only chat its content may go into.
    pub chat: ChatId,
    pub uri: String,
}

/// Expanding a prompt the user picked.
#[derive(Debug)]
pub struct GetPrompt {
    pub server: ServerId,
    /// The only chat it may go into.
    pub chat: ChatId,
    pub prompt: String,
    /// Exactly what the user wrote.
    pub arguments: BTreeMap<String, String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_page_that_was_shown_may_be_opened_with_what_a_sign_in_adds() {
        let covers = |page: Option<&str>, address: &str| {
            let page = page.map(str::to_owned);
            let server = ServerId::new();
            SignInServer { server, page }.covers(address)
        };
        let page = Some("https://login.example/authorize");
        assert!(covers(
            page,
            "https://login.example/authorize?client_id=x&state=y"
        ));
        assert!(covers(
            Some("https://login.example/a?tenant=1"),
            "https://login.example/a?tenant=1&state=y"
        ));
        for other in [
            "https://login.example/authorize2?state=y",
            "https://login.example/authorize/../x?state=y",
            "https://login.example/?state=y",
            "https://login.example.evil/authorize?state=y",
            "http://login.example/authorize?state=y",
        ] {
            assert!(!covers(page, other), "{other}");
        }
        assert!(!covers(None, "https://login.example/authorize?state=y"));
    }
}
