//! The tables behind the judgement of a label: which letters of which script pass for Latin ones, which characters
//! pass for digits, and which are never shown although Unicode recommends them. The rules are those published by
//! Chromium and Mozilla for the same purpose.

use unicode_script::Script;

/// Letters of one script that pass for Latin ones.
pub(super) struct Passing {
    pub(super) script: Script,
    pub(super) letters: &'static str,
    /// Top-level domains where readers expect the script.
    pub(super) at_home: &'static [&'static str],
}

const fn passing(script: Script, letters: &'static str, at_home: &'static [&'static str]) -> Passing {
    Passing {
        script,
        letters,
        at_home,
    }
}

/// A label whose letters of that script all stand here is not shown where the script is not at home.
pub(super) const PASSING: [Passing; 17] = [
    passing(Script::Armenian, "ագզէլհյոսւօՙ", &["am"]),
    passing(
        Script::Cyrillic,
        "аысԁеԍһіюкјӏорԗԛѕтԝхуъьҽпгѵѡ",
        &["bg", "by", "kz", "ru", "su", "ua", "uz"],
    ),
    passing(Script::Ethiopic, "ሀሠሰስበነተከዐዕዘጠፐꬅ", &["er", "et"]),
    passing(Script::Georgian, "იოყძხჽჿ", &["ge"]),
    passing(Script::Greek, "αικνρυωηοτ", &["gr"]),
    passing(Script::Hebrew, "דוחיןסװײ׳ﬦ", &["il"]),
    passing(Script::Bengali, "০৭", &[]),
    passing(Script::Devanagari, "ऽ०ॱ", &[]),
    passing(Script::Gujarati, "ડટ૦૧", &[]),
    passing(Script::Gurmukhi, "੦੧", &[]),
    passing(Script::Kannada, "ಽ೦೧", &[]),
    passing(Script::Malayalam, "ടഠധനറ൦", &[]),
    passing(Script::Oriya, "ଠ୦୮", &[]),
    passing(Script::Tamil, "டப௦", &[]),
    passing(Script::Telugu, "౦౧", &[]),
    passing(Script::Myanmar, "ခဂငထပဝ၀၂ၔၜ႐႑႕႖႗", &["mm"]),
    passing(Script::Thai, "ทนบพรหเแ๐ดลปฟม", &["th"]),
];

/// Characters of any script that pass for digits.
pub(super) const LIKE_DIGITS: &str = "θ२২੨૨೩೭շзҙӡउওਤ੩૩౩ဒვპੜკ੫丩ㄐճ৪੪୫૭୨౨";

/// The zeros of the numbering systems whose digits can stand in a name.
pub(super) const ZEROS: [u32; 20] = [
    0x30, 0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0xF20,
    0x1040, 0x1090, 0x17E0, 0x1810, 0xDE6,
];

/// First and last of the characters that are not shown, although identifiers may have them: letters that hardly any
/// writes, and marks that pass for quotes, hyphens, slashes or clicks.
pub(super) const NEVER_SHOWN: [(char, char); 20] = [
    ('\u{138}', '\u{138}'),
    ('\u{1C0}', '\u{1C3}'),
    ('\u{1CD}', '\u{1DC}'),
    ('\u{2BB}', '\u{2BC}'),
    ('\u{2D0}', '\u{2D0}'),
    ('\u{2EC}', '\u{2EC}'),
    ('\u{337}', '\u{338}'),
    ('\u{58A}', '\u{58A}'),
    ('\u{5F4}', '\u{5F4}'),
    ('\u{6D4}', '\u{6D4}'),
    ('\u{1C80}', '\u{1C8F}'),
    ('\u{1E00}', '\u{1E9B}'),
    ('\u{1F00}', '\u{1FFF}'),
    // The joiners, which leave no mark.
    ('\u{200C}', '\u{200D}'),
    ('\u{2010}', '\u{2010}'),
    ('\u{2019}', '\u{2019}'),
    ('\u{2027}', '\u{2027}'),
    ('\u{30A0}', '\u{30A0}'),
    ('\u{A640}', '\u{A69F}'),
    ('\u{A720}', '\u{A7FF}'),
];

/// Kana and ideographs of one stroke, which pass for a slash between letters of other scripts.
pub(super) const STROKES: &str = "ノンソゾ丶乀乁丿";

/// Ideographs and bopomofo that pass for Latin letters or dashes beside them.
pub(super) const LIKE_LATIN: &str = "一ㄧ丨乛七丅十〇ㄒㄚㄟㄨㄩㄈㆺㆳ工ㆲ讠丁丶亅二亠冖宀巛";

/// Kana that only their neighbours tell apart, and those with marks of their own.
pub(super) const NEEDS_COMPANY: &str = "へべぺヘベペ・ーヽヾ";
