//! What one round of a turn sends, and the entries and tools it was made of.

use std::collections::HashMap;
use std::sync::Arc;

use vestibule_chat_tools::RoundTools;
use vestibule_models::{ModelMessage, ModelRequest, NativeReply};
use vestibule_protocol::EntryId;
use vestibule_store::StoreError;

use super::Turn;
use super::left_out::LeftOut;
use super::pictures::{PictureSettings, keep_newest, pictures_in};
use super::read_part::{ReadPart, entry_pictures};
use super::request_size::{fixed_tokens, request_tokens};
use crate::host::chat_settings::asked;
use crate::view::EntryView;

/// How often a request is measured again after something was left out of it.
const MEASURED: usize = 3;

/// A request to the model of a chat.
pub(super) struct Round {
    /// The branch that the chat shows.
    pub(super) entries: Vec<Arc<EntryView>>,
    pub(super) offer: RoundTools,
    pub(super) request: ModelRequest,
    natives: HashMap<EntryId, NativeReply>,
    /// How many pictures are sent again; `None` where all are.
    pictures: Option<PictureSettings>,
}

impl Round {
    /// The next round of the chat as it is now.
    pub(super) async fn next(turn: &Turn) -> Result<Self, StoreError> {
        let (entries, offer) = turn.next_round().await?;
        let natives = turn.native_replies().read().await?;
        let request = ModelRequest {
            system: Some(turn.offering().system(&offer)),
            tools: offer.specs.clone(),
            ..ModelRequest::default()
        };
        let pictures = (!turn.model.provider.scripted()).then_some(turn.picture_settings);
        let round = Self {
            request: asked(request, turn.settings),
            entries,
            offer,
            natives,
            pictures,
        };
        let origin = turn.model.origin.as_ref();
        let prepared = turn
            .prepared
            .take(turn.chat, origin, &round.entries, &round.natives);
        Ok(match prepared {
            Some(messages) => round.sending(messages),
            None => round.with_messages(&LeftOut::default()),
        })
    }

    /// The tokens of the request, as estimated.
    pub(super) fn tokens(&self) -> u64 {
        request_tokens(&self.request)
    }

    /// The tokens of all but the messages.
    pub(super) fn fixed_tokens(&self) -> u64 {
        fixed_tokens(&self.request)
    }

    /// How many tokens the request has beyond `most`.
    pub(super) fn over(&self, most: u64) -> u64 {
        self.tokens().saturating_sub(most)
    }

    /// What has to be left out so that the request gets `over` tokens shorter; nothing for 0.
    pub(super) fn left_out(&self, over: u64, step: u64) -> LeftOut {
        self.oldest(over, step, self.skipped_pictures())
    }

    fn oldest(&self, over: u64, step: u64, skipped: usize) -> LeftOut {
        match over {
            0 => LeftOut::default(),
            over => LeftOut::oldest(ReadPart::of(&self.entries).entries, over, step, skipped),
        }
    }

    /// How many pictures of the entries the request does not have; they are the oldest ones.
    fn skipped_pictures(&self) -> usize {
        let entries = ReadPart::of(&self.entries).entries;
        let all: usize = entries.iter().map(entry_pictures).sum();
        all.saturating_sub(pictures_in(&self.request.messages))
    }

    /// The same round with so much left out that the request has at most `most` tokens, as far as that is possible.
    pub(super) fn fitting(self, most: u64, step: u64) -> Self {
        let mut over = self.over(most);
        if over == 0 {
            return self;
        }
        let skipped = self.skipped_pictures();
        let mut round = self;
        // Where less is left of a chat, the request may have pictures that it skipped before.
        for _ in 0..MEASURED {
            let left_out = round.oldest(over, step, skipped);
            if left_out.is_empty() {
                break;
            }
            round = round.with_messages(&left_out);
            match round.over(most) {
                0 => break,
                still => over += still,
            }
        }
        round
    }

    fn with_messages(self, left_out: &LeftOut) -> Self {
        let messages = ReadPart::of(&self.entries).messages(&self.natives, left_out);
        self.sending(messages)
    }

    fn sending(mut self, mut messages: Vec<ModelMessage>) -> Self {
        if let Some(settings) = self.pictures {
            keep_newest(&mut messages, settings);
        }
        self.request.messages = messages;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_part::tests::{answered, said, user};
    use super::*;
    use crate::view::{CallState, ContentView, EntryBody};

    /// A result with a picture and about 300 tokens of text.
    fn with_picture(id: &str) -> Arc<EntryView> {
        let mut entry = Arc::unwrap_or_clone(answered(id, &"A word and another. ".repeat(60)));
        if let EntryBody::Call(call) = &mut entry.body
            && let CallState::Answered { result, .. } = &mut call.state
        {
            result.content.push(ContentView::Image {
                mime: "image/png".into(),
                base64: "AAAA".into(),
            });
        }
        Arc::new(entry)
    }

    #[test]
    fn a_request_with_many_pictures_is_made_to_fit_by_what_it_sends() {
        let mut entries = vec![user("Look.")];
        for round in 0..20 {
            entries.push(said("Next."));
            entries.push(with_picture(&format!("c{round}")));
        }
        let round = Round {
            entries,
            offer: RoundTools::default(),
            request: ModelRequest::default(),
            natives: HashMap::new(),
            pictures: Some(PictureSettings { edge: 100, sent: 4 }),
        };
        let whole = round.with_messages(&LeftOut::default());
        let most = whole.tokens() / 2;
        let sent = whole.fitting(most, 500).tokens();
        assert!(sent <= most, "{sent} of {most}");
        assert!(
            sent > most / 2,
            "{sent} of {most}: more was left out than had to be"
        );
    }
}
