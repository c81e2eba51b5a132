//! From a sampling request to the card that shows it, and from the answer to the model. The card's numbers are those of the
//! moment it appears; they are looked at again before the model is asked.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use url::Url;
use vestibule_consent::{
    BudgetLeft, Effect, EffectEnd, Permit, PromptEdit, ResultFacts, RunSample, SampleModel, SamplePrompt,
    SampleReply, SampleTool, Validate,
};
use vestibule_models::ModelProvider;
use vestibule_protocol::{ModelId, ServerId};
use vestibule_store::{ConnectionRecord, ModelRecord, Spent, Store};

use super::MOST_ROUNDS;
use super::budget::{self, Prices, SetAside};
use super::charge::Charge;
use super::listen::{StreamedReply, TokensTaken, count, failed, listen};
use super::not_sampled::NotSampled;
use super::pick::{Candidate, pick};
use super::read::{self, SamplingRequest};
use super::tool_names::SamplingToolNames;
use super::wire::{self, Manner};
use vestibule_app_protocol::{ModelProblem, Problem};

/// What sampling uses: budgets and models.
#[derive(Clone)]
pub struct SamplingContext {
    pub store: Store,
    pub models: Arc<dyn UserModels>,
}

/// The models the user set up.
#[async_trait]
pub trait UserModels: Send + Sync {
    /// The model the user chose for whatever names no other.
    ///
    /// # Errors
    /// When it cannot be read.
    async fn default_model(&self) -> Result<ModelId, Problem>;

    /// The model behind an id.
    ///
    /// # Errors
    /// When there is none, or it cannot be reached as it was set up.
    async fn provider(&self, id: ModelId) -> Result<Arc<dyn ModelProvider>, Problem>;

    /// The prices that hold, of any source; models without one are left out.
    ///
    /// # Errors
    /// When they cannot be read.
    async fn prices(&self) -> Result<HashMap<ModelId, Prices>, Problem>;

    /// Refuses where the model may cost something and a budget of the user that stops models is used up.
    ///
    /// # Errors
    /// The refusal, or when it cannot be looked up; the model is then not asked.
    async fn check_budget(&self, id: ModelId) -> Result<(), Problem>;

    /// Notes what a reply of a model cost, in millionths of the currency of its prices.
    async fn spent(&self, id: ModelId, cost: u64);
}

/// Where each model was when the card was made; `None` for the script.
pub(crate) struct ModelAddresses(HashMap<ModelId, Option<String>>);

impl ModelAddresses {
    fn of(candidates: &[Candidate]) -> Self {
        let address = |candidate: &Candidate| (candidate.shown.id, candidate.address.clone());
        Self(candidates.iter().map(address).collect())
    }

    /// Whether a model is where the card said.
    fn still_at(&self, candidate: &Candidate) -> bool {
        self.0.get(&candidate.shown.id) == Some(&candidate.address)
    }
}

/// What the card shows for a sampling request, what judges the changes on it, and where the models are that it offers.
///
/// # Errors
/// When the request cannot be run, before the user is asked.
pub(crate) async fn prompt(
    asking: &SamplingContext,
    server: ServerId,
    wanted: SamplingRequest,
) -> Result<(SamplePrompt, Validate, ModelAddresses), NotSampled> {
    let round = read::rounds(&wanted.messages);
    if round >= MOST_ROUNDS {
        return Err(NotSampled::Rounds);
    }
    let candidates = candidates(asking).await?;
    let usual = asking.models.default_model().await?;
    let (picked, reason) = pick(&candidates, usual, &wanted.hints, wanted.priorities)
        .ok_or(Problem::Model(ModelProblem::ModelGone))?;
    let left = budget::left(&asking.store, server, Timestamp::now()).await?;
    let input_tokens = budget::estimate(wanted.system.as_deref(), &wanted.messages, &wanted.tools);
    let ceiling = budget::ceiling(
        &left,
        prices(&candidates, picked),
        input_tokens,
        wanted.max_tokens,
    );
    if ceiling == 0 {
        return Err(NotSampled::Budget);
    }
    let addresses = ModelAddresses::of(&candidates);
    let validate = within_budget(candidates.clone(), left, wanted.tools.clone(), ceiling);
    let prompt = SamplePrompt {
        system: wanted.system,
        messages: wanted.messages,
        tools: wanted.tools,
        tool_use: wanted.tool_use,
        models: candidates.into_iter().map(|candidate| candidate.shown).collect(),
        picked,
        reason,
        hints: wanted.hints,
        max_tokens: ceiling,
        asked_tokens: wanted.max_tokens,
        input_tokens,
        budget: left,
        round,
        most_rounds: MOST_ROUNDS,
        context_asked: wanted.context,
        temperature: wanted.temperature,
        stop: wanted.stop,
    };
    Ok((prompt, validate, addresses))
}

/// Judges what the user changed: it is a conversation, for one of their models, and the reply can be paid.
fn within_budget(
    candidates: Vec<Candidate>,
    left: BudgetLeft,
    tools: Vec<SampleTool>,
    ceiling: u32,
) -> Validate {
    Validate::now(move |arguments| {
        let edit: PromptEdit = read_edit(arguments)?;
        read::check(&edit.messages)?;
        let is_picked = |candidate: &Candidate| candidate.shown.id == edit.model;
        if !candidates.iter().any(is_picked) {
            return Err("this model is not one of yours".into());
        }
        let input = budget::estimate(edit.system.as_deref(), &edit.messages, &tools);
        let most = budget::ceiling(&left, prices(&candidates, edit.model), input, ceiling);
        if edit.max_tokens == 0 || edit.max_tokens > most {
            return Err(format!("the reply may have from 1 to {most} tokens"));
        }
        Ok(())
    })
}

/// What the user changed on a card.
pub(crate) fn read_edit<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments.clone())).map_err(|error| error.to_string())
}

/// Asks the model the permit is for, at the address that the card showed. What it may use is set aside before, and
/// corrected after.
///
/// # Errors
/// When the budget no longer reaches, or the model was moved or failed.
pub(crate) async fn run(
    asking: &SamplingContext,
    permit: Permit<RunSample>,
    addresses: &ModelAddresses,
    tools: &[SampleTool],
    manner: &Manner,
) -> Result<SampleReply, NotSampled> {
    let RunSample { server, prompt } = permit.effect();
    let (server, prompt) = (*server, prompt.clone());
    let before = candidates(asking).await?;
    let prices = prices(&before, prompt.model);
    let input = budget::estimate(prompt.system.as_deref(), &prompt.messages, tools);
    let (model, aside) = set_aside(asking, server, &prompt, prices, input).await?;
    // Read after the model was made ready, so that it is the address that `model` has.
    let candidates = candidates(asking).await?;
    let candidate = candidates.iter().find(|known| known.shown.id == prompt.model);
    if !candidate.is_some_and(|candidate| addresses.still_at(candidate)) {
        aside.used(&asking.store, Spent::default()).await;
        return Err(NotSampled::Moved);
    }
    let mut charge = Charge::begin(asking.models.clone(), prompt.model, prices, input);
    let said = match ask(&*model, permit.begin(), tools, manner, &mut charge).await {
        Ok(said) => said,
        Err(problem) => {
            charge.count(None).await;
            return Err(problem.into());
        }
    };
    let usage = said.usage_or(input);
    charge.count(Some(&usage)).await;
    let used = spent(prices, usage.read, usage.written);
    aside.used(&asking.store, used).await;
    let name = candidate.map_or_else(|| model.label().to_owned(), Candidate::told);
    Ok(sample_reply(said, &usage, name, model.scripted(), prices))
}

/// Sets aside what the prompt may use at most. Returns the model to ask, too.
async fn set_aside(
    asking: &SamplingContext,
    server: ServerId,
    prompt: &PromptEdit,
    prices: Prices,
    input: u32,
) -> Result<(Arc<dyn ModelProvider>, SetAside), NotSampled> {
    let now = Timestamp::now();
    let left = budget::left(&asking.store, server, now).await?;
    if budget::ceiling(&left, prices, input, prompt.max_tokens) < prompt.max_tokens {
        return Err(NotSampled::Budget);
    }
    asking.models.check_budget(prompt.model).await?;
    let model = asking.models.provider(prompt.model).await?;
    let most = spent(prices, input, prompt.max_tokens);
    let aside = budget::set_aside(&asking.store, server, now, most).await?;
    Ok((model, aside))
}

/// Asks the model, and records how that ended.
async fn ask(
    model: &dyn ModelProvider,
    effect: Effect<RunSample>,
    tools: &[SampleTool],
    manner: &Manner,
    charge: &mut Charge,
) -> Result<StreamedReply, Problem> {
    let request = wire::request(&effect.what().prompt, tools, manner);
    let said = async {
        let stream = model.stream(request).await;
        let stream = stream.map_err(|error| failed(error, charge))?;
        listen(stream, &SamplingToolNames::from_tools(tools), charge).await
    };
    let said = said.await;
    match &said {
        Ok(said) => {
            let raw = serde_json::json!({ "blocks": said.blocks });
            effect
                .finish_with(EffectEnd::Answered, ResultFacts::of(&raw))
                .await;
        }
        Err(_) => effect.finish(EffectEnd::Failed).await,
    }
    said
}

fn sample_reply(
    said: StreamedReply,
    usage: &TokensTaken,
    model: String,
    scripted: bool,
    prices: Prices,
) -> SampleReply {
    SampleReply {
        model,
        scripted,
        blocks: said.blocks,
        stop_reason: said.stop_reason,
        input_tokens: usage.read,
        output_tokens: usage.written,
        estimated: usage.estimated,
        cost: prices.cost(usage.read, usage.written).map(count),
        currency: prices.currency,
    }
}

async fn candidates(asking: &SamplingContext) -> Result<Vec<Candidate>, Problem> {
    let connections = asking.store.connections().await?;
    let prices = asking.models.prices().await?;
    let models = asking.store.models().await?.into_iter();
    let candidates = models.map(|record| {
        let own = |connection: &&ConnectionRecord| Some(connection.id) == record.connection;
        let prices = prices.get(&record.id).copied().unwrap_or_default();
        Candidate::new(connections.iter().find(own), prices, record)
    });
    Ok(candidates.collect())
}

impl Candidate {
    /// `connection` is `None` for the rehearsal.
    fn new(connection: Option<&ConnectionRecord>, prices: Prices, record: ModelRecord) -> Self {
        let scripted = record.connection.is_none();
        let url = connection.and_then(|connection| Url::parse(&connection.base_url).ok());
        let host = url.as_ref().and_then(|url| url.host_str().map(str::to_owned));
        let here = host.as_deref().is_none_or(|host| {
            let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
            host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
        });
        Self {
            shown: SampleModel {
                id: record.id,
                label: record.label,
                at: host,
                price_in: prices.read,
                price_out: prices.written,
                currency: prices.currency,
            },
            name: record.model,
            address: connection.map(|connection| connection.base_url.clone()),
            here,
            scripted,
        }
    }

    /// The name of the model for the server.
    fn told(&self) -> String {
        if self.scripted {
            "rehearsal (scripted, not a model)".into()
        } else {
            self.name.clone()
        }
    }
}

fn prices(candidates: &[Candidate], model: ModelId) -> Prices {
    let found = candidates.iter().find(|candidate| candidate.shown.id == model);
    found.map_or_else(Prices::default, |candidate| Prices {
        read: candidate.shown.price_in,
        written: candidate.shown.price_out,
        currency: candidate.shown.currency,
    })
}

fn spent(prices: Prices, read: u32, written: u32) -> Spent {
    Spent {
        tokens: u64::from(read) + u64::from(written),
        cost: prices.cost(read, written).unwrap_or(0),
        currency: prices.currency,
    }
}
