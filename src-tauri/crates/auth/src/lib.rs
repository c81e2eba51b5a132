//! Signing in to servers: the whole authorization framework of MCP, as a client. Given a server's refusal it
//! discovers the authorization server, asks the user, gets a token and keeps it fresh; the token goes into a
//! transport and never anywhere else. It opens no connection to the server itself, shows nothing and stores
//! nothing by itself: the user is a [`UserAgent`] and the keychain a [`Vault`] that the application brings.
//!
//! What always holds: before the user agreed to an issuer with its endpoints, only public documents are
//! asked for; client credentials belong to an issuer and tokens to a server; whatever others write is bounded,
//! compared as plain text, and reached only over an egress that judges every address.
//!
//! ```no_run
//! use std::sync::Arc;
//! use vestibule_auth::{Application, AuthError, AuthSettings, Authorizer, ChallengeOutcome, UserAgent, Vault};
//! use vestibule_transport::Challenge;
//!
//! # enum Sent { Answered, Refused(Challenge) }
//! # async fn send(_: &vestibule_transport::http::Authorization) -> Sent { Sent::Answered }
//! async fn call(user: Arc<dyn UserAgent>, vault: Arc<dyn Vault>) -> Result<(), AuthError> {
//!     let application = Application {
//!         name: "Vestibule".into(),
//!         document: None,
//!     };
//!     let server = "https://mcp.example.com/mcp".parse().expect("an address");
//!     let authorizer = Authorizer::new(AuthSettings::new(server, "server-id", application), user, vault);
//!     // Given to the transport once, as `HttpOptions::authorization`.
//!     let authorization = authorizer.authorization();
//!
//!     // For each request: make ready, send, and ask what a refusal means.
//!     let mut attempt = authorizer.ready().await?;
//!     while let Sent::Refused(challenge) = send(&authorization).await {
//!         match authorizer.on_challenge(&mut attempt, &challenge).await {
//!             ChallengeOutcome::Retry => {}
//!             // An application would first show that a sign-in is needed.
//!             ChallengeOutcome::SignInNeeded { .. } => authorizer.sign_in().await?,
//!             ChallengeOutcome::GiveUp(error) => return Err(error),
//!         }
//!     }
//!     Ok(())
//! }
//! ```

mod authorizer;
mod callback;
mod challenge;
mod client;
mod discovery;
mod dpop;
mod error;
mod listener;
mod management;
mod masked;
mod metadata;
mod random;
mod registration;
mod scope;
mod settings;
mod site;
mod stored;
mod token;
mod user_agent;
mod vault;
mod wire;

pub use authorizer::{Attempt, Authorizer, ChallengeOutcome, SignedIn};
pub use challenge::AuthDemand;
pub use client::SigningKey;
pub use error::{AuthError, Reason, Step};
pub use listener::CallbackPage;
pub use scope::Scopes;
pub use settings::{
    Application, AuthSettings, Early, EnteredClient, Enterprise, Grant, Possession, TimeSource,
};
pub use user_agent::{
    Approved, Assertion, AssertionFile, Declined, LookUpPrompt, PageNotOpened, SignInPrompt, UserAgent,
};
pub use vault::{Vault, VaultError};
pub use wire::AuthLimits;
