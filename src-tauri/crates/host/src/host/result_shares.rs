//! How much of a long result the model of a chat is given, as the user chooses it.

use vestibule_chat_tools::for_model;
use vestibule_protocol::EntryId;

use super::Host;
use crate::view::{CallBody, CallState, EntryBody, InputProblem, Problem, ResultShare};

impl Host {
    /// Sets how much of a long result the model is given. The turn that waits for it goes on.
    ///
    /// # Errors
    /// When no such choice is open, or it could not be kept.
    pub async fn result_share(&self, entry: EntryId, share: ResultShare) -> Result<(), Problem> {
        // A choice is made once: after it the model may have read the result.
        let _one_at_a_time = self.0.choosing_results.lock().await;
        let mut entry = self.entry(entry).await?;
        let EntryBody::Call(CallBody {
            state: CallState::Answered { result, .. },
            ..
        }) = &mut entry.body
        else {
            return Err(Problem::Input(InputProblem::Gone));
        };
        if !for_model::choose(result, share) {
            return Err(Problem::Input(InputProblem::Gone));
        }
        self.0.transcript.put(&mut entry).await?;
        self.0.result_choices.made();
        Ok(())
    }
}
