//! Whether a model works, and if not, which step of the way to it fails.
//!
//! The steps are those of one short message: the name is looked up, the connection made, and so on until the first words
//! arrive. The trial ends with them, so it costs a few tokens.

use std::time::{Duration, Instant};

use futures::StreamExt;
use url::Host;
use vestibule_egress::{Lookup, SystemLookup, is_loopback};

use super::RemoteModel;
use crate::{ModelError, ModelEvent, ModelMessage, ModelProvider, ModelRequest};

/// How long the name may take to be found.
const LOOKUP: Duration = Duration::from_secs(10);
/// How long the whole trial may take. A local model may have to be loaded first.
const TRIAL: Duration = Duration::from_secs(120);

/// A step of the way to a model, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrialStep {
    /// The name of the address leads to a computer.
    Name,
    /// A computer accepts a connection at the port.
    Connection,
    /// The connection is encrypted, and the other side proved who it is.
    Encryption,
    /// The key is accepted.
    Key,
    /// The model is known there.
    Model,
    /// The reply is one of this interface.
    Reply,
}

/// What a trial came to.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The steps of this way, in order: an address without TLS has no encryption to fail.
    pub steps: Vec<TrialStep>,
    /// The step that failed, and why; those after it were not reached.
    pub failed: Option<(TrialStep, ModelError)>,
    /// Until the first words, or until the failure.
    pub took: Duration,
}

impl RemoteModel {
    /// Sends one short message and sees how far it comes.
    pub async fn trial(&self) -> Trial {
        let began = Instant::now();
        let looked_up = self.name_to_look_up();
        let steps = [
            looked_up.is_some().then_some(TrialStep::Name),
            Some(TrialStep::Connection),
            (self.egress.base().scheme() == "https").then_some(TrialStep::Encryption),
            Some(TrialStep::Key),
            Some(TrialStep::Model),
            Some(TrialStep::Reply),
        ];
        let found = match looked_up {
            Some(name) => self.look_up(&name).await,
            None => Ok(()),
        };
        let failed = match found {
            Err(error) => Some((TrialStep::Name, error)),
            Ok(()) => self
                .first_words()
                .await
                .err()
                .map(|error| (step_of(&error), error)),
        };
        Trial {
            steps: steps.into_iter().flatten().collect(),
            failed,
            took: began.elapsed(),
        }
    }

    /// The name this computer looks up: behind a proxy, that is the proxy's to do.
    fn name_to_look_up(&self) -> Option<String> {
        let base = self.egress.base();
        match base.host() {
            Some(Host::Domain(name)) if self.egress.is_direct() && !is_loopback(base) => {
                Some(name.to_owned())
            }
            _ => None,
        }
    }

    async fn look_up(&self, name: &str) -> Result<(), ModelError> {
        self.egress.check()?;
        let unreachable = |detail: String| ModelError::Unreachable {
            endpoint: self.egress.endpoint().to_owned(),
            detail,
        };
        match tokio::time::timeout(LOOKUP, SystemLookup.lookup(name)).await {
            Ok(Ok(found)) if !found.is_empty() => Ok(()),
            Ok(Ok(_)) => Err(unreachable(format!("the name {name} leads nowhere"))),
            Ok(Err(error)) => Err(unreachable(error.to_string())),
            Err(_) => Err(ModelError::TimedOut { after: LOOKUP }),
        }
    }

    async fn first_words(&self) -> Result<(), ModelError> {
        let request = ModelRequest {
            messages: vec![ModelMessage::User {
                text: "Answer with the word: ready".to_owned(),
            }],
            ..ModelRequest::default()
        };
        let words = async {
            let mut reply = self.stream(request).await?;
            while let Some(event) = reply.next().await {
                if !matches!(event?, ModelEvent::Usage(_) | ModelEvent::Native(_)) {
                    return Ok(());
                }
            }
            Err(ModelError::Cut)
        };
        let timed_out = Err(ModelError::TimedOut { after: TRIAL });
        tokio::time::timeout(TRIAL, words).await.unwrap_or(timed_out)
    }
}

/// The step that fails with such an error.
fn step_of(error: &ModelError) -> TrialStep {
    match error {
        ModelError::Unreachable { .. } | ModelError::Insecure { .. } | ModelError::Unsendable { .. } => {
            TrialStep::Connection
        }
        ModelError::Unproven { .. } => TrialStep::Encryption,
        ModelError::Unauthorized { .. }
        | ModelError::KeyOverHttp { .. }
        | ModelError::Refused {
            status: 401 | 403, ..
        } => TrialStep::Key,
        ModelError::NoSuchModel { .. } => TrialStep::Model,
        ModelError::RateLimited { .. }
        | ModelError::Refused { .. }
        | ModelError::Failed { .. }
        | ModelError::ContextExceeded { .. }
        | ModelError::ToolsRefused { .. }
        | ModelError::Redirected { .. }
        | ModelError::Cut
        | ModelError::TimedOut { .. }
        | ModelError::RanTooLong { .. }
        | ModelError::TooLarge { .. }
        | ModelError::Malformed { .. } => TrialStep::Reply,
    }
}
