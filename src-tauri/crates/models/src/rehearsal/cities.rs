//! Finds the city in a question about the weather.
//!
//! A few fixed patterns, enough for a rehearsal; when none fits, it is Oslo.

use super::lines::ReplyLanguage;

/// Words before the city that are not part of it.
const LEADING: [&str; 12] = [
    "请",
    "问",
    "一下",
    "查询",
    "查",
    "看看",
    "看",
    "告诉我",
    "今天",
    "明天",
    "现在",
    "那里",
];

/// The city the user asked about.
pub(super) fn city(asked: &str, language: ReplyLanguage) -> String {
    let found = match language {
        ReplyLanguage::English => after_preposition(asked),
        ReplyLanguage::Chinese => before_weather(asked),
    };
    found.unwrap_or_else(|| language.city())
}

/// `weather in New York tomorrow` → `New York`.
fn after_preposition(asked: &str) -> Option<String> {
    let mut words = asked.split_whitespace();
    words.find(|word| ["in", "for", "at"].contains(&word.to_lowercase().as_str()))?;
    let clean = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let capital = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
    let mut city = Vec::new();
    for word in words {
        if !city.is_empty() && !capital(word) {
            break;
        }
        city.push(clean(word));
        let first_is_lower = city.len() == 1 && !capital(word);
        if first_is_lower || word.ends_with(|c: char| !c.is_alphanumeric()) {
            break;
        }
    }
    let city = city.join(" ");
    let vague = ["the", "a", "my", "me", "next", "today", "tomorrow", "this", ""].contains(&city.as_str());
    (!vague)
        .then(|| capitalised(&city))
        .map(|city| city.chars().take(60).collect())
}

fn capitalised(city: &str) -> String {
    let mut letters = city.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn before_weather(asked: &str) -> Option<String> {
    let at = ["天气", "预报"]
        .iter()
        .filter_map(|word| asked.find(word))
        .min()?;
    let mut city = asked[..at].trim().trim_end_matches('的');
    loop {
        let shorter = LEADING.iter().fold(city, |city, word| {
            city.trim_start_matches(word).trim_end_matches(word)
        });
        if shorter == city {
            break;
        }
        city = shorter;
    }
    let city = city.trim_matches(|c: char| !c.is_alphanumeric());
    (!city.is_empty() && city.chars().count() <= 12).then(|| city.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cities_are_found_in_both_languages() {
        let cases = [
            ("weather in Oslo", "Oslo"),
            ("What is the weather in New York, please?", "New York"),
            ("forecast for bergen tomorrow", "Bergen"),
            ("how is the weather for the weekend", "Oslo"),
            ("weather", "Oslo"),
            ("北京的天气怎么样", "北京"),
            ("请问明天上海天气", "上海"),
            ("天气", "奥斯陆"),
        ];
        for (asked, expected) in cases {
            assert_eq!(city(asked, ReplyLanguage::detect(asked)), expected, "{asked}");
        }
    }
}
