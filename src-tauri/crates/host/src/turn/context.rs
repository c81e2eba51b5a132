//! Whether the model read what it was sent. Local servers read a few thousand tokens and drop the rest without a word;
//! the counts they report give it away.

use vestibule_model_setup::ChatModel;
use vestibule_models::{ModelFacts, ModelMessage, ModelRequest, ResultPart, Usage};
use vestibule_protocol::json_length;

use crate::view::{ModelProblem, Problem};

/// More bytes than this never make one token, whatever the language and the tokenizer.
const MOST_BYTES_A_TOKEN: u64 = 8;
/// How far from its length a server may end a reply because of it.
const MARGIN: u64 = 16;

/// The problem where a reply shows that the model reads less than it was sent. `cut` where the reply ended because
/// of its length.
pub(super) async fn context_problem(
    model: &ChatModel,
    sent: u64,
    usage: Option<Usage>,
    cut: bool,
) -> Option<Problem> {
    let facts = model.provider.facts().await;
    let tokens = reads_only(&facts, sent, usage?, cut, model.local)?;
    Some(Problem::Model(ModelProblem::ModelReadsOnly {
        tokens: u32::try_from(tokens).unwrap_or(u32::MAX),
        settable: model.context_settable,
    }))
}

fn reads_only(facts: &ModelFacts, sent: u64, usage: Usage, cut: bool, local: bool) -> Option<u64> {
    let taken = usage.input + usage.output;
    match facts.context.map(u64::from) {
        Some(context) if cut && taken + MARGIN >= context => Some(context),
        // Without a limit of ours, a local server ends a reply early only where its context is full.
        None if cut && local => Some(taken),
        _ if cut => None,
        // What a server read from its cache it may leave out of its count, so the length must be passed as well.
        Some(context) => (is_less(usage, sent) && sent / MOST_BYTES_A_TOKEN > context).then_some(context),
        None => is_less(usage, sent).then_some(usage.input),
    }
}

fn is_less(usage: Usage, sent: u64) -> bool {
    usage.input > 0 && usage.input < sent / MOST_BYTES_A_TOKEN
}

/// The bytes of text in a request, images left out.
pub(super) fn text_size(request: &ModelRequest) -> u64 {
    let parts = |parts: &[ResultPart]| -> usize {
        let text = parts.iter().map(|part| match part {
            ResultPart::Text(text) => text.len(),
            ResultPart::Image { .. } => 0,
        });
        text.sum()
    };
    let messages = request.messages.iter().map(|message| match message {
        ModelMessage::User { text } | ModelMessage::Assistant { text, .. } => text.len(),
        ModelMessage::UserParts { parts: said } | ModelMessage::ToolResult { parts: said, .. } => parts(said),
    });
    let tools = request
        .tools
        .iter()
        .map(|tool| tool.description.len() + json_length(&tool.input_schema));
    let system = request.system.as_ref().map_or(0, String::len);
    (system + messages.sum::<usize>() + tools.sum::<usize>()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64) -> Usage {
        Usage {
            input,
            output,
            ..Usage::default()
        }
    }

    fn reads(tokens: u32) -> ModelFacts {
        ModelFacts {
            context: Some(tokens),
            images: false,
        }
    }

    #[test]
    fn a_reply_that_ends_at_the_length_says_how_much_is_read() {
        assert_eq!(
            reads_only(&reads(4096), 9_000, usage(4000, 90), true, true),
            Some(4096)
        );
        let unknown = ModelFacts::default();
        assert_eq!(
            reads_only(&unknown, 9_000, usage(2000, 48), true, true),
            Some(2048)
        );
        // A vendor's own limit on replies is no word on what it reads.
        assert_eq!(reads_only(&unknown, 9_000, usage(2000, 8192), true, false), None);
        assert_eq!(
            reads_only(&reads(32_768), 9_000, usage(2000, 100), true, true),
            None
        );
    }

    #[test]
    fn what_was_not_read_shows_in_the_count() {
        let unknown = ModelFacts::default();
        assert_eq!(
            reads_only(&unknown, 80_000, usage(4096, 10), false, true),
            Some(4096)
        );
        assert_eq!(
            reads_only(&reads(4096), 80_000, usage(4096, 10), false, true),
            Some(4096)
        );
        assert_eq!(reads_only(&unknown, 20_000, usage(5000, 10), false, true), None);
        // Ollama counts only what was not in its cache.
        assert_eq!(
            reads_only(&reads(16_384), 40_000, usage(12, 10), false, true),
            None
        );
        assert_eq!(reads_only(&unknown, 80_000, usage(0, 10), false, true), None);
    }
}
