//! A call that the user denied or skipped and wants to be asked about once more. It has the arguments of the first one,
//! and everything about it is decided again.

use tokio_util::sync::CancellationToken;
use vestibule_models::{CallArguments, ModelCall};
use vestibule_protocol::EntryId;

use super::tool_names::ToolRef;
use super::{AskedCall, Turn, storage_problem};
use crate::view::{CallBody, Problem};

impl Turn {
    pub(super) async fn call_again(
        &self,
        call: &CallBody,
        stop: &CancellationToken,
    ) -> Result<(), (Problem, bool)> {
        let entries = self
            .transcript
            .entries(self.chat)
            .await
            .map_err(storage_problem)?
            .entries;
        let offer = self.offer(&entries).await.map_err(storage_problem)?;
        let target = call.server.map(|server| ToolRef {
            server,
            tool: call.tool.clone(),
        });
        let name = target.and_then(|target| offer.names.name_of(&target));
        let again = ModelCall {
            id: format!("again-{}", EntryId::new()),
            // A tool that is not on offer any more fails under the name it had.
            name: name.unwrap_or(&call.called_as).to_owned(),
            arguments: CallArguments::Parsed(call.arguments.clone()),
        };
        let asked = AskedCall {
            call: again,
            as_text: call.as_text,
        };
        self.run_calls(vec![asked], &offer, &entries, stop).await
    }
}
