//! Invented weather: the same city always has the same.
//!
//! No clock and no network; the name of the city is all the data there is.

use serde_json::{Value, json};

const SKIES: [&str; 6] = ["sunny", "partly cloudy", "cloudy", "light rain", "rain", "fog"];

/// The forecast for `days` days.
pub(crate) fn forecast(city: &str, days: u64, unit: &str) -> Value {
    let days: Vec<_> = (1..=days).map(|day| one_day(city, day, unit)).collect();
    json!({ "city": city, "unit": unit, "days": days })
}

fn one_day(city: &str, day: u64, unit: &str) -> Value {
    let base = hash(city, 0) % 24;
    let today = hash(city, day);
    let low = i64::try_from(base + today % 6).unwrap_or(0) - 6;
    let high = low + i64::try_from(3 + (today >> 8) % 7).unwrap_or(0);
    let sky = usize::try_from((today >> 16) % 6).map_or("fog", |index| SKIES[index]);
    let shown = |celsius: i64| {
        if unit == "fahrenheit" {
            celsius * 9 / 5 + 32
        } else {
            celsius
        }
    };
    json!({ "day": day, "sky": sky, "low": shown(low), "high": shown(high) })
}

/// FNV-1a, so that the weather is the same on every computer.
fn hash(city: &str, day: u64) -> u64 {
    let bytes = city
        .to_lowercase()
        .into_bytes()
        .into_iter()
        .chain(day.to_le_bytes());
    let mixed = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    mixed ^ (mixed >> 29)
}
