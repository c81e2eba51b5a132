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

    pub(super) fn without(self, left_out: &LeftOut) -> Self {
        match left_out.is_empty() {
            true => self,
            false => self.with_messages(left_out),
        }
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
