//! The estimate against counts of real tokenizers. The texts are excerpts of this project and texts written for the test.

use super::tokens;

/// A text, and the tokens that `o200k_base` of npm `gpt-tokenizer` 4.0.0, npm `llama3-tokenizer-js` 1.2.0 (without its
/// first and last marks) and llama.cpp with the model of `tests/peers/models` count in it. That model has a token for each
/// byte, so only the corrected estimate can be near it.
const SAMPLES: [(&str, &str, [u64; 3]); 12] = [
    (
        "chinese_1",
        include_str!("samples/chinese_1.txt"),
        [364, 382, 1324],
    ),
    (
        "chinese_2",
        include_str!("samples/chinese_2.txt"),
        [462, 470, 1808],
    ),
    (
        "chinese_3",
        include_str!("samples/chinese_3.txt"),
        [215, 224, 794],
    ),
    ("code_1", include_str!("samples/code_1.txt"), [606, 603, 2245]),
    ("code_2", include_str!("samples/code_2.txt"), [588, 585, 2278]),
    ("code_3", include_str!("samples/code_3.txt"), [378, 375, 1393]),
    (
        "english_1",
        include_str!("samples/english_1.txt"),
        [561, 564, 2313],
    ),
    (
        "english_2",
        include_str!("samples/english_2.txt"),
        [405, 402, 1523],
    ),
    (
        "english_3",
        include_str!("samples/english_3.txt"),
        [199, 201, 869],
    ),
    ("json_1", include_str!("samples/json_1.txt"), [252, 245, 1105]),
    ("json_2", include_str!("samples/json_2.txt"), [287, 288, 796]),
    ("json_3", include_str!("samples/json_3.txt"), [272, 265, 738]),
];

fn percent_off(estimate: u64, counted: u64) -> u64 {
    estimate.abs_diff(counted) * 100 / counted
}

#[test]
fn one_estimate_is_near_the_count_of_tokenizers_in_each_kind_of_text() {
    for (name, text, counts) in SAMPLES {
        for counted in &counts[..2] {
            let estimate = tokens(text);
            assert!(
                percent_off(estimate, *counted) <= 15,
                "{name}: {estimate} for {counted}"
            );
        }
    }
}

/// A request has all that was said before. What the second reply reported corrects the estimate of the third.
#[test]
fn after_two_rounds_the_corrected_estimate_of_a_request_is_within_a_tenth() {
    for rounds in SAMPLES.chunks(3) {
        for tokenizer in 0..3 {
            let estimated = |rounds: &[(&str, &str, [u64; 3])]| {
                rounds.iter().map(|(_, text, _)| tokens(text)).sum::<u64>()
            };
            let counted = |rounds: &[(&str, &str, [u64; 3])]| {
                rounds.iter().map(|(_, _, counts)| counts[tokenizer]).sum::<u64>()
            };
            let corrected = estimated(rounds) * counted(&rounds[..2]) / estimated(&rounds[..2]);
            let off = percent_off(corrected, counted(rounds));
            assert!(off <= 10, "{}: {off} % off", rounds[0].0);
        }
    }
}

#[test]
fn no_text_is_no_token_and_any_text_is_one_at_least() {
    assert_eq!(tokens(""), 0);
    for short in [" ", "\n", "a", "{", "\u{0}", "é", "我"] {
        assert_eq!(tokens(short), 1, "{short:?}");
    }
}

/// Base64 has many short runs, as tokenizers see it too: their count is more than half of its characters.
#[test]
fn random_characters_are_not_counted_as_words() {
    let random = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=";
    assert!(tokens(random) * 3 > random.len() as u64);
}
