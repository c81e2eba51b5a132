//! The models an endpoint says it has, and what it says of each.
//!
//! Asked only when the user wants the list. The answer is bounded in bytes, pages, names and time, and each entry is
//! read on its own, so that one odd entry costs itself and not the list. An endpoint on this computer or in the user's
//! network is also asked in the ways of the known local servers, at the same address.

mod entry;
mod near;

use std::collections::HashSet;
use std::time::Duration;

use bytes::Bytes;
use rig_core::http_client::{HttpClientExt, Request};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use url::Url;
use vestibule_egress::keeps_secret;

use crate::egress::{ModelEgress, ModelLimits};
use crate::remote::RemoteModel;
use crate::{KnownFacts, ModelError, Wire};

/// The most models that are kept of a listing.
const MOST_MODELS: usize = 1000;
/// The longest name of a model that is kept, in bytes.
const LONGEST_NAME: usize = 200;
/// The most pages that are asked for.
const MOST_PAGES: usize = 10;
/// The most bytes of one page.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// The longest entry that is read, in bytes.
const LONGEST_ENTRY: usize = 64 * 1024;
/// The longest cursor to the next page, in bytes.
const LONGEST_CURSOR: usize = 1024;
/// The version of Azure's interface that lists models.
const AZURE_VERSION: &str = "2024-10-21";
/// The version of Anthropic's interface, which each request names.
const ANTHROPIC_VERSION: &str = "2023-06-01";

const LIMITS: ModelLimits = ModelLimits {
    connect: Duration::from_secs(10),
    first_byte: Duration::from_secs(30),
    idle: Duration::from_secs(15),
    total: Duration::from_secs(60),
    line: MOST_BYTES,
    reply: MOST_BYTES,
    ..ModelLimits::DEFAULT
};

/// A model of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// Its name as it is sent, which may contain any character.
    pub name: String,
    /// What the endpoint says of it.
    pub facts: KnownFacts,
}

/// What an endpoint offers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelListing {
    /// In the order of the endpoint, each name once.
    pub models: Vec<ListedModel>,
    /// Whether there are more than are kept.
    pub cut: bool,
}

/// One page as its vendor writes it.
#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow, default)]
    data: Option<Vec<&'a RawValue>>,
    /// The same in Google's and Ollama's words; llama.cpp gives both.
    #[serde(borrow, default)]
    models: Option<Vec<&'a RawValue>>,
    /// Anthropic's way to the next page.
    #[serde(default)]
    has_more: bool,
    #[serde(default)]
    last_id: Option<String>,
    /// Google's way to the next page.
    #[serde(default, rename = "nextPageToken")]
    next_page_token: Option<String>,
}

impl RemoteModel {
    /// The models this endpoint offers, with what it says of each.
    ///
    /// # Errors
    /// When the endpoint does not answer, or not with a list.
    pub async fn listing(&self) -> Result<ModelListing, ModelError> {
        let egress = self.egress().clone().with_answer_limits(LIMITS);
        egress.check()?;
        let mut listing = ModelListing::default();
        let mut names = HashSet::new();
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let body = get(&egress, &self.listing_address(cursor.as_deref())).await?;
            let page = read_page(&body)?;
            cursor = next_cursor(&page);
            for entry in page.data.unwrap_or_default() {
                if listing.models.len() == MOST_MODELS {
                    listing.cut = true;
                    break;
                }
                listing.models.extend(read_entry(entry, &mut names));
            }
            if cursor.is_none() || listing.cut {
                break;
            }
        }
        listing.cut |= cursor.is_some();
        if self.wire() == Wire::ChatCompletions && is_near(egress.base()) {
            near::complete(&egress, &self.root(), &mut listing.models).await;
        }
        Ok(listing)
    }

    /// What the endpoint says of this model; nothing where it does not answer or does not know it.
    pub async fn reported(&self) -> KnownFacts {
        if self.wire() == Wire::Ollama {
            return crate::remote::ollama_reported(self).await.unwrap_or_default();
        }
        let listing = self.listing().await.unwrap_or_default();
        let own = listing
            .models
            .into_iter()
            .find(|model| model.name == self.model());
        own.map(|model| model.facts).unwrap_or_default()
    }

    /// Whether llama.cpp's server at this address answers and has loaded its model.
    pub async fn is_loaded(&self) -> bool {
        near::is_loaded(self.egress(), &self.root()).await
    }

    fn listing_address(&self, cursor: Option<&str>) -> String {
        let root = self.root();
        let pair = |name: &str| {
            let pair = cursor.map(|cursor| {
                let mut pairs = url::form_urlencoded::Serializer::new(String::from("&"));
                pairs.append_pair(name, cursor).finish()
            });
            pair.unwrap_or_default()
        };
        match self.wire() {
            Wire::Anthropic => format!("{root}/v1/models?limit=1000{}", pair("after_id")),
            Wire::Gemini => format!("{root}/v1beta/models?pageSize=1000{}", pair("pageToken")),
            Wire::Ollama => format!("{root}/api/tags"),
            Wire::Azure if !root.ends_with("/v1") => {
                format!("{root}/openai/models?api-version={AZURE_VERSION}")
            }
            Wire::Azure | Wire::ChatCompletions | Wire::Responses => format!("{root}/models"),
        }
    }
}

/// Whether the address is on this computer or in the user's own network.
fn is_near(base: &Url) -> bool {
    let mut plain = base.clone();
    // Over TLS every address keeps a secret, so that is left out.
    plain.set_scheme("http").is_ok() && keeps_secret(&plain)
}

/// Asks for a document of an endpoint.
async fn get(egress: &ModelEgress, address: &str) -> Result<Bytes, ModelError> {
    let mut request = Request::get(address).header("accept", "application/json");
    if address.contains("/v1/models?limit=") {
        request = request.header("anthropic-version", ANTHROPIC_VERSION);
    }
    let request = request
        .body(Bytes::new())
        .map_err(|error| ModelError::Unsendable {
            detail: error.to_string(),
        })?;
    let answer = async { egress.send::<_, Bytes>(request).await?.into_body().await };
    answer
        .await
        .map_err(|error| crate::remote::carried(egress, &error))
}

fn read_page(body: &[u8]) -> Result<Page<'_>, ModelError> {
    let no_list = |detail: &str| ModelError::Malformed {
        detail: format!("this is no list of models: {detail}"),
    };
    let mut page = match serde_json::from_slice::<Page<'_>>(body) {
        Ok(page) => page,
        // Some give the list without anything around it.
        Err(error) => match serde_json::from_slice(body) {
            Ok(data) => Page {
                data: Some(data),
                models: None,
                has_more: false,
                last_id: None,
                next_page_token: None,
            },
            Err(_) => return Err(no_list(&error.to_string())),
        },
    };
    page.data = page.data.take().or_else(|| page.models.take());
    if page.data.is_none() {
        return Err(no_list("it has neither \"data\" nor \"models\""));
    }
    Ok(page)
}

fn next_cursor(page: &Page<'_>) -> Option<String> {
    let last = page.last_id.clone().filter(|_| page.has_more);
    let cursor = last.or_else(|| page.next_page_token.clone())?;
    (!cursor.is_empty() && cursor.len() <= LONGEST_CURSOR).then_some(cursor)
}

/// The model an entry describes, unless it is there already or is none to chat with.
fn read_entry(entry: &RawValue, names: &mut HashSet<String>) -> Option<ListedModel> {
    if entry.get().len() > LONGEST_ENTRY {
        return None;
    }
    let entry: Value = serde_json::from_str(entry.get()).ok()?;
    let name = entry::name(&entry)?;
    let fits = !name.is_empty() && name.len() <= LONGEST_NAME;
    if !fits || entry::is_no_chat_model(&entry) || !names.insert(name.to_owned()) {
        return None;
    }
    Some(ListedModel {
        name: name.to_owned(),
        facts: entry::facts(&entry),
    })
}
