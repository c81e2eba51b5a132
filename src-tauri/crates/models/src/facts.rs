//! What the server of a model or our catalogue says of it: context length, prices, and whether it uses tools, sees images
//! and thinks. Both are claims, so numbers outside of what can be true are dropped. What the user says stands above both;
//! `model-setup` joins the three.

use serde_json::{Value, json};

/// The longest context length that is believed, in tokens.
const MOST_CONTEXT: u64 = 100_000_000;

/// What a source says of a model; `None` where it says nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KnownFacts {
    /// How many tokens it reads and writes in one request.
    pub context: Option<u32>,
    /// Whether it calls tools.
    pub tools: Option<bool>,
    /// Whether it sees images.
    pub images: Option<bool>,
    /// Whether it thinks before it answers.
    pub thinking: Option<bool>,
    /// What a million tokens read cost, in millionths of a dollar.
    pub price_in: Option<u32>,
    /// What a million tokens written cost, in the same unit.
    pub price_out: Option<u32>,
    /// What a million tokens read from the vendor's cache cost, in the same unit.
    pub price_cached: Option<u32>,
    /// What a million tokens written to the vendor's cache cost, in the same unit.
    pub price_cache_write: Option<u32>,
}

impl KnownFacts {
    /// As JSON, to be stored.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let all = json!({
            "context": self.context,
            "tools": self.tools,
            "images": self.images,
            "thinking": self.thinking,
            "price_in": self.price_in,
            "price_out": self.price_out,
            "price_cached": self.price_cached,
            "price_cache_write": self.price_cache_write,
        });
        let Value::Object(mut all) = all else { return all };
        all.retain(|_, value| !value.is_null());
        Value::Object(all)
    }

    /// What was stored; what is missing or unreadable in it is unknown.
    #[must_use]
    pub fn from_json(stored: &Value) -> Self {
        let number = |name: &str| stored.get(name)?.as_u64()?.try_into().ok();
        let known = |name: &str| stored.get(name)?.as_bool();
        Self {
            context: stored.get("context").and_then(context_length),
            tools: known("tools"),
            images: known("images"),
            thinking: known("thinking"),
            price_in: number("price_in"),
            price_out: number("price_out"),
            price_cached: number("price_cached"),
            price_cache_write: number("price_cache_write"),
        }
    }

    /// These facts, and `other` where they say nothing. Prices are taken together or not at all, because half of one
    /// list and half of another is no price.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let prices = if self.has_prices() { self } else { other };
        Self {
            context: self.context.or(other.context),
            tools: self.tools.or(other.tools),
            images: self.images.or(other.images),
            thinking: self.thinking.or(other.thinking),
            price_in: prices.price_in,
            price_out: prices.price_out,
            price_cached: prices.price_cached,
            price_cache_write: prices.price_cache_write,
        }
    }

    /// Whether any price is known.
    #[must_use]
    pub fn has_prices(&self) -> bool {
        let read = self.price_in.or(self.price_cached).or(self.price_cache_write);
        read.or(self.price_out).is_some()
    }
}

/// A context length that can be true.
pub(crate) fn context_length(value: &Value) -> Option<u32> {
    let length = value.as_u64()?;
    let believed = (1..=MOST_CONTEXT).contains(&length);
    believed.then(|| u32::try_from(length).ok()).flatten()
}

/// Dollars for a million tokens in millionths of a dollar; `None` where no price can be like that.
pub(crate) fn price(dollars: f64) -> Option<u32> {
    let millionths = (dollars * 1_000_000.0).round();
    let is_price = millionths.is_finite() && (0.0..=f64::from(u32::MAX)).contains(&millionths);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range was checked"
    )]
    is_price.then_some(millionths as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_stored_and_read_back() {
        let facts = KnownFacts {
            context: Some(131_072),
            tools: Some(true),
            images: Some(false),
            price_in: Some(3_000_000),
            price_cache_write: Some(3_750_000),
            ..KnownFacts::default()
        };
        assert_eq!(KnownFacts::from_json(&facts.to_json()), facts);
        assert_eq!(KnownFacts::from_json(&Value::Null), KnownFacts::default());
    }

    #[test]
    fn absurd_numbers_are_not_believed() {
        for length in [json!(0), json!(-1), json!(u64::MAX), json!("8192"), json!(1e300)] {
            assert_eq!(context_length(&length), None, "{length}");
        }
        for dollars in [-1.0, f64::NAN, f64::INFINITY, 5_000.0] {
            assert_eq!(price(dollars), None, "{dollars}");
        }
        assert_eq!(price(0.15), Some(150_000));
    }

    #[test]
    fn half_a_price_is_not_completed_from_another_source() {
        let one = KnownFacts {
            price_in: Some(1),
            ..KnownFacts::default()
        };
        let other = KnownFacts {
            price_in: Some(5),
            price_out: Some(9),
            context: Some(10),
            ..KnownFacts::default()
        };
        let both = one.or(other);
        assert_eq!(
            (both.price_in, both.price_out, both.context),
            (Some(1), None, Some(10))
        );
    }
}
