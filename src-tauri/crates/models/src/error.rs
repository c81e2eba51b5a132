//! What can go wrong with a model, one variant for each message to the user.
//!
//! No variant carries the key, a request header or the conversation. Text from the endpoint is kept short and is
//! only quoted, never trusted.

use std::time::Duration;

/// Why a model could not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Nothing answered at the address.
    #[error(
        "could not reach {endpoint}: {detail}. Check that the model server is running and the address is right"
    )]
    Unreachable {
        endpoint: String,
        /// What the network said.
        detail: String,
    },
    /// No encrypted connection came about, or the endpoint could not prove who it is. Nothing was sent.
    #[error("no safe connection to {endpoint}: {detail}")]
    Unproven {
        endpoint: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The endpoint did not accept the key, or wants one.
    #[error("{endpoint} did not accept the key. Check the key in the settings")]
    Unauthorized { endpoint: String },
    /// The endpoint does not know the model.
    #[error("{endpoint} has no model named {model}. Choose another model, or install it there")]
    NoSuchModel {
        endpoint: String,
        /// The name that was asked for.
        model: String,
        /// What it said, at most 500 characters; empty when it said nothing.
        detail: String,
    },
    /// Too many requests; the endpoint asks to wait.
    #[error("the model endpoint asks to slow down{}", wait(retry_after))]
    RateLimited {
        /// How long it asks to wait, at most one day; `None` when it did not say.
        retry_after: Option<Duration>,
        /// What it said, at most 500 characters; empty when it said nothing.
        detail: String,
    },
    /// The endpoint understood and said no.
    #[error("the model endpoint refused the request ({status}): {detail}")]
    Refused {
        /// The HTTP status; 200 when the refusal came inside the reply.
        status: u16,
        /// What it said, at most 500 characters.
        detail: String,
    },
    /// The endpoint began to answer and then reported a failure of its own, which may pass.
    #[error("the model endpoint failed while it answered: {detail}")]
    Failed {
        /// What it said, at most 500 characters.
        detail: String,
    },
    /// The request is longer than the model can read.
    #[error("the request is longer than the model can read: {detail}")]
    ContextExceeded {
        /// What the endpoint said, at most 500 characters.
        detail: String,
    },
    /// The model takes no tools, and the request offered some.
    #[error("the model {model} cannot use tools")]
    ToolsRefused {
        /// The name that was asked for.
        model: String,
    },
    /// The endpoint answered with a redirect, which is never followed.
    #[error(
        "{endpoint} redirects to another address, which is not followed. Enter the final address instead"
    )]
    Redirected { endpoint: String },
    /// Plain http to another computer, which would show the conversation and the key to the network.
    #[error("{endpoint} is reached over plain http on another computer. Use https")]
    Insecure { endpoint: String },
    /// A key over plain http, which would show it to everyone on the way.
    #[error(
        "the key is not sent to {endpoint} over plain http. Use https://, or remove the key; a key goes over plain http \
         only to this computer and to a private address such as 192.168.1.20, without a proxy"
    )]
    KeyOverHttp { endpoint: String },
    /// The reply stopped before the endpoint ended it.
    #[error("the reply was cut off before its end. What arrived is kept; try again")]
    Cut,
    /// Nothing arrived for too long.
    #[error("nothing arrived from the model for {} seconds", after.as_secs_f32())]
    TimedOut {
        /// How long was waited.
        after: Duration,
    },
    /// The reply was still going on when the time for a whole one was over.
    #[error("the reply did not end within {} seconds", after.as_secs_f32())]
    RanTooLong {
        /// The time for a whole reply.
        after: Duration,
    },
    /// The reply, or one line of it, passed a size limit.
    #[error("the reply passed the limit of {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The reply is not what the protocol describes.
    #[error("the model endpoint sent something that cannot be read: {detail}")]
    Malformed {
        /// What was wrong, at most 500 characters.
        detail: String,
    },
    /// The request could not be built; nothing was sent.
    #[error("the request could not be built: {detail}")]
    Unsendable { detail: String },
}

impl ModelError {
    /// Whether the same request may succeed when it is sent again later, without anyone changing anything.
    #[must_use]
    pub fn retryable(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::RateLimited { .. }
            | Self::Failed { .. }
            | Self::Cut
            | Self::TimedOut { .. } => true,
            Self::Refused { status, .. } => matches!(status, 408 | 425 | 500..=599),
            Self::Unproven { .. }
            | Self::Unauthorized { .. }
            | Self::NoSuchModel { .. }
            | Self::ContextExceeded { .. }
            | Self::ToolsRefused { .. }
            | Self::Redirected { .. }
            | Self::Insecure { .. }
            | Self::KeyOverHttp { .. }
            | Self::RanTooLong { .. }
            | Self::TooLarge { .. }
            | Self::Malformed { .. }
            | Self::Unsendable { .. } => false,
        }
    }

    /// Whether the endpoint may have read the request, so that its owner pays for it: it began to answer, or nothing says
    /// that it did not.
    #[must_use]
    pub fn may_have_cost(&self) -> bool {
        match self {
            Self::Cut
            | Self::TimedOut { .. }
            | Self::RanTooLong { .. }
            | Self::TooLarge { .. }
            | Self::Malformed { .. } => true,
            Self::Unreachable { .. }
            | Self::Unproven { .. }
            | Self::Unauthorized { .. }
            | Self::NoSuchModel { .. }
            | Self::RateLimited { .. }
            | Self::Refused { .. }
            | Self::Failed { .. }
            | Self::ContextExceeded { .. }
            | Self::ToolsRefused { .. }
            | Self::Redirected { .. }
            | Self::Insecure { .. }
            | Self::KeyOverHttp { .. }
            | Self::Unsendable { .. } => false,
        }
    }
}

fn wait(retry_after: &Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |wait| {
        format!("; try again in {} seconds", wait.as_secs())
    })
}
