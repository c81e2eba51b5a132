//! Whether the model read what it was sent. Local servers read a few thousand tokens and drop the rest without a word;
//! the counts they report give it away.

use vestibule_chat_tools::estimate::tokens;
use vestibule_model_setup::ChatModel;
use vestibule_models::{ModelMessage, ModelRequest, ResultPart, Usage};

use super::request_size::fixed_tokens;
use crate::view::{ModelProblem, Problem};

/// A text has at least one token for so many that are estimated. A server that counts fewer did not read it whole. No
/// number of bytes a token would do: tokenizers of today have 10 bytes of Hindi or Russian in one, and a whole row of
/// spaces or dashes.
const MOST_TOO_MANY: u64 = 2;
/// How far from its length a server may end a reply because of it.
const MARGIN: u64 = 16;

/// What is known of how much a model reads.
#[derive(Clone, Copy)]
struct ReadLength {
    /// What its server is set to read, in tokens.
    told: Option<u64>,
    /// What it reads as far as the user or a catalogue knows, in tokens.
    known: Option<u64>,
    local: bool,
}

/// The problem where a reply shows that the model reads less than it was sent. `sent` is the estimated tokens of the
/// request; `cut` where the reply ended because of its length.
pub(super) async fn context_problem(
    model: &ChatModel,
    sent: u64,
    usage: Option<Usage>,
    cut: bool,
) -> Option<Problem> {
    let length = ReadLength {
        told: model.provider.facts().await.context.map(u64::from),
        known: model.context.map(u64::from),
        local: model.local,
    };
    let tokens = length.reads_only(sent, usage?, cut)?;
    Some(Problem::Model(ModelProblem::ModelReadsOnly {
        tokens: u32::try_from(tokens).unwrap_or(u32::MAX),
        settable: model.context_settable,
    }))
}

impl ReadLength {
    fn reads_only(self, sent: u64, usage: Usage, cut: bool) -> Option<u64> {
        let taken = usage.input + usage.output;
        if cut {
            return match self.told {
                Some(told) => (taken + MARGIN >= told).then_some(told),
                // Without a limit of ours, a local server ends a reply early only where its context is full.
                None => self.local.then_some(taken),
            };
        }
        let reads_less = usage.input > 0 && usage.input < sent / MOST_TOO_MANY;
        match self.told.or(self.known) {
            // What a server read from its cache it may leave out of its count, so the length must be passed as well.
            Some(length) => (reads_less && sent > length).then_some(length),
            // A hosted model refuses what it cannot read.
            None => (reads_less && self.local).then_some(usage.input),
        }
    }
}

/// The estimated tokens of the text in a request, images left out, and each row of one sign as one token.
pub(super) fn text_tokens(request: &ModelRequest) -> u64 {
    let part = |part: &ResultPart| match part {
        ResultPart::Text(text) => without_rows(text),
        ResultPart::Image { .. } => 0,
    };
    let messages = request.messages.iter().map(|message| match message {
        ModelMessage::User { text } | ModelMessage::Assistant { text, .. } => without_rows(text),
        ModelMessage::UserParts { parts } | ModelMessage::ToolResult { parts, .. } => {
            parts.iter().map(part).sum()
        }
    });
    fixed_tokens(request) + messages.sum::<u64>()
}

/// The tokens of a text in which each row of one sign, such as the line under the head of a table, counts as one.
fn without_rows(text: &str) -> u64 {
    let signs = text.as_bytes().chunk_by(|one, next| one == next);
    let rows = signs.filter(|row| row.len() > 3 && row[0].is_ascii_punctuation());
    let spared = rows
        .filter_map(|row| std::str::from_utf8(row).ok())
        .map(|row| tokens(row) - 1);
    tokens(text).saturating_sub(spared.sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: ReadLength = ReadLength {
        told: None,
        known: None,
        local: true,
    };
    const HOSTED: ReadLength = ReadLength {
        local: false,
        ..LOCAL
    };

    fn usage(input: u64, output: u64) -> Usage {
        Usage {
            input,
            output,
            ..Usage::default()
        }
    }

    fn told(tokens: u64) -> ReadLength {
        ReadLength {
            told: Some(tokens),
            ..LOCAL
        }
    }

    fn sent(text: &str) -> u64 {
        text_tokens(&ModelRequest {
            messages: vec![ModelMessage::User { text: text.into() }],
            ..ModelRequest::default()
        })
    }

    #[test]
    fn a_reply_that_ends_at_the_length_says_how_much_is_read() {
        let cut = |length: ReadLength, usage| length.reads_only(2_200, usage, true);
        assert_eq!(cut(told(4096), usage(4000, 90)), Some(4096));
        assert_eq!(cut(LOCAL, usage(2000, 48)), Some(2048));
        assert_eq!(cut(told(32_768), usage(2000, 100)), None);
        // A vendor's own limit on replies is no word on what it reads.
        assert_eq!(cut(HOSTED, usage(2000, 8192)), None);
    }

    #[test]
    fn what_was_not_read_shows_in_the_count() {
        let whole = |length: ReadLength, sent, input| length.reads_only(sent, usage(input, 10), false);
        assert_eq!(whole(LOCAL, 20_000, 4096), Some(4096));
        assert_eq!(whole(told(4096), 20_000, 4096), Some(4096));
        assert_eq!(whole(LOCAL, 5_000, 5_000), None);
        // Ollama counts only what was not in its cache.
        assert_eq!(whole(told(16_384), 10_000, 12), None);
        assert_eq!(whole(LOCAL, 20_000, 0), None);
    }

    /// The counts are those of `o200k_base`, about 10 bytes a token.
    #[test]
    fn a_language_with_long_tokens_is_read_whole() {
        let hindi = "कृपया इस रिपोर्ट का सारांश लिखें और बताएँ कि अगले महीने हमें क्या करना चाहिए। ";
        let russian = "Пожалуйста, подготовьте краткое изложение этого отчёта и предложите следующие шаги. ";
        for text in [hindi, russian] {
            let text = text.repeat(200);
            let counted = text.len() as u64 / 11;
            assert_eq!(
                LOCAL.reads_only(sent(&text), usage(counted, 10), false),
                None,
                "{text:.40}"
            );
        }
        // Rows of a table that is filled up with spaces and lines, at 20 bytes a token.
        let row = format!("| name{} | {} |\n", " ".repeat(60), "-".repeat(40));
        let table = row.repeat(100);
        let counted = table.len() as u64 / 20;
        assert_eq!(LOCAL.reads_only(sent(&table), usage(counted, 10), false), None);
    }

    #[test]
    fn a_hosted_model_is_doubted_only_where_its_length_is_known_and_passed() {
        let known = |tokens| ReadLength {
            known: Some(tokens),
            ..HOSTED
        };
        for (length, expected) in [(HOSTED, None), (known(32_768), None), (known(8_192), Some(8_192))] {
            assert_eq!(length.reads_only(20_000, usage(4096, 10), false), expected);
        }
    }
}
