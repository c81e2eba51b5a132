//! What else a server offers besides tools: resources to read and watch, prompts to expand, completions while
//! a user writes. None of it is asked of a server that did not declare it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::oneshot;
use tokio::time::timeout;
use vestibule_protocol::EraChoice;
use vestibule_protocol::Revision;
use vestibule_protocol::jsonrpc::METHOD_NOT_FOUND;
use vestibule_protocol::mcp::{
    CacheHint, Completion, CompletionParams, CompletionTarget, GetPromptResult, Prompt, ReadResourceResult,
    Resource, ResourceTemplate,
};

use super::SessionHandle;
use crate::ask::{CallOptions, RequestSpec};
use crate::error::CallError;
use crate::link::read_result_as;
use crate::message::{ResourceWatch, SessionCommand};
use crate::pages::{self, Listing};

/// The most bytes of what was written that a completion is asked for with.
const MAX_WRITTEN_BYTES: usize = 16 * 1024;

/// An answer with how long it may be kept and for whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cached<T> {
    pub value: T,
    pub cache: CacheHint,
}

impl SessionHandle {
    /// Every resource the server lists, within the session's limits. Others may exist: a server need not list
    /// what it can read.
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the server declared no resources; otherwise as any request.
    pub async fn list_resources(&self) -> Result<Listing<Resource>, CallError> {
        self.require(self.info.capabilities.resources.is_some())?;
        pages::list(&self.link).await
    }

    /// Every resource template the server lists, within the session's limits; none when it does not know the method,
    /// which no capability tells.
    ///
    /// # Errors
    /// As [`list_resources`](Self::list_resources).
    pub async fn list_resource_templates(&self) -> Result<Listing<ResourceTemplate>, CallError> {
        self.require(self.info.capabilities.resources.is_some())?;
        match pages::list(&self.link).await {
            Err(CallError::Rpc(error)) if error.code == METHOD_NOT_FOUND => Ok(Listing::empty()),
            outcome => outcome,
        }
    }

    /// Reads a resource. Dropping the future withdraws the request.
    ///
    /// # Errors
    /// [`CallError::is_not_found`] tells whether there is none; otherwise as any call.
    pub async fn read_resource(
        &self,
        uri: &str,
        options: CallOptions,
    ) -> Result<Cached<ReadResourceResult>, CallError> {
        self.require(self.info.capabilities.resources.is_some())?;
        let ask = RequestSpec::reading("resources/read", uri, options);
        let answer = self.link.ask(&ask, Some(&json!({ "uri": uri }))).await?;
        Ok(Cached {
            value: read_result_as(&answer.result)?,
            cache: answer.cache,
        })
    }

    /// Watches a resource: its changes arrive as
    /// [`SessionEvent::ResourceUpdated`](crate::SessionEvent::ResourceUpdated) until it is unwatched or the
    /// session ends.
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the server cannot tell of this resource; otherwise as any request.
    pub async fn subscribe_resource(&self, uri: &str) -> Result<(), CallError> {
        self.require(self.can_subscribe())?;
        if self.era() != EraChoice::Modern {
            return self.plain("resources/subscribe", uri).await;
        }
        let (reply, outcome) = oneshot::channel();
        let uri = uri.to_owned();
        self.command(SessionCommand::Watch(ResourceWatch {
            uri: uri.clone(),
            reply,
        }))
        .await?;
        let after = self.link.options.call_timeout;
        match timeout(after, outcome).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(CallError::Closed(self.link.closed().await)),
            Err(_) => {
                self.command(SessionCommand::Unwatch(uri)).await?;
                Err(CallError::TimedOut { after })
            }
        }
    }

    /// Watches a resource no longer.
    ///
    /// # Errors
    /// As [`subscribe_resource`](Self::subscribe_resource).
    pub async fn unsubscribe_resource(&self, uri: &str) -> Result<(), CallError> {
        self.require(self.can_subscribe())?;
        if self.era() != EraChoice::Modern {
            return self.plain("resources/unsubscribe", uri).await;
        }
        self.command(SessionCommand::Unwatch(uri.to_owned())).await
    }

    /// Every prompt the server lists, within the session's limits.
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the server declared no prompts; otherwise as any request.
    pub async fn list_prompts(&self) -> Result<Listing<Prompt>, CallError> {
        self.require(self.info.capabilities.prompts.is_some())?;
        pages::list(&self.link).await
    }

    /// Expands a prompt. Dropping the future withdraws the request.
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the server declared no prompts; otherwise as any call.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: &BTreeMap<String, String>,
        options: CallOptions,
    ) -> Result<GetPromptResult, CallError> {
        self.require(self.info.capabilities.prompts.is_some())?;
        let ask = RequestSpec::reading("prompts/get", name, options);
        let params = json!({ "name": name, "arguments": arguments });
        read_result_as(&self.link.ask(&ask, Some(&params)).await?.result)
    }

    /// Asks for completions of an argument.
    ///
    /// # Errors
    /// [`CallError::NotSupported`] when the server declared no completions, or, in the revision that had no
    /// word for it, when it does not know the method; [`CallError::NotSendable`] when more was written than a
    /// completion needs; otherwise as any request.
    pub async fn complete(&self, params: &CompletionParams) -> Result<Completion, CallError> {
        let revision = self.info.revision;
        // the oldest revision could not declare it.
        let undeclared = revision == Revision::V2024_11_05;
        self.require(self.info.capabilities.completions || undeclared)?;
        require_short(params)?;
        let params = CompletionRequest::new(params, revision);
        let answer = match self
            .link
            .ask(&RequestSpec::plain("completion/complete"), Some(&params))
            .await
        {
            Err(CallError::Rpc(error)) if undeclared && error.code == METHOD_NOT_FOUND => {
                return Err(CallError::NotSupported);
            }
            outcome => outcome?,
        };
        let CompletionAnswer { completion } = read_result_as(&answer.result)?;
        Ok(completion.cut())
    }

    fn can_subscribe(&self) -> bool {
        let resources = self.info.capabilities.resources.as_ref();
        resources.is_some_and(|list| list.subscribe)
    }

    async fn plain(&self, method: &'static str, uri: &str) -> Result<(), CallError> {
        let params = json!({ "uri": uri });
        self.link
            .ask(&RequestSpec::plain(method), Some(&params))
            .await
            .map(drop)
    }

    async fn command(&self, command: SessionCommand) -> Result<(), CallError> {
        if self.link.commands.send(command).await.is_err() {
            return Err(CallError::Closed(self.link.closed().await));
        }
        Ok(())
    }
}

/// Returns an error if what the user wrote is too long to be sent.
fn require_short(params: &CompletionParams) -> Result<(), CallError> {
    let chosen = params.chosen.iter().map(|(name, value)| name.len() + value.len());
    let written = params.argument.len() + params.value.len() + chosen.sum::<usize>();
    if written > MAX_WRITTEN_BYTES {
        return Err(CallError::NotSendable(format!(
            "what was written is longer than {MAX_WRITTEN_BYTES} bytes"
        )));
    }
    Ok(())
}

#[derive(Deserialize)]
struct CompletionAnswer {
    completion: Completion,
}

#[derive(Serialize)]
struct CompletionRequest<'a> {
    #[serde(rename = "ref")]
    target: &'a CompletionTarget,
    argument: Argument<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<CompletionContext<'a>>,
}

#[derive(Serialize)]
struct Argument<'a> {
    name: &'a str,
    value: &'a str,
}

#[derive(Serialize)]
struct CompletionContext<'a> {
    arguments: &'a BTreeMap<String, String>,
}

impl<'a> CompletionRequest<'a> {
    fn new(params: &'a CompletionParams, revision: Revision) -> Self {
        let has_context = revision >= Revision::V2025_06_18 && !params.chosen.is_empty();
        Self {
            target: &params.target,
            argument: Argument {
                name: &params.argument,
                value: &params.value,
            },
            context: has_context.then_some(CompletionContext {
                arguments: &params.chosen,
            }),
        }
    }
}
