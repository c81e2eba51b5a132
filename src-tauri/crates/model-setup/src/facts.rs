//! What is known of a model, and who says so: the user before its server, its server before the catalogue.

use url::Url;
use vestibule_app_protocol::{FactSource, FactsView, NumberFact, PricesFact, SwitchFact};
use vestibule_models::{KnownFacts, Wire, catalogue_facts, ollama_context};
use vestibule_store::{ConnectionRecord, ModelRecord};

use crate::local::USUAL_CONTEXT;
use crate::wires::wire_of;

/// The facts of a stored model; those of the rehearsal are unknown.
pub(crate) fn facts_of(record: &ModelRecord, connection: Option<&ConnectionRecord>) -> FactsView {
    let reported = record.reported.as_ref().map(KnownFacts::from_json);
    let address = connection.and_then(|connection| Url::parse(&connection.base_url).ok());
    let catalogue = address.map(|address| catalogue_facts(&address, &record.model));
    said_by([
        (FactSource::User, Some(said_by_user(record))),
        (FactSource::Server, reported),
        (FactSource::Catalogue, catalogue),
    ])
}

/// How many tokens a stored model reads in a request; `None` where that is not known. Vestibule makes a model of Ollama, and
/// one that it starts from a file (`is_file`), read less than the model can.
pub(crate) fn context_in_use(
    record: &ModelRecord,
    connection: Option<&ConnectionRecord>,
    is_file: bool,
) -> Option<u32> {
    if connection.map(wire_of) == Some(Wire::Ollama) {
        let reported = record.reported.as_ref().map(KnownFacts::from_json);
        let able = reported.and_then(|facts| facts.context);
        return Some(ollama_context(able, record.context));
    }
    let known = facts_of(record, connection).context.map(|fact| fact.value);
    known.or(is_file.then_some(USUAL_CONTEXT))
}

/// The facts of a model in a listing.
pub fn listed_facts(reported: KnownFacts, address: &Url, model: &str) -> FactsView {
    said_by([
        (FactSource::Server, Some(reported)),
        (FactSource::Catalogue, Some(catalogue_facts(address, model))),
        (FactSource::User, None),
    ])
}

fn said_by_user(record: &ModelRecord) -> KnownFacts {
    KnownFacts {
        context: record.context,
        tools: record.tools,
        images: record.images,
        thinking: record.thinking,
        price_in: record.price_in,
        price_out: record.price_out,
        price_cached: record.price_cached,
        price_cache_write: None,
    }
}

/// Each fact from the first source that says something of it.
fn said_by(sources: [(FactSource, Option<KnownFacts>); 3]) -> FactsView {
    let all: Vec<(FactSource, KnownFacts)> = sources
        .into_iter()
        .filter_map(|(source, facts)| Some((source, facts?)))
        .collect();
    let switch = |pick: fn(&KnownFacts) -> Option<bool>| {
        all.iter().find_map(|(source, facts)| {
            pick(facts).map(|value| SwitchFact {
                value,
                source: *source,
            })
        })
    };
    FactsView {
        context: all.iter().find_map(|(source, facts)| {
            facts.context.map(|value| NumberFact {
                value,
                source: *source,
            })
        }),
        tools: switch(|facts| facts.tools),
        images: switch(|facts| facts.images),
        thinking: switch(|facts| facts.thinking),
        prices: all.iter().find_map(|(source, facts)| {
            facts.has_prices().then_some(PricesFact {
                input: facts.price_in,
                output: facts.price_out,
                cached: facts.price_cached,
                cache_write: facts.price_cache_write,
                source: *source,
            })
        }),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use vestibule_protocol::ConnectionId;

    use super::*;

    fn connection(wire: &str, address: &str) -> ConnectionRecord {
        ConnectionRecord {
            id: ConnectionId::new(),
            label: String::new(),
            wire: wire.to_owned(),
            base_url: address.to_owned(),
            headers: vec![],
            created: Timestamp::UNIX_EPOCH,
            unmerged: false,
        }
    }

    #[test]
    fn what_is_known_to_be_read_is_what_vestibule_makes_a_model_read() {
        let ollama = connection("ollama", "http://localhost:11434/");
        let gateway = connection("open_ai_compatible", "http://localhost:8000/v1");
        let said = |reported: Option<u32>, context: Option<u32>| ModelRecord {
            context,
            reported: reported.map(|tokens| {
                let facts = KnownFacts {
                    context: Some(tokens),
                    ..KnownFacts::default()
                };
                facts.to_json()
            }),
            ..ModelRecord::new(None, "llama", Timestamp::UNIX_EPOCH)
        };
        for (connection, is_file, reported, user, read) in [
            (&ollama, false, Some(131_072), None, Some(16_384)),
            (&ollama, false, Some(8192), None, Some(8192)),
            (&ollama, false, None, None, Some(16_384)),
            (&ollama, false, Some(131_072), Some(65_536), Some(65_536)),
            (&ollama, false, Some(8192), Some(65_536), Some(8192)),
            (&gateway, false, Some(131_072), None, Some(131_072)),
            (&gateway, false, None, None, None),
            (&gateway, true, None, None, Some(16_384)),
            (&gateway, true, Some(8192), Some(32_768), Some(32_768)),
        ] {
            let in_use = context_in_use(&said(reported, user), Some(connection), is_file);
            assert_eq!(
                in_use, read,
                "{} {is_file} {reported:?} {user:?}",
                connection.wire
            );
        }
    }

    #[test]
    fn the_user_is_believed_before_the_server_and_the_server_before_the_catalogue() {
        let connection = connection("anthropic", "https://api.anthropic.com/");
        let reported = KnownFacts {
            context: Some(4096),
            ..KnownFacts::default()
        };
        let record = ModelRecord {
            images: Some(false),
            reported: Some(reported.to_json()),
            ..ModelRecord::new(Some(connection.id), "claude-haiku-4-5", Timestamp::UNIX_EPOCH)
        };
        let facts = facts_of(&record, Some(&connection));
        let context = NumberFact {
            value: 4096,
            source: FactSource::Server,
        };
        assert_eq!(facts.context, Some(context));
        let images = SwitchFact {
            value: false,
            source: FactSource::User,
        };
        assert_eq!(facts.images, Some(images));
        assert_eq!(facts.tools.map(|fact| fact.source), Some(FactSource::Catalogue));
        assert_eq!(facts.prices.map(|fact| fact.source), Some(FactSource::Catalogue));
    }
}
