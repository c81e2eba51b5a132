//! What can go wrong, as the user reads it. Each variant is a sentence in the UI's catalogue that says what was
//! tried, what happened and what to do; the fields fill its gaps. The English text here is for logs and for the
//! model.

mod bundle;
mod call;
mod gallery;
mod input;
mod model;
mod question;
mod server;
mod store;

pub use bundle::BundleProblem;
pub use call::CallProblem;
pub use gallery::GalleryProblem;
pub use input::InputProblem;
pub use model::ModelProblem;
pub use question::QuestionProblem;
pub use server::ServerProblem;
pub use store::StoreProblem;

use serde::{Deserialize, Serialize};

/// A problem of one of the groups. As JSON it is the problem itself, so that the groups can change without changing
/// what is stored in chats; no two groups have a variant of the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS, thiserror::Error)]
#[serde(untagged)]
pub enum Problem {
    #[error(transparent)]
    Server(#[from] ServerProblem),
    #[error(transparent)]
    Call(#[from] CallProblem),
    #[error(transparent)]
    Model(#[from] ModelProblem),
    #[error(transparent)]
    Store(#[from] StoreProblem),
    #[error(transparent)]
    Input(#[from] InputProblem),
    #[error(transparent)]
    Question(#[from] QuestionProblem),
    #[error(transparent)]
    Gallery(#[from] GalleryProblem),
    #[error(transparent)]
    Bundle(#[from] BundleProblem),
}

impl Problem {
    /// With the name of what it is about, where those who found it did not know: a program's path or an origin.
    #[must_use]
    pub fn naming(mut self, name: &str) -> Self {
        if let Self::Server(problem) = &mut self {
            problem.name(name);
        }
        self
    }
}

#[cfg(test)]
mod tests;
