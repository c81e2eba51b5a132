//! Types of ids for what Vestibule keeps: servers, chats, entries, questions, rules, models and others. Each is known
//! by its id and never by the name that it gives itself, so two servers with one name stay apart. New ids are version
//! 7 UUIDs, which sort by the time they were made; those of temporary chats and their entries are of version 8.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::{Builder, Uuid, Version};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
        #[serde(transparent)]
        #[ts(as = "String")]
        pub struct $name(Uuid);

        impl $name {
            /// A fresh id, later than every id made before it in this process.
            #[must_use]
            #[allow(clippy::new_without_default, reason = "a fresh id is not a default value")]
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

id! {
    /// A server the user added: our own name for it, whatever it calls itself.
    ServerId
}
id! {
    ChatId
}
id! {
    /// A set of folders and the servers that may know of them; each chat belongs to one.
    WorkspaceId
}
id! {
    /// One entry of a chat: a message of the user or the model, a tool call, a failure.
    EntryId
}
id! {
    /// A resource or an expanded prompt the user picked for a chat.
    AttachmentId
}
id! {
    /// A question to the user.
    QuestionId
}
id! {
    /// A standing permission or refusal.
    RuleId
}
id! {
    /// A model the user set up.
    ModelId
}
id! {
    /// A way to models: an address, how it is spoken to, and one key.
    ConnectionId
}

impl ChatId {
    /// A fresh id of a temporary chat. The id alone says that nothing of the chat is kept on disk.
    #[must_use]
    pub fn temporary() -> Self {
        Self(temporary(Self::new().0))
    }

    /// Whether the chat is temporary.
    #[must_use]
    pub fn is_temporary(self) -> bool {
        is_temporary(self.0)
    }
}

impl EntryId {
    /// A fresh id of an entry of this chat.
    #[must_use]
    pub fn in_chat(chat: ChatId) -> Self {
        let fresh = Self::new();
        if chat.is_temporary() {
            Self(temporary(fresh.0))
        } else {
            fresh
        }
    }

    /// Whether the entry belongs to a temporary chat.
    #[must_use]
    pub fn is_temporary(self) -> bool {
        is_temporary(self.0)
    }
}

/// The same id as a UUID of version 8, whose meaning is that of the application which makes it. It sorts like the others.
fn temporary(id: Uuid) -> Uuid {
    Builder::from_bytes(id.into_bytes())
        .with_version(Version::Custom)
        .into_uuid()
}

fn is_temporary(id: Uuid) -> bool {
    id.get_version() == Some(Version::Custom)
}

impl WorkspaceId {
    /// The workspace every chat belongs to until the user makes another.
    #[must_use]
    pub const fn home() -> Self {
        Self(Uuid::nil())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_whether_its_chat_is_temporary_also_as_text() {
        for chat in [ChatId::new(), ChatId::temporary()] {
            let entry = EntryId::in_chat(chat);
            assert_eq!(entry.is_temporary(), chat.is_temporary());
            let read: ChatId = chat.to_string().parse().unwrap();
            assert_eq!(read.is_temporary(), chat.is_temporary());
        }
        assert!(ChatId::temporary().is_temporary());
        assert!(!ChatId::new().is_temporary() && !EntryId::new().is_temporary());
    }
}
