//! The one trait every model stands behind.
//!
//! It is object safe, so that a host keeps `Arc<dyn ModelProvider>` and never learns which wire is below. It has no
//! method that runs a tool or keeps history: a request carries all that the model may know.

use std::pin::Pin;

use async_trait::async_trait;
use futures::Stream;

use crate::{ModelError, ModelEvent, ModelRequest};

/// One reply as it arrives. An error is the last item. Dropping the stream ends the request on the wire.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// What is known of a model before it is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelFacts {
    /// How many tokens it reads; `None` where its server does not say.
    pub context: Option<u32>,
    /// Whether its server says that it sees images.
    pub images: bool,
}

/// Something that can continue a conversation.
#[async_trait]
pub trait ModelProvider: Send + Sync {
    /// What to call this model in front of a user, for example `llama3.1 · localhost:11434`.
    fn label(&self) -> &str;

    /// Whether the words come from a script instead of a model. True only for the rehearsal.
    fn scripted(&self) -> bool;

    /// Starts a reply. The stream ends after [`ModelEvent::Finished`] or after its first error.
    ///
    /// # Errors
    /// Whatever went wrong before the first byte of the reply; later failures are items of the stream.
    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ModelError>;

    /// What the model's server says of it. Asked once; a server that does not answer leaves the default.
    async fn facts(&self) -> ModelFacts {
        ModelFacts::default()
    }

    /// Whether images are sent to it. A model without them reads a note in the place of each.
    async fn sees_images(&self) -> bool {
        true
    }

    /// The names of the models this endpoint offers, as it reports them; at most 1000, each at most 200 bytes.
    ///
    /// # Errors
    /// The same as [`ModelProvider::stream`].
    async fn models(&self) -> Result<Vec<String>, ModelError>;
}
