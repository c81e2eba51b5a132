//! The meter of a chat: what its next request takes of what the model reads. Nothing is sent and no model is started for it.

use std::sync::Arc;

use vestibule_model_setup::MeasuredModel;
use vestibule_protocol::ChatId;

use super::Host;
use crate::turn::{Offering, PictureSettings, RequestWeight, keep_newest, messages_of};
use crate::view::{EntryBody, EntryView, MeterView, Problem};

/// A count is believed where it is at least this part of the estimate, and at most so many times it. A server may leave
/// out what it read from its cache, or cut what it was sent. A model with a token for each byte counts four times as much.
const LEAST_PART: u64 = 2;
const MOST_TIMES: u64 = 6;

impl Host {
    /// What the next request of a chat takes. What the model reported of the newest round corrects the estimate.
    ///
    /// # Errors
    /// When the chat or its model is gone, or cannot be read.
    pub async fn chat_meter(&self, chat: ChatId) -> Result<MeterView, Problem> {
        let record = self.chat_record(chat).await?;
        let settings = self.settings();
        let id = record.model.unwrap_or(settings.default_model);
        let model = MeasuredModel::of(&self.0.models, id).await?;
        let entries = self.0.transcript.entries(chat).await?;
        let off = self.switched_off(chat);
        let offering = Offering {
            servers: &self.0.servers,
            off: &off,
            discovery: settings.tool_discovery,
            context: model.context,
            refuses_tools: model.refuses_tools,
            is_script: model.is_script,
        };
        let offer = offering.tools(&entries);
        let system = offering.system(&offer);
        let pictures = PictureSettings::from(&settings);
        let weigh = |entries: &[Arc<EntryView>]| {
            let mut messages = messages_of(entries);
            keep_newest(&mut messages, pictures);
            RequestWeight::of_offer(&system, &offer).with_messages(&messages, pictures.edge)
        };
        let reported = model.label.and_then(|label| newest_count(&entries, &label));
        let reported = reported.map(|(at, tokens)| (weigh(&entries[..at]).total(), tokens));
        let believed = reported.filter(|(estimated, counted)| is_believed(*estimated, *counted));
        let weight = match believed {
            Some((estimated, counted)) => weigh(&entries).corrected(counted, estimated),
            None => weigh(&entries),
        };
        Ok(view(weight, model.context, believed.map(|(_, counted)| counted)))
    }
}

fn view(weight: RequestWeight, context: Option<u32>, reported: Option<u64>) -> MeterView {
    MeterView {
        context,
        total: weight.total(),
        instructions: weight.instructions,
        tools: weight.tools,
        results: weight.results,
        talk: weight.talk,
        pictures: weight.pictures,
        reported,
    }
}

/// The newest reply of a model that has a count of what it read: its place among the entries, and that count.
fn newest_count(entries: &[Arc<EntryView>], label: &str) -> Option<(usize, u64)> {
    let counts = entries.iter().enumerate().rev();
    counts
        .filter_map(|(at, entry)| match &entry.body {
            EntryBody::Assistant {
                model,
                usage: Some(usage),
                ..
            } if model == label && usage.input > 0 && !usage.estimated => Some((at, usage.input)),
            _ => None,
        })
        .next()
}

fn is_believed(estimated: u64, counted: u64) -> bool {
    counted >= estimated / LEAST_PART && counted <= estimated.saturating_mul(MOST_TIMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_leaves_out_the_cache_is_not_believed() {
        assert!(is_believed(1000, 1400));
        assert!(is_believed(1000, 700));
        assert!(!is_believed(10_000, 12));
        assert!(!is_believed(100, 9000));
    }
}
