//! One turn of a chat: the model speaks, asks for tools, reads what came of them, and speaks again until it is
//! done, stopped or out of rounds. Each call goes through the gate; the turn only carries words back and forth
//! and keeps the transcript true.

mod again;
mod built_in;
mod call;
mod compaction;
mod context;
mod data_flow;
mod failure;
mod history;
mod left_out;
mod long_results;
mod native;
mod offer;
mod order;
mod pictures;
mod prepared;
mod read_part;
mod request_size;
mod retry;
mod round;
mod speak;
mod stops;
mod summary;
mod system_prompt;
mod title;
mod usage;
mod weight;

use std::sync::Arc;
use std::time::Instant;

use futures::future::join_all;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use vestibule_chat_tools::RoundTools;
use vestibule_consent::Gate;
use vestibule_folders::Folders;
use vestibule_model_setup::{ChatModel, Models};
use vestibule_models::{ModelCall, ModelRequest};
use vestibule_protocol::{ChatId, EntryId, WorkspaceId};
use vestibule_servers::Servers;
use vestibule_store::{Store, StoreError};

use crate::host::chat_servers::SwitchedOff;
use crate::tasks::Tasks;
use crate::transcript::Transcript;
use crate::view::{
    BudgetScope, CallBody, ChatSettings, EntryBody, EntryView, LargeResults, ModelProblem, Problem,
    ToolDiscovery,
};
use built_in::BuiltInTools;
use compaction::Compactor;
use failure::TurnFailure;
pub(crate) use long_results::{ResultChoices, with_stored_choice};
use native::NativeReplies;
pub(crate) use offer::Offering;
use order::CallOrder;
use pictures::read_stored;
pub(crate) use pictures::{PictureScaler, PictureSettings, keep_newest};
pub(crate) use prepared::PreparedMessages;
pub(crate) use read_part::messages_of;
pub(crate) use retry::ShowRetry;
use round::Round;
pub(crate) use stops::CallStops;
pub(crate) use title::{FirstExchange, title_from};
pub(crate) use weight::RequestWeight;

/// What a turn needs.
pub(crate) struct Turn {
    pub(crate) chat: ChatId,
    pub(crate) chat_title: String,
    pub(crate) workspace: WorkspaceId,
    pub(crate) models: Models,
    pub(crate) model: ChatModel,
    pub(crate) store: Store,
    pub(crate) servers: Servers,
    pub(crate) folders: Folders,
    pub(crate) gate: Arc<Gate>,
    pub(crate) transcript: Transcript,
    pub(crate) tasks: Tasks,
    pub(crate) stops: CallStops,
    /// The servers and tools that are not offered in this chat.
    pub(crate) off: SwitchedOff,
    /// How the model gets to know its tools, as the user wants it.
    pub(crate) discovery: ToolDiscovery,
    /// What is done with results that are too long to be given whole without asking.
    pub(crate) large_results: LargeResults,
    pub(crate) result_choices: ResultChoices,
    /// The messages of the chat in which the user writes.
    pub(crate) prepared: PreparedMessages,
    /// How much of what the model reads the chat may fill before its older part is summarized, in percent; `None`
    /// where the user does not want that.
    pub(crate) compact_at: Option<u8>,
    pub(crate) most_rounds: u32,
    pub(crate) pictures: PictureScaler,
    pub(crate) picture_settings: PictureSettings,
    /// What the chat asks of its model.
    pub(crate) settings: ChatSettings,
    pub(crate) show_retry: ShowRetry,
    /// The budgets that do not stop it, because the user agreed to go on once.
    pub(crate) over_budget: Vec<BudgetScope>,
}

/// A call the model asked for.
struct AskedCall {
    call: ModelCall,
    /// Whether it was written as text instead of made.
    as_text: bool,
}

impl Turn {
    /// Runs to its end. Whatever goes wrong stands in the transcript. `again` is a call that the user wants to be asked
    /// about once more; it is decided and sent before the model speaks. Returns whether nothing went wrong.
    pub(crate) async fn run(&self, again: Option<CallBody>, stop: CancellationToken) -> bool {
        let Err(failure) = self.rounds(again, &stop).await else {
            return true;
        };
        if let Err(error) = self.transcript.add(self.chat, failure.into()).await {
            tracing::error!(%error, "failed to persist a turn failure");
        }
        false
    }

    async fn rounds(&self, again: Option<CallBody>, stop: &CancellationToken) -> Result<(), TurnFailure> {
        if let Some(call) = again {
            let (entries, offer) = self.next_round().await?;
            let asked = again::call_again(&call, &offer);
            self.run_calls(vec![asked], &offer, &entries, stop).await?;
            if stop.is_cancelled() {
                return Ok(());
            }
        }
        for _ in 0..self.most_rounds {
            let Some(spoken) = self.speak(stop).await? else {
                return Ok(());
            };
            if spoken.calls.is_empty() {
                return Ok(());
            }
            self.run_calls(spoken.calls, &spoken.offer, &spoken.entries, stop)
                .await?;
            if stop.is_cancelled() {
                return Ok(());
            }
        }
        let rounds = self.most_rounds;
        let problem = Problem::Model(ModelProblem::TooManyRounds { rounds });
        Err(TurnFailure::retryable(problem))
    }

    /// The next round of the chat as it is now, ready to be sent. `None` where it was stopped.
    async fn prepare_round(&self, stop: &CancellationToken) -> Result<Option<Round>, TurnFailure> {
        self.check_budgets().await.map_err(TurnFailure::retryable)?;
        let began = Instant::now();
        let compactor = Compactor { turn: self, stop };
        let Some(mut round) = compactor.fitting_round().await? else {
            return Ok(None);
        };
        if !self.fit_pictures(&mut round.request, stop).await {
            return Ok(None);
        }
        tracing::debug!(elapsed = ?began.elapsed(), messages = round.request.messages.len(), "prepared a round");
        Ok(Some(round))
    }

    /// Refuses a request that costs something where a budget is used up.
    async fn check_budgets(&self) -> Result<(), Problem> {
        if self.model.free {
            return Ok(());
        }
        self.models
            .check_budgets(Some(self.chat), &self.over_budget)
            .await
    }

    /// Runs the calls of one round at the same time, to the end of all.
    async fn run_calls(
        &self,
        calls: Vec<AskedCall>,
        offer: &RoundTools,
        earlier: &[Arc<EntryView>],
        stop: &CancellationToken,
    ) -> Result<(), TurnFailure> {
        let placed = self.place(calls, offer, earlier).await?;
        let orders = CallOrder::chain(placed.len(), &self.store);
        let runs = placed.into_iter().zip(orders).map(|((asked, entry), order)| {
            let span = offer.span(&asked.call);
            self.call(asked, entry, offer, earlier, order, stop)
                .instrument(span)
        });
        join_all(runs)
            .await
            .into_iter()
            .collect::<Result<Vec<()>, Problem>>()
            .map_err(TurnFailure::lasting)?;
        Ok(())
    }

    /// Puts calls into the transcript, in the model's order, before the first one is decided. Those of our own tools are
    /// whole then; the others are returned with their entries.
    async fn place(
        &self,
        calls: Vec<AskedCall>,
        offer: &RoundTools,
        earlier: &[Arc<EntryView>],
    ) -> Result<Vec<(AskedCall, EntryView)>, StoreError> {
        let built_in = BuiltInTools {
            servers: &self.servers,
            store: &self.store,
            off: &self.off,
        };
        let (mut bodies, mut undecided) = (vec![], vec![]);
        for asked in calls {
            if let Some(call) = built_in.call(&asked, offer, earlier).await {
                bodies.push(EntryBody::BuiltInCall(call));
                undecided.push(None);
                continue;
            }
            bodies.push(Self::undecided(&asked, offer));
            undecided.push(Some(asked));
        }
        let entries = self.transcript.add_all(self.chat, bodies).await?;
        let placed = std::iter::zip(undecided, entries);
        Ok(placed
            .filter_map(|(asked, entry)| Some((asked?, entry)))
            .collect())
    }

    fn native_replies(&self) -> NativeReplies<'_> {
        NativeReplies {
            store: &self.store,
            chat: self.chat,
            origin: self.model.origin.as_ref(),
        }
    }

    /// The chat as it is now, and the tools of the next round.
    async fn next_round(&self) -> Result<(Vec<Arc<EntryView>>, RoundTools), StoreError> {
        let entries = self.transcript.entries(self.chat).await?;
        let offer = self.offer(&entries).await?;
        Ok((entries, offer))
    }

    fn offering(&self) -> Offering<'_> {
        Offering {
            servers: &self.servers,
            off: &self.off,
            discovery: self.discovery,
            context: self.model.context,
            refuses_tools: self.model.refuses_tools,
            is_script: self.model.provider.scripted(),
        }
    }

    async fn offer(&self, earlier: &[Arc<EntryView>]) -> Result<RoundTools, StoreError> {
        let offer = self.offering().tools(earlier);
        if let Some(left_out) = offer.new_left_out(earlier) {
            self.transcript.add(self.chat, left_out).await?;
        }
        Ok(offer)
    }

    /// Reads the pictures of a request and makes them small enough. Returns `false` where the turn was stopped.
    async fn fit_pictures(&self, request: &mut ModelRequest, stop: &CancellationToken) -> bool {
        if self.model.provider.scripted() {
            return true;
        }
        let messages = &mut request.messages;
        let fitted = async {
            read_stored(&self.store, messages).await;
            self.pictures.fit(messages, self.picture_settings).await;
        };
        stop.run_until_cancelled(fitted).await.is_some()
    }
}

/// A fresh id of a call that does not have one of a model. Azure takes ids of at most 40 characters.
fn own_call_id(kind: &str) -> String {
    format!("{kind}-{}", EntryId::new().to_string().replace('-', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vendor_takes_the_ids_that_are_made_here() {
        for kind in ["again", "text"] {
            let id = own_call_id(kind);
            assert!(id.len() <= 40 && id != own_call_id(kind), "{id}");
        }
    }
}
