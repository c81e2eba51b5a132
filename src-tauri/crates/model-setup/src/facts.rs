//! What is known of a model, and who says so: the user before its server, its server before the catalogue.

use url::Url;
use vestibule_app_protocol::{FactSource, FactsView, NumberFact, PricesFact, SwitchFact};
use vestibule_models::{KnownFacts, catalogue_facts};
use vestibule_store::{ConnectionRecord, ModelRecord};

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

    #[test]
    fn the_user_is_believed_before_the_server_and_the_server_before_the_catalogue() {
        let connection = ConnectionRecord {
            id: ConnectionId::new(),
            label: String::new(),
            wire: "anthropic".to_owned(),
            base_url: "https://api.anthropic.com/".to_owned(),
            headers: vec![],
            created: Timestamp::UNIX_EPOCH,
            unmerged: false,
        };
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
