//! Which fields ask for what no form may ask for. The words are looked for in a server's own texts, written in
//! several languages, whatever letters it borrows to hide them. It can be fooled, so the block is a help and not
//! a wall; the user lifts it where a field with such a word is harmless.

use vestibule_policy::inspect::plain_letters;
use vestibule_protocol::is_invisible;

use super::FieldKind;

/// Words that always mean a secret, as parts of any text.
const ANYWHERE: [&str; 48] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "apikey",
    "secretkey",
    "privatekey",
    "accesskey",
    "clientsecret",
    "accesstoken",
    "authtoken",
    "refreshtoken",
    "bearertoken",
    "credential",
    "cardnumber",
    "creditcard",
    "debitcard",
    "cvv",
    "cvc",
    "onetimecode",
    "onetimepassword",
    "seedphrase",
    "recoveryphrase",
    "recoverycode",
    "mnemonic",
    "socialsecurity",
    "securitycode",
    "passwort",
    "kennwort",
    "geheimnis",
    "motdepasse",
    "contrasena",
    "contraseña",
    "senha",
    "wachtwoord",
    "haslo",
    "hasło",
    "salasana",
    "sifre",
    "şifre",
    "пароль",
    "密码",
    "密碼",
    "口令",
    "密钥",
    "パスワード",
    "비밀번호",
];
/// Words that mean one where they stand alone in a name or title.
const ALONE: [&str; 13] = [
    "secret",
    "token",
    "pin",
    "otp",
    "totp",
    "ssn",
    "card",
    "iban",
    "key",
    "clave",
    "pass",
    "令牌",
    "验证码",
];
/// What makes a word of [`ALONE`] harmless beside it.
const HARMLESS: [&str; 23] = [
    "max",
    "count",
    "limit",
    "budget",
    "tokens",
    "board",
    "points",
    "point",
    "color",
    "colour",
    "business",
    "report",
    "post",
    "music",
    "map",
    "primary",
    "foreign",
    "sort",
    "partition",
    "santa",
    "test",
    "graphics",
    "boarding",
];

/// Words of [`ALONE`] that also mean a secret in a sentence.
const SAID: [&str; 6] = ["pin", "otp", "totp", "ssn", "iban", "验证码"];

/// Whether a secret can be entered in such a field.
pub(super) fn takes_secret(kind: &FieldKind) -> bool {
    matches!(kind, FieldKind::Text { .. } | FieldKind::Number { .. })
}

/// Whether a field looks as if it asked for a secret.
pub(super) fn asks_for_secret(
    name: &str,
    title: Option<&str>,
    format: Option<&str>,
    description: Option<&str>,
) -> bool {
    let mut named = [Some(name), title, format].into_iter().flatten();
    named.any(|text| is_plain(text) || stands_alone(text)) || description.is_some_and(mentions_secret)
}

/// Whether a sentence speaks of a secret.
pub(super) fn mentions_secret(text: &str) -> bool {
    is_plain(text) || words(text).iter().any(|word| SAID.contains(&word.as_str()))
}

/// Whether a word of [`ANYWHERE`] begins where a word of the text does, whatever stands between its letters.
fn is_plain(text: &str) -> bool {
    let words = words(text);
    (0..words.len()).any(|from| {
        let joined: String = words[from..].iter().take(4).map(String::as_str).collect();
        ANYWHERE.iter().any(|word| joined.starts_with(word))
    })
}

fn stands_alone(text: &str) -> bool {
    let words = words(text);
    let harmless = words.iter().any(|word| HARMLESS.contains(&word.as_str()));
    !harmless && words.iter().any(|word| ALONE.contains(&word.as_str()))
}

/// The words of a text in plain small letters: `apiKey`, `API_KEY` and "api key" are all two.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    let text = plain_letters(text);
    for letter in text.chars().filter(|letter| !joins(*letter)) {
        let starts = letter.is_uppercase() && after_small;
        after_small = letter.is_lowercase();
        // It stands for an a as often as it separates.
        let belongs = letter.is_alphanumeric() || letter == '@';
        if starts || !belongs {
            words.push(String::new());
        }
        if belongs {
            let word = words.last_mut().expect("never empty");
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words.into_iter().map(unmixed).collect()
}

/// Whether the letters around this one read as one word. A control character (a line feed) separates them.
fn joins(letter: char) -> bool {
    is_invisible(letter) && !letter.is_control()
}

/// A word with Latin letters in it, without the letters of other alphabets that look like Latin ones. A word that is
/// wholly of another alphabet stays what it is.
fn unmixed(word: String) -> String {
    if !word.chars().any(|letter| letter.is_ascii_alphabetic()) {
        return word;
    }
    word.chars().map(lookalike).collect()
}

fn lookalike(letter: char) -> char {
    match letter {
        'а' | 'α' | 'ɑ' | '@' => 'a',
        'е' => 'e',
        'о' | 'ο' | '0' => 'o',
        'р' | 'ρ' => 'p',
        'с' => 'c',
        'у' => 'y',
        'ѕ' | '5' => 's',
        'і' | 'ı' | 'ι' | '1' => 'i',
        'ԁ' => 'd',
        'ѡ' | 'ԝ' => 'w',
        'к' | 'κ' => 'k',
        'т' => 't',
        'ӏ' => 'l',
        '3' => 'e',
        other => other,
    }
}
