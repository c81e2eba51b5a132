//! The commands of the windows as Tauri calls them, made from the table in `vestibule_app_protocol::commands`. Each calls
//! the method of the host with its name; the few that need their window have their bodies in [`window`].

mod window;

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tauri::ipc::Invoke;
use tauri::{Runtime, State, WebviewWindow};
use vestibule_app_protocol::*;
use vestibule_host::Host;
use vestibule_protocol::mcp::LogLevel;
use vestibule_protocol::{
    AttachmentId, ChatId, ConnectionId, EntryId, ModelId, QuestionId, RuleId, ServerId, WorkspaceId,
};

/// What a method of the host returns: a value, or a value or a problem.
trait IntoReply<T> {
    fn into_reply(self) -> Result<T, Problem>;
}

impl<T> IntoReply<T> for T {
    fn into_reply(self) -> Result<T, Problem> {
        Ok(self)
    }
}

impl<T> IntoReply<T> for Result<T, Problem> {
    fn into_reply(self) -> Result<T, Problem> {
        self
    }
}

macro_rules! command {
    (async $name:ident($($argument:ident: $type:ty),*) $($result:ty)?) => {
        #[tauri::command]
        async fn $name(host: State<'_, Host>, $($argument: $type),*) -> Result<result!($($result)?), Problem> {
            host.$name($($argument),*).await.into_reply()
        }
    };
    (sync $name:ident($($argument:ident: $type:ty),*) $($result:ty)?) => {
        #[tauri::command]
        async fn $name(host: State<'_, Host>, $($argument: $type),*) -> Result<result!($($result)?), Problem> {
            host.$name($($argument),*).into_reply()
        }
    };
    (window $name:ident($($argument:ident: $type:ty),*) $($result:ty)?) => {
        #[tauri::command]
        async fn $name<R: Runtime>(
            window: WebviewWindow<R>,
            host: State<'_, Host>,
            $($argument: $type),*
        ) -> Result<result!($($result)?), Problem> {
            window::$name(&window, &host, $($argument),*).await
        }
    };
}

macro_rules! result {
    () => {
        ()
    };
    ($type:ty) => {
        $type
    };
}

macro_rules! tauri_commands {
    ($($label:ident {
        $($(#[$doc:meta])* $kind:ident fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*
    })*) => {
        $($(command!($kind $name($($argument: $type),*) $($result)?);)*)*

        /// All commands. Which window may call which is decided by the capabilities, not here.
        pub fn handler<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
            tauri::generate_handler![$($($name),*),*]
        }
    };
}

vestibule_app_protocol::commands!(tauri_commands);
