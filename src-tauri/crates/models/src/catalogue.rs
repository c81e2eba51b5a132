//! What the wire library's catalogue knows of models, by the vendor's own host and the model's name.
//!
//! A gateway with a name of its own may serve anything under any name, so only hosts that are known to be the vendor's
//! are looked up. The catalogue is as old as this program: prices may have changed since.

use rig_core::catalog::{Catalog, ModelSpec};
use rig_core::providers::registry::ProviderId;
use url::Url;

use crate::KnownFacts;
use crate::facts::price;

/// The vendors' hosts, and what the catalogue calls each vendor.
const HOSTS: [(&str, &str); 26] = [
    ("api.openai.com", "openai"),
    ("api.anthropic.com", "anthropic"),
    ("generativelanguage.googleapis.com", "gcp.gemini"),
    ("openrouter.ai", "openrouter"),
    ("api.deepseek.com", "deepseek"),
    ("api.groq.com", "groq"),
    ("api.mistral.ai", "mistral"),
    ("api.together.xyz", "together"),
    ("api.together.ai", "together"),
    ("api.x.ai", "xai"),
    ("api.moonshot.ai", "moonshot"),
    ("api.moonshot.cn", "moonshot"),
    ("api.minimax.io", "minimax"),
    ("api.minimaxi.com", "minimax"),
    ("api.z.ai", "zai"),
    ("open.bigmodel.cn", "zai"),
    ("api.perplexity.ai", "perplexity"),
    ("api.cohere.com", "cohere"),
    ("api.cohere.ai", "cohere"),
    ("router.huggingface.co", "huggingface"),
    ("api.hyperbolic.xyz", "hyperbolic"),
    ("api.venice.ai", "venice"),
    ("api.doubleword.ai", "doubleword"),
    ("api.xiaomimimo.com", "xiaomimimo"),
    ("api.voyageai.com", "voyageai"),
    ("ollama.com", "ollama"),
];

/// What the catalogue says of the model that the vendor at this address calls `model`.
#[must_use]
pub fn catalogue_facts(base: &Url, model: &str) -> KnownFacts {
    let spec = vendor(base)
        .and_then(ProviderId::catalog)
        .and_then(|provider| Catalog::builtin().find(provider, model));
    spec.map(facts).unwrap_or_default()
}

/// Reads the catalogue into memory. What needs it first waits for that, which is the first request to any model otherwise.
pub fn load_catalogue() {
    Catalog::builtin();
}

fn vendor(base: &Url) -> Option<&'static str> {
    let host = base.host_str()?;
    if base.scheme() != "https" {
        return None;
    }
    let known = HOSTS.iter().find(|(known, _)| *known == host);
    let azure = host.ends_with(".openai.azure.com").then_some("azure.openai");
    known.map(|(_, vendor)| *vendor).or(azure)
}

fn facts(spec: &ModelSpec) -> KnownFacts {
    let priced = |dollars: Option<f64>| dollars.and_then(price);
    KnownFacts {
        context: spec.context_window.filter(|length| *length > 0),
        tools: Some(spec.tools),
        images: Some(spec.input.image),
        thinking: Some(spec.reasoning.supported),
        price_in: priced(spec.pricing.map(|prices| prices.input)),
        price_out: priced(spec.pricing.map(|prices| prices.output)),
        price_cached: priced(spec.pricing.and_then(|prices| prices.cache_read)),
        price_cache_write: priced(spec.pricing.and_then(|prices| prices.cache_write)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str, model: &str) -> KnownFacts {
        catalogue_facts(&Url::parse(address).unwrap(), model)
    }

    #[test]
    fn a_vendors_model_is_known_at_the_vendors_own_address_alone() {
        let known = at("https://api.anthropic.com", "claude-haiku-4-5");
        assert!(known.context.is_some() && known.has_prices(), "{known:?}");
        assert_eq!((known.tools, known.images), (Some(true), Some(true)));
        assert!(known.price_cache_write > known.price_in, "{known:?}");
        for elsewhere in [
            "https://gateway.example/v1",
            "http://api.anthropic.com",
            "https://api.anthropic.com.example",
        ] {
            assert_eq!(
                at(elsewhere, "claude-haiku-4-5"),
                KnownFacts::default(),
                "{elsewhere}"
            );
        }
        assert_eq!(
            at("https://api.openai.com/v1", "no-such-model"),
            KnownFacts::default()
        );
    }

    #[test]
    fn every_vendor_is_one_the_catalogue_has() {
        for (host, vendor) in HOSTS {
            assert!(ProviderId::catalog(vendor).is_some(), "{host}");
        }
    }
}
