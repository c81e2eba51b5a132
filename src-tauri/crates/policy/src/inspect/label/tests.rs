//! Labels, rule by rule: what is shown, and the nearest thing to it that is not.

use super::*;

#[track_caller]
fn check(top: &str, shown: &[&str], refused: &[&str]) {
    let top_unicode = idna::domain_to_unicode(top).0;
    for (labels, expected) in [(shown, true), (refused, false)] {
        for label in labels {
            let codes: Vec<String> = label
                .chars()
                .map(|letter| format!("{:X}", u32::from(letter)))
                .collect();
            assert_eq!(
                is_safe(label, (top, &top_unicode)),
                expected,
                "{label} {codes:?} .{top}"
            );
        }
    }
}

/// EU-008.
#[test]
fn scripts_are_mixed_only_where_people_mix_them() {
    check(
        "com",
        &[
            "bücher",
            "日本",
            "日本abc",
            "ハンドabc",
            "한국han",
            "中国123",
            "москва1",
            "東京タワー",
            "ひらカタ漢",
        ],
        &[
            "bücher中",
            "abcмир",
            "αбв",
            "abcα",
            "עבabc",
            "한국ひら",
            "ไทยabc",
            "ﬁx",
            "հabc",
        ],
    );
}

/// EU-008.
#[test]
fn letters_that_pass_for_latin_ones_are_shown_at_home_only() {
    for (passing, home, honest) in [
        ("ոսս", "am", "ճասս"),
        ("скот", "ru", "скотина"),
        ("ሀሠ", "et", "ሀሁ"),
        ("იოყ", "ge", "იოშ"),
        ("ικα", "gr", "ικαλ"),
        ("דוח", "il", "דוחה"),
        ("ขค", "th", "ขค"),
    ] {
        if passing != honest {
            check("com", &[honest], &[passing]);
        }
        check(home, &[passing, honest], &[]);
    }
    check(
        "com",
        &[],
        &[
            "০৭",
            "ऽ०",
            "ડટ",
            "੦੧",
            "ಽ೦",
            "ടഠ",
            "ଠ୦",
            "டப",
            "౦౧",
            "ခဂ",
            "ทน",
            "курс",
            "скот1-2",
        ],
    );
    check("xn--p1ai", &["скот"], &["ικα"]);
    check("xn--qxam", &["ικα"], &["скот"]);
}

/// EU-008.
#[test]
fn digits_come_from_one_system_and_are_no_other_letters() {
    check(
        "com",
        &["१२", "क१२", "٣٤م", "中2", "3д"],
        &["१2", "१২", "٣۴", "क१2", "२", "16კ", "१२٣", "4丩", "ვპ"],
    );
    check("ge", &["კა"], &["კ", "16კ"]);
}

/// EU-008.
#[test]
fn marks_stand_once_and_where_they_belong() {
    check(
        "com",
        &["ë\u{331}", "e\u{331}x", "д\u{301}а"],
        &[
            "é\u{301}",
            "e\u{301}\u{301}",
            "中\u{301}",
            "\u{301}a",
            "ı\u{301}",
            "ı\u{307}",
            "i\u{307}",
            "j\u{307}",
            "l\u{307}",
            "が\u{3099}",
            "か\u{309a}",
        ],
    );
    check(
        "com",
        &["n\u{307}", "ıx"],
        &["a\u{338}", "a\u{337}", "ca\u{330}\u{330}"],
    );
}

/// EU-008.
#[test]
fn what_one_country_writes_is_shown_there() {
    check("is", &["þing", "það", "þ"], &["ətest"]);
    check("fo", &["það"], &[]);
    check("az", &["ətest"], &["þing"]);
    check(
        "cat",
        &["l·l", "col·legi"],
        &["l·", "·l", "l·a", "a·l", "l··l", "·"],
    );
    check("com", &[], &["l·l", "þ", "ð", "ə"]);
}

/// EU-008.
#[test]
fn kana_and_ideographs_do_not_pass_for_signs() {
    check(
        "com",
        &[
            "アノ",
            "aアノ",
            "ノート",
            "ト・ト",
            "ひ・漢",
            "カー",
            "かー",
            "カヽ",
            "カヾ",
            "一二",
            "1一",
            "ab中一",
            "一1",
            "中一",
            "へいわ",
            "ヘリ",
            "丶中",
            "aノア",
            "アノa",
        ],
        &[
            "aノb",
            "aソb",
            "1ゾa",
            "aンb",
            "a丶b",
            "a乀b",
            "a乁b",
            "a丿b",
            "ー",
            "aー",
            "中ー",
            "ヽ",
            "aヽ",
            "かヽ",
            "漢ヾ",
            "a・",
            "・a",
            "ト・a",
            "ト・",
            "a・ト",
            "a一",
            "一a",
            "工a",
            "aㄚ",
            "カへカ",
            "ひヘら",
            "丶a",
        ],
    );
    check("com", &["へへ", "ヘヘ"], &["カべ", "ぺカ", "ひベ", "ペら"]);
}

/// EU-008.
#[test]
fn some_characters_are_never_shown() {
    check(
        "com",
        &["a-b"],
        &[
            "ĸ",
            "aǀb",
            "ǎ",
            "ǜ",
            "aʻb",
            "aʼb",
            "ː",
            "aˬ",
            "\u{1c80}",
            "ḁ",
            "ẛ",
            "ἀ",
            "ꙁ",
            "ꜣ",
            "a\u{200c}b",
            "ك\u{200d}م",
            "a‐b",
            "a’b",
            "a‧b",
            "ア゠ア",
            "ա֊ա",
            "א״א",
            "♥",
            "ᴀ",
            "xn--é",
        ],
    );
}
