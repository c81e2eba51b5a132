//! The reply of a model to a sampling request, as it comes over the stream, and what it took.

use futures::StreamExt;
use vestibule_app_protocol::{CallProblem, ModelProblem, Problem};
use vestibule_consent::SampleBlock;
use vestibule_models::{CallArguments, FinishReason, ModelCall, ModelError, ModelEvent, ModelStream};

use super::budget;
use super::charge::Charge;
use super::tool_names::SamplingToolNames;
use super::wire;
use crate::model_problem::model_problem;

/// The longest reply, in bytes.
const MOST_SAID: usize = 1024 * 1024;

/// What came over a stream.
pub(super) struct StreamedReply {
    pub(super) blocks: Vec<SampleBlock>,
    pub(super) stop_reason: String,
    usage: Option<(u64, u64)>,
}

/// How many tokens a reply took.
pub(super) struct TokensTaken {
    pub(super) read: u32,
    pub(super) written: u32,
    /// Whether the model did not say.
    pub(super) estimated: bool,
}

impl StreamedReply {
    fn new(text: String, uses: Vec<SampleBlock>, usage: Option<(u64, u64)>, reason: &FinishReason) -> Self {
        let stop_reason = wire::stop_reason(reason, !uses.is_empty());
        // A reply has at least one block, also where the model had nothing to say.
        let words = (!text.is_empty() || uses.is_empty()).then_some(SampleBlock::Text { text });
        Self {
            blocks: words.into_iter().chain(uses).collect(),
            stop_reason,
            usage,
        }
    }

    /// What the model says it took, or what it took by our own count of what was sent and received.
    pub(super) fn usage_or(&self, input: u32) -> TokensTaken {
        let (read, written) = match self.usage {
            Some((read, written)) => (count(read), count(written)),
            None => (input, count(self.blocks.iter().map(size).sum())),
        };
        TokensTaken {
            read,
            written,
            estimated: self.usage.is_none(),
        }
    }
}

pub(super) async fn listen(
    mut stream: ModelStream,
    names: &SamplingToolNames,
    charge: &mut Charge,
) -> Result<StreamedReply, Problem> {
    let (mut text, mut uses, mut usage) = (String::new(), vec![], None);
    while let Some(event) = stream.next().await {
        let event = event.map_err(|error| failed(error, charge))?;
        charge.take(&event);
        match event {
            ModelEvent::Text(more) => append(&mut text, &more)?,
            ModelEvent::Call(call) => uses.push(tool_use(call, names)?),
            ModelEvent::Usage(taken) => usage = Some((taken.input, taken.output)),
            ModelEvent::Finished(reason) => return Ok(StreamedReply::new(text, uses, usage, &reason)),
            ModelEvent::Reasoning(_) | ModelEvent::Native(_) => {}
        }
    }
    Err(Problem::Model(ModelProblem::ModelCut))
}

/// The problem of an error that ended a request.
pub(super) fn failed(error: ModelError, charge: &mut Charge) -> Problem {
    charge.fail(&error);
    model_problem(error)
}

/// Appends what the model said. Returns an error where the reply becomes too long.
fn append(text: &mut String, more: &str) -> Result<(), Problem> {
    text.push_str(more);
    if text.len() > MOST_SAID {
        return Err(Problem::Model(ModelProblem::ModelTooLarge { megabytes: 1 }));
    }
    Ok(())
}

/// A call of the model under the server's name for the tool.
fn tool_use(call: ModelCall, names: &SamplingToolNames) -> Result<SampleBlock, Problem> {
    let input = match call.arguments {
        CallArguments::Parsed(input) => input,
        CallArguments::Invalid { reason, .. } => {
            return Err(Problem::Call(CallProblem::ArgumentsUnreadable { detail: reason }));
        }
    };
    let own = names.server_name_of(&call.name).cloned();
    let name = own.ok_or(Problem::Call(CallProblem::NoSuchTool { name: call.name }))?;
    let id = call.id;
    Ok(SampleBlock::ToolUse { id, name, input })
}

fn size(block: &SampleBlock) -> u64 {
    match block {
        SampleBlock::Text { text } => budget::words(text),
        other => budget::words(&serde_json::to_string(other).unwrap_or_default()),
    }
}

/// A number of tokens as the protocol of the UI has it.
pub(super) fn count(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
