//! What can go wrong with a language model.

use serde::{Deserialize, Serialize};

use crate::{BudgetScope, Currency};

/// A model could not be reached, or its answer could not be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each message says what its variant and fields are")]
pub enum ModelProblem {
    #[error("{endpoint} could not be reached: {detail}")]
    ModelUnreachable { endpoint: String, detail: String },
    #[error("{endpoint} does not accept the key")]
    ModelUnauthorized { endpoint: String },
    #[error("the key is not sent to {endpoint} over plain http")]
    ModelKeyOverHttp { endpoint: String },
    #[error("{endpoint} has no model {model}")]
    ModelMissing {
        endpoint: String,
        model: String,
        /// The words of the model's server. Left out where it gave none, as it was before they were kept.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[ts(optional, as = "Option<String>")]
        detail: String,
    },
    #[error("rate limited by the model's server")]
    ModelBusy {
        retry_after_s: Option<u32>,
        /// The words of the model's server. Left out where it gave none, as it was before they were kept.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[ts(optional, as = "Option<String>")]
        detail: String,
    },
    #[error("the model's server refused ({status}): {detail}")]
    ModelRefused { status: u16, detail: String },
    #[error("the chat is longer than the model can read: {detail}")]
    ChatTooLong { detail: String },
    #[error("the model's answer ended before it was complete")]
    ModelCut,
    /// `reason` is the word of the model's server, where it gave another one than usual.
    #[error("the model's answer was empty")]
    AnswerEmpty { reason: Option<String> },
    /// A content filter or the model's own refusal ended it.
    #[error("the model's server withheld the answer or the rest of it")]
    AnswerWithheld,
    #[error("the answer reached the longest answer of this chat, {tokens} tokens")]
    LongestAnswer { tokens: u32 },
    /// `settable` where the length can be changed in Vestibule.
    #[error("the model reads only {tokens} tokens")]
    ModelReadsOnly { tokens: u32, settable: bool },
    #[error("the model {model} cannot use tools")]
    ModelTakesNoTools { model: String },
    #[error("the model sent nothing for {seconds} seconds")]
    ModelTimedOut { seconds: u32 },
    #[error("the model's answer took longer than {minutes} minutes")]
    ModelRanTooLong { minutes: u32 },
    #[error("the model's answer was larger than {megabytes} MB")]
    ModelTooLarge { megabytes: u32 },
    #[error("the model's answer could not be understood: {detail}")]
    ModelMalformed { detail: String },
    #[error("the model this chat used was removed")]
    ModelGone,
    /// In millionths of the currency.
    #[error("the budget of the {scope:?} is used up: {spent} of {limit} millionths of {currency}")]
    BudgetUsedUp {
        /// Left out for a month, as it was before there were other budgets.
        #[serde(default, skip_serializing_if = "is_usual")]
        #[ts(optional, as = "Option<BudgetScope>")]
        scope: BudgetScope,
        /// Left out for US dollars.
        #[serde(default, skip_serializing_if = "is_usual")]
        #[ts(optional, as = "Option<Currency>")]
        currency: Currency,
        #[ts(type = "number")]
        spent: u64,
        #[ts(type = "number")]
        limit: u64,
    },
    #[error("the model was stopped after {rounds} rounds of tool calls")]
    TooManyRounds { rounds: u32 },
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
