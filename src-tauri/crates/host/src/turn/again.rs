//! A call that the user denied or skipped and wants to be asked about once more. It has the arguments of the first one,
//! and everything about it is decided again.

use vestibule_models::{CallArguments, ModelCall};

use super::{AskedCall, own_call_id};
use crate::view::CallBody;
use vestibule_chat_tools::{RoundTools, ToolRef};

/// The same call once more, by the name its tool has now.
pub(super) fn call_again(call: &CallBody, offer: &RoundTools) -> AskedCall {
    let target = call.server.map(|server| ToolRef {
        server,
        tool: call.tool.clone(),
    });
    let name = target.and_then(|target| offer.names.name_of(&target));
    let again = ModelCall {
        id: own_call_id("again"),
        // A tool that is not on offer any more fails under the name it had.
        name: name.unwrap_or(&call.called_as).to_owned(),
        arguments: CallArguments::Parsed(call.arguments.clone()),
    };
    AskedCall {
        call: again,
        as_text: call.as_text,
    }
}
