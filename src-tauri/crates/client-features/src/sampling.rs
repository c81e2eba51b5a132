//! Sampling: a server asks for the help of one of the user's models. What it wants said is read and checked, a
//! model is picked, the budget is looked at, the user reads and changes it, the model answers, the user reads
//! that, and only then does the server hear it. Nothing of any chat is ever added.

pub(crate) mod budget;
mod charge;
mod listen;
mod not_sampled;
mod pick;
mod read;
pub(crate) mod request;
mod run;
mod tool_names;
mod wire;

use not_sampled::NotSampled;
use read::{SamplingRequest, read};
use run::{ModelAddresses, prompt, read_edit, run};
pub use run::{SamplingContext, UserModels};
use wire::{Manner, check_reply, reply};

/// How often a model may ask for a server's tools in one conversation.
pub(crate) const MOST_ROUNDS: u32 = 10;
