//! About how many tokens the parts of a request have, before any correction by what the model reports.

use vestibule_chat_tools::{RoundTools, estimate};
use vestibule_models::{ModelMessage, ResultPart, ToolSpec};
use vestibule_pictures::picture_size;

use super::request_size::{call_tokens, tool_tokens};
use crate::view::MeterTools;

/// What each message has around its words, in tokens.
const AROUND_MESSAGE: u64 = 4;
/// One token of a picture stands for so many pixels, as Anthropic counts; other vendors are near it.
const PIXELS: u64 = 750;
/// A picture has at least so many tokens, and so many where its size is not known.
const SMALL_PICTURE: u64 = 85;
const UNKNOWN_PICTURE: u64 = 1_500;

/// The parts of a request, in tokens.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestWeight {
    pub(crate) instructions: u64,
    pub(crate) tools: Vec<MeterTools>,
    pub(crate) results: u64,
    pub(crate) talk: u64,
    pub(crate) pictures: u64,
}

impl RequestWeight {
    /// Weighs what is sent before the chat.
    pub(crate) fn of_offer(system: &str, offer: &RoundTools) -> Self {
        let mut weight = Self {
            instructions: AROUND_MESSAGE + estimate::tokens(system),
            ..Self::default()
        };
        offer.specs.iter().for_each(|spec| weight.add_tool(spec, offer));
        weight
    }

    /// Adds messages of the chat, whose pictures have at most this edge, in pixels.
    pub(crate) fn with_messages(mut self, messages: &[ModelMessage], edge: u32) -> Self {
        for message in messages {
            match message {
                ModelMessage::User { text } => self.talk += AROUND_MESSAGE + estimate::tokens(text),
                ModelMessage::UserParts { parts } => {
                    self.talk += AROUND_MESSAGE + texts(parts);
                    self.pictures += pictures(parts, edge);
                }
                ModelMessage::Assistant { text, calls, .. } => {
                    let calls: u64 = calls.iter().map(call_tokens).sum();
                    self.talk += AROUND_MESSAGE + estimate::tokens(text) + calls;
                }
                ModelMessage::ToolResult { parts, .. } => {
                    self.results += AROUND_MESSAGE + texts(parts);
                    self.pictures += pictures(parts, edge);
                }
            }
        }
        self
    }

    pub(crate) fn total(&self) -> u64 {
        let tools: u64 = self.tools.iter().map(|server| server.tokens).sum();
        self.instructions + tools + self.results + self.talk + self.pictures
    }

    /// Each part times what the model counted, divided by what was estimated.
    pub(crate) fn corrected(mut self, counted: u64, estimated: u64) -> Self {
        let correct = |tokens: &mut u64| *tokens = tokens.saturating_mul(counted) / estimated.max(1);
        let parts = [
            &mut self.instructions,
            &mut self.results,
            &mut self.talk,
            &mut self.pictures,
        ];
        parts.into_iter().for_each(correct);
        self.tools
            .iter_mut()
            .for_each(|server| correct(&mut server.tokens));
        self
    }

    fn add_tool(&mut self, spec: &ToolSpec, offer: &RoundTools) {
        let tokens = tool_tokens(spec);
        let from = offer.find(&spec.name).map(|tool| &tool.server);
        let server = from.map(|server| server.id());
        if let Some(known) = self.tools.iter_mut().find(|known| known.server == server) {
            known.count += 1;
            known.tokens += tokens;
            return;
        }
        self.tools.push(MeterTools {
            server,
            server_name: from.map(|server| server.name()).unwrap_or_default(),
            count: 1,
            tokens,
        });
    }
}

fn texts(parts: &[ResultPart]) -> u64 {
    let tokens = parts.iter().map(|part| match part {
        ResultPart::Text(text) => estimate::tokens(text),
        ResultPart::Image { .. } => 0,
    });
    tokens.sum()
}

fn pictures(parts: &[ResultPart], edge: u32) -> u64 {
    let tokens = parts.iter().map(|part| match part {
        ResultPart::Text(_) => 0,
        ResultPart::Image { mime, base64 } => {
            picture_size(mime, base64).map_or(UNKNOWN_PICTURE, |size| picture(size, edge))
        }
    });
    tokens.sum()
}

/// The tokens of one picture once its longest edge is short enough.
fn picture((width, height): (u32, u32), edge: u32) -> u64 {
    let (long, short) = (u64::from(width.max(height)), u64::from(width.min(height)));
    let edge = u64::from(edge).min(long);
    (edge * (short * edge / long.max(1)) / PIXELS).max(SMALL_PICTURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_counts_as_large_as_it_is_sent() {
        assert_eq!(picture((1500, 750), 1568), 1500);
        assert_eq!(picture((3000, 1500), 1500), 1500);
        assert_eq!(picture((1500, 3000), 1500), 1500);
        assert_eq!(picture((10, 10), 1568), SMALL_PICTURE);
        assert_eq!(picture((0, 0), 1568), SMALL_PICTURE);
        assert_eq!(picture((u32::MAX, u32::MAX), 1500), 3000);
    }

    #[test]
    fn each_part_is_counted_once_and_corrected_alike() {
        let result = ModelMessage::ToolResult {
            call: "c".into(),
            name: "read".into(),
            parts: vec![
                ResultPart::Text("six words of five letters each".into()),
                ResultPart::Image {
                    mime: "image/png".into(),
                    base64: String::new(),
                },
            ],
            failed: false,
        };
        let user = ModelMessage::User {
            text: "hello there".into(),
        };
        let weight = RequestWeight::default().with_messages(&[user, result], 1568);
        let parts = |weight: &RequestWeight| (weight.talk, weight.results, weight.pictures, weight.total());
        assert_eq!(parts(&weight), (6, 10, 1500, 1516));
        assert_eq!(parts(&weight.corrected(3, 2)), (9, 15, 2250, 2274));
    }
}
