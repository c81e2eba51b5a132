//! What one round of a turn sends, and the entries and tools it was made of.

use std::collections::HashMap;
use std::sync::Arc;

use vestibule_chat_tools::RoundTools;
use vestibule_models::{ModelMessage, ModelRequest, NativeReply};
use vestibule_protocol::EntryId;
use vestibule_store::StoreError;

use super::Turn;
use super::left_out::LeftOut;
use super::pictures::{PictureSettings, keep_newest};
use super::read_part::ReadPart;
use super::request_size::{fixed_tokens, request_tokens};
use crate::host::chat_settings::asked;
use crate::view::EntryView;

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

    /// What has to be left out so that the request has at most `most` tokens; nothing where it has.
    pub(super) fn left_out(&self, most: u64, step: u64) -> LeftOut {
        match self.tokens().saturating_sub(most) {
            0 => LeftOut::default(),
            over => LeftOut::oldest(ReadPart::of(&self.entries).entries, over, step),
        }
    }

    /// The same round with so much left out that the request has at most `most` tokens, as far as that is possible.
    pub(super) fn fitting(self, most: u64, step: u64) -> Self {
        let mut over = self.tokens().saturating_sub(most);
        let mut left_out = self.left_out(most, step);
        if left_out.is_empty() {
            return self;
        }
        let mut round = self.with_messages(&left_out);
        // An entry may save less than it takes: a picture in it may not be sent anyway.
        for _ in 0..round.entries.len() {
            let still = round.tokens().saturating_sub(most);
            if still == 0 {
                break;
            }
            over += still.max(step);
            let more = LeftOut::oldest(ReadPart::of(&round.entries).entries, over, step);
            if more.len() > left_out.len() {
                left_out = more;
                round = round.with_messages(&left_out);
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
        assert!(whole.fitting(most, 500).tokens() <= most);
    }
}
